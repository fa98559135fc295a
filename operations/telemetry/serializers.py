"""What telemetry takes and gives."""

from typing import Any

from rest_framework import serializers

from engine.limits import WORKFLOW_NAME_CHARACTERS
from lib.api import fields
from lib.api.serializers import Query
from operations.telemetry.limits import VERSION_NUMBER


def _percentile_range(of: str) -> serializers.ListField:
    words = f"From and to: the percentile lies between these; `{of}` is the middle."
    return serializers.ListField(
        child=serializers.FloatField(), min_length=2, max_length=2, allow_null=True, help_text=words
    )


class PeriodQuery(Query):
    """Of which period, and of which workflow."""

    workflow = serializers.CharField(
        required=False, max_length=WORKFLOW_NAME_CHARACTERS, help_text="Its name; default: all."
    )

    def get_fields(self) -> dict[str, Any]:
        """`from` is a word of Python."""
        begins = "Where the period begins; default: seven days before `to`. In whole hours."
        return {
            "from": fields.Moment(required=False, help_text=begins),
            "to": fields.Moment(required=False, help_text="Where it ends; default: now."),
            **super().get_fields(),
        }


class StepsQuery(PeriodQuery):
    """Of which steps."""

    version = fields.Digits(
        required=False, min_value=1, max_value=VERSION_NUMBER, help_text="Of the workflow."
    )
    by = serializers.ChoiceField(
        ["type", "node"],
        required=False,
        default="type",
        help_text="node: each step of a workflow by itself.",
    )


class RunCountsSerializer(serializers.Serializer[Any]):
    """Runs, and how they ended in the period. A run that was resumed counts by the ending that stands."""

    runs = serializers.IntegerField(help_text="Runs that ended: completed + failed + cancelled.")
    started = serializers.IntegerField()
    completed = serializers.IntegerField()
    failed = serializers.IntegerField(help_text="Runs that failed and were not resumed since.")
    cancelled = serializers.IntegerField(help_text="Runs that were cancelled and were not resumed since.")
    resumed = serializers.IntegerField(
        help_text="Endings after which the run went on: somebody resumed it, or it was undone with the run above it. "
        "They are in no other count."
    )
    endings = serializers.IntegerField(help_text="How often a run ended: runs + resumed.")
    completion_rate = serializers.FloatField(
        allow_null=True, help_text="completed ÷ (completed + failed); null if there are none."
    )
    failed_rate = serializers.FloatField(allow_null=True)
    average_seconds = serializers.FloatField(allow_null=True, help_text="Of those that completed.")
    p50_seconds = serializers.FloatField(allow_null=True, help_text="Within 8 %.")
    p95_seconds = serializers.FloatField(allow_null=True, help_text="Within 8 %.")
    p50_range_seconds = _percentile_range("p50_seconds")
    p95_range_seconds = _percentile_range("p95_seconds")
    interventions = serializers.IntegerField(help_text="How often somebody had to repair a run.")


class WorkflowCountsSerializer(RunCountsSerializer):
    """Those of a workflow."""

    workflow = serializers.CharField()
    title = serializers.CharField()


class VersionCountsSerializer(RunCountsSerializer):
    """Those of a version."""

    version = serializers.IntegerField()


class TelemetryMomentSerializer(serializers.Serializer[Any]):
    """Runs of an hour or of a day, in UTC."""

    at = serializers.DateTimeField()
    started = serializers.IntegerField()
    completed = serializers.IntegerField()
    failed = serializers.IntegerField()
    cancelled = serializers.IntegerField()
    resumed = serializers.IntegerField()
    interventions = serializers.IntegerField()


class TelemetryTargetsSerializer(serializers.Serializer[Any]):
    """The targets."""

    completion_rate = serializers.FloatField(help_text="At least.")
    failed_rate = serializers.FloatField(help_text="At most.")
    interventions_per_day = serializers.FloatField(help_text="At most.")


class TelemetrySummarySerializer(RunCountsSerializer):
    """The scoreboard of a period."""

    interventions_per_day = serializers.FloatField()
    targets = TelemetryTargetsSerializer()
    by_workflow = WorkflowCountsSerializer(
        many=True, help_text="The 200 with the most runs; without `workflow`."
    )
    by_version = VersionCountsSerializer(many=True, help_text="With `workflow`.")
    by_day = TelemetryMomentSerializer(
        many=True, help_text="By the hour in a period of two days at most (`step`)."
    )
    step = serializers.CharField(help_text="hour or day: what each of `by_day` is.")
    counted_at = serializers.DateTimeField(allow_null=True, help_text="The time of the last counted event.")
    behind = serializers.BooleanField(help_text="Whether there are older events that are not counted yet.")

    def get_fields(self) -> dict[str, Any]:
        """`from` is a word of Python."""
        return {
            "from": serializers.DateTimeField(),
            "to": serializers.DateTimeField(),
            **super().get_fields(),
        }


class StepTimeSerializer(serializers.Serializer[Any]):
    """The durations of steps, in milliseconds; null if there are none."""

    p50 = serializers.FloatField(allow_null=True)
    p95 = serializers.FloatField(allow_null=True)
    p50_range = _percentile_range("p50")
    p95_range = _percentile_range("p95")
    total_ms = serializers.IntegerField()


class StepFiguresSerializer(serializers.Serializer[Any]):
    """Steps of a type, or of a node and type."""

    step_type = serializers.CharField()
    node = serializers.CharField(allow_null=True, help_text="With by=node.")
    count = serializers.IntegerField(help_text="completed + failed.")
    completed = serializers.IntegerField()
    failed = serializers.IntegerField()
    skipped = serializers.IntegerField()
    cancelled = serializers.IntegerField()
    retried = serializers.IntegerField(help_text="Failed attempts that were followed by another.")
    failure_share = serializers.FloatField(allow_null=True, help_text="failed ÷ count.")
    share_of_failures = serializers.FloatField(help_text="Of all failed steps.")
    average_ms = serializers.FloatField(allow_null=True, help_text="For completed ones, without queue time.")
    total_ms = serializers.IntegerField(help_text="All times, with the queue and failed attempts.")
    share_of_time = serializers.FloatField(help_text="Of all times of all steps.")
    lost_ms = serializers.IntegerField(help_text="The time spent on failed attempts.")
    queue = StepTimeSerializer(help_text="Until a worker began.")
    machine = StepTimeSerializer()
    human = StepTimeSerializer()
    waiting = StepTimeSerializer(help_text="For a time, a signal, items or another run.")


class StepTelemetrySerializer(serializers.Serializer[Any]):
    """Steps of a period."""

    results = StepFiguresSerializer(many=True)

    def get_fields(self) -> dict[str, Any]:
        """`from` is a word of Python."""
        return {
            "from": serializers.DateTimeField(),
            "to": serializers.DateTimeField(),
            **super().get_fields(),
        }

"""What the runs' routes take; and what they give, for the OpenAPI document: rows come ready from `queries`."""

from typing import Any

from rest_framework import serializers

from engine.statuses import RunStatus
from lib.api import fields
from lib.api.serializers import PageQuery, Query, StrictSerializer, Verb
from runs.api.signal_serializers import SignalFields, StartedSignalSerializer
from runs.api.step_serializers import VERBS, InnerStepSerializer, StepSerializer, truncated, unreadable
from runs.api.variable_serializers import VariableSerializer
from runs.commands.starts import MAX_BUSINESS_KEY, MAX_ITEMS
from runs.reading.queries import SHOWN_STATUSES

RUN_STATUSES = [*SHOWN_STATUSES, *(str(status.value) for status in RunStatus)]
_TEN_YEARS = 3_650 * 86_400


class StartRun(Verb):
    """A run to start."""

    workflow = fields.Text(max_length=128)
    version = fields.Whole(required=False, min_value=1, max_value=2**31 - 1, help_text="Default: the latest.")
    business_key = fields.Text(required=False, max_length=MAX_BUSINESS_KEY)
    input = fields.JsonValue()
    sla_seconds = fields.Whole(required=False, min_value=1, max_value=_TEN_YEARS)
    priority = fields.Whole(required=False, min_value=-1000, max_value=1000, default=0)
    if_exists = fields.OneOf(["return", "new_if_ended", "error"], required=False, default="return")
    signal = SignalFields(required=False, help_text="Sent to the run, whether it is new or exists already.")


class BatchItem(StrictSerializer):
    """One run of a batch."""

    business_key = fields.Text(required=False, max_length=MAX_BUSINESS_KEY)
    input = fields.JsonValue()


class StartBatch(Verb):
    """Runs of one workflow to start in one transaction."""

    workflow = fields.Text(max_length=128)
    version = fields.Whole(required=False, min_value=1, max_value=2**31 - 1)
    items = fields.Items(child=BatchItem(), min_length=1, max_length=MAX_ITEMS)


class CancelRun(Verb):
    """Cancelling."""

    compensate = fields.Flag(
        required=False, default=False, help_text="Undo what was done, by the compensations of its steps."
    )


class ResumeRun(Verb):
    """Resuming."""

    version = fields.Whole(
        required=False, min_value=1, max_value=2**31 - 1, help_text="Default: the one that it started with."
    )


class RerunRun(ResumeRun):
    """Running again from a step."""

    from_node = fields.Text(max_length=100)
    input = fields.JsonValue(
        required=False, help_text="The step's input; for a step at the start it is the new run's input."
    )


class ChangeItem(Verb):
    """Changing an item of a container, or the run that a step waits for."""

    index = fields.Whole(
        required=False,
        min_value=0,
        max_value=2**31 - 1,
        help_text="The item of a map, or the round of a loop. Without it: the step, or the run that it waits for.",
    )


class RetryStep(ChangeItem):
    """Retrying a step or an item."""

    input = fields.JsonValue(
        required=False, help_text="Instead of the step's own input. An item takes no other one."
    )
    despite_unknown = fields.Flag(
        default=False,
        help_text="With another input, where nobody knows what the last attempt did: it was found out.",
    )


class SkipStep(ChangeItem):
    """Skipping a step or an item."""

    output = fields.JsonValue(help_text="The output that the step gets.")


class StepListQuery(Query):
    """Which steps."""

    node = serializers.CharField(required=False, max_length=64)


class HistoryQuery(PageQuery):
    """How to list the history."""

    order = serializers.ChoiceField(["desc", "asc"], required=False, default="desc")


class ChildrenQuery(PageQuery):
    """Which of the runs that a run began."""

    status = serializers.ChoiceField([str(status.value) for status in RunStatus], required=False)


class DeadLetterQuery(PageQuery):
    """Which dead letters."""

    resolution = serializers.ChoiceField(["open", "resolved"], required=False)


class LetterFilter(StrictSerializer):
    """Which open dead letters."""

    workflow = fields.Text(required=False, max_length=128)
    node = fields.Text(required=False, max_length=100)
    code = fields.Text(required=False, max_length=100)


class RedriveLetters(Verb):
    """Letters to redrive: by id, or by filter."""

    ids = fields.Items(required=False, child=serializers.UUIDField(), min_length=1, max_length=1000)
    filter = LetterFilter(required=False)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        if ("ids" in attrs) == ("filter" in attrs):
            raise serializers.ValidationError({"ids": "Give either ids or filter."}, code="required")
        return attrs


class RefusedLetter(serializers.Serializer[Any]):
    """A letter whose run doesn't go on, and why."""

    id = serializers.UUIDField()
    code = serializers.CharField()
    message = serializers.CharField()


class RedrivenSerializer(serializers.Serializer[Any]):
    """The result for the letters."""

    redriven = serializers.ListField(child=serializers.UUIDField())
    refused = RefusedLetter(many=True)
    left = serializers.IntegerField(
        help_text="How many more match the filter, beyond the 1,000 done at once."
    )


class ForecastSerializer(serializers.Serializer[Any]):
    """When a run will probably be done."""

    p50 = serializers.DateTimeField(help_text="Half of such runs are done by then.")
    p90 = serializers.DateTimeField(help_text="Nine of ten such runs are done by then.")


class PlaceSerializer(serializers.Serializer[Any]):
    """A step that leads down to a child run."""

    node = serializers.CharField(help_text="The step.")
    index = serializers.IntegerField(allow_null=True, help_text="Of an item or round: its number, from 0.")


class WaitSerializer(serializers.Serializer[Any]):
    """Open steps of a run, or of runs below it, that wait for the same, and where the first of them is."""

    run = serializers.UUIDField(help_text="The run of the step.")
    node = serializers.CharField()
    index = serializers.IntegerField(allow_null=True, help_text="Of an item or round: its number, from 0.")
    place = PlaceSerializer(
        many=True, help_text="The steps that lead from the root run down to the step itself."
    )
    title = serializers.CharField(allow_null=True, help_text="null where you may not read its workflow.")
    waiting_for = serializers.CharField()
    count = serializers.IntegerField(help_text="How many such steps there are.")


class RunSerializer(serializers.Serializer[Any]):
    """A run with its steps."""

    id = serializers.UUIDField()
    workflow = serializers.CharField()
    version = serializers.IntegerField(allow_null=True, help_text="null for a test run.")
    business_key = serializers.CharField(allow_null=True)
    status = serializers.ChoiceField(RUN_STATUSES)
    life = serializers.IntegerField()
    input = fields.JsonValue()
    output = fields.JsonValue()
    error = fields.JsonValue()
    created_at = serializers.DateTimeField()
    started_at = serializers.DateTimeField(allow_null=True)
    completed_at = serializers.DateTimeField(allow_null=True)
    sla_seconds = serializers.IntegerField(allow_null=True)
    sla_deadline = serializers.DateTimeField(allow_null=True)
    sla_breached = serializers.BooleanField(
        allow_null=True,
        help_text="Whether the run missed, or is past, its deadline; null without one.",
    )
    sla_counts = serializers.CharField(allow_null=True, help_text="How it was counted, if in working days.")
    sla_paused_at = serializers.DateTimeField(
        allow_null=True, help_text="Since when the deadline is paused with the run."
    )
    deadline = serializers.DateTimeField(allow_null=True, help_text="As `sla_deadline`.")
    sla = serializers.CharField(
        allow_null=True,
        help_text="`ok`, `warning` (open, with 80 % of its time over) or `breached`; null without a deadline.",
    )
    forecast = ForecastSerializer(
        allow_null=True,
        help_text="null for a run that does not go on, and if too few runs like it have completed.",
    )
    deadline_risk = serializers.FloatField(
        allow_null=True,
        help_text="How likely it misses its deadline, from 0 to 1; null without one or a forecast.",
    )
    waiting_for = serializers.CharField(allow_null=True)
    waits = WaitSerializer(
        many=True,
        help_text="The open steps that it waits for, also in the runs below it: at most 10 groups.",
    )
    created_by = serializers.CharField()
    rerun_of = serializers.UUIDField(allow_null=True, help_text="The run whose steps this one keeps.")
    parent_run = serializers.UUIDField(allow_null=True, help_text="The run one of whose steps started it.")
    # The framework takes declared fields off the class, so its own attribute of this name stays.
    parent = serializers.UUIDField(  # type: ignore[assignment]
        allow_null=True, help_text="As `parent_run`."
    )
    root_run = serializers.UUIDField(
        help_text="The topmost run of its tree; for a run that no step started, the run itself."
    )
    place = PlaceSerializer(
        many=True,
        help_text="The steps that lead from the root run down to this one; empty for a run that no step started.",
    )
    continues_run = serializers.UUIDField(allow_null=True, help_text="The run that this one continues.")
    continued_as = serializers.UUIDField(
        allow_null=True, help_text="For a CONTINUED run: the run that continues it."
    )
    follows_run = serializers.UUIDField(
        allow_null=True, help_text="The run after which it was started, as its `next_workflow`."
    )
    traceparent = serializers.CharField(
        allow_null=True,
        help_text="The trace in which it was started, or that it begins, in W3C Trace Context format.",
    )
    test = serializers.BooleanField(help_text="Whether it is a test run, which no list shows.")
    next_workflow = serializers.CharField(
        allow_null=True, help_text="The workflow that is started when this run has completed."
    )
    can_compensate = serializers.BooleanField(
        help_text="Whether steps of its version, or of the bodies in it, can be undone."
    )
    variables = serializers.DictField(
        child=VariableSerializer(),
        help_text="Its variables by name, with the step that set each last; empty in lists.",
    )
    verbs = serializers.ListField(child=serializers.CharField(), help_text=VERBS)
    truncated = truncated()
    unreadable = unreadable()
    steps = StepSerializer(many=True)
    inner_steps = InnerStepSerializer(
        many=True,
        required=False,
        help_text="For a test run: the steps within its containers that have begun.",
    )


class StartedRunSerializer(RunSerializer):
    """A run that was started or found."""

    input_mismatch = serializers.BooleanField(
        required=False, help_text="With 200: the existing run was started with another input."
    )
    warnings = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="For a new run: the steps that nobody may decide, with its input and the present members.",
    )
    signal = StartedSignalSerializer(
        required=False, help_text="What became of the signal, if one was sent with it."
    )


class BatchStartedSerializer(serializers.Serializer[Any]):
    """One run of a batch."""

    id = serializers.UUIDField()
    business_key = serializers.CharField(allow_null=True)
    created = serializers.BooleanField()
    input_mismatch = serializers.BooleanField(
        required=False, help_text="The run already existed, with another input."
    )
    warnings = serializers.ListField(child=serializers.CharField(), required=False)


class BatchSerializer(serializers.Serializer[Any]):
    """The result of a batch, in the order of its items."""

    runs = BatchStartedSerializer(many=True)


class EventSerializer(serializers.Serializer[Any]):
    """Something that happened to a run."""

    id = serializers.IntegerField()
    type = serializers.CharField()
    node = serializers.CharField(allow_null=True)
    attempt = serializers.IntegerField(allow_null=True)
    payload = fields.JsonValue()
    created_at = serializers.DateTimeField()


class DeadLetterSerializer(serializers.Serializer[Any]):
    """A step that failed its run for good."""

    id = serializers.UUIDField()
    run_id = serializers.UUIDField()
    node = serializers.CharField()
    error = fields.JsonValue()
    attempts = serializers.IntegerField()
    created_at = serializers.DateTimeField()
    resolution = serializers.CharField(allow_null=True)

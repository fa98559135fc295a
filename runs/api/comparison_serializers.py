"""What comparing two runs gives, for the OpenAPI document."""

from typing import Any

from rest_framework import serializers

from lib.api import fields
from runs.reading.changes import KINDS
from runs.reading.comparing import OF_RUNS, OF_STEPS, PATHS
from runs.reading.run_view import RUN_STATUSES, STEP_STATUSES

DIFFERENCES = [*dict.fromkeys((*OF_RUNS, *OF_STEPS))]
_SAME = "null if unknown."


class ComparedRunSerializer(serializers.Serializer[Any]):
    """One of two runs."""

    id = serializers.UUIDField()
    workflow = serializers.CharField()
    version = serializers.IntegerField(allow_null=True, help_text="null for a test run.")
    test = serializers.BooleanField(help_text="Whether it is a test run, which no list shows.")
    status = serializers.ChoiceField(RUN_STATUSES)
    business_key = serializers.CharField(allow_null=True)
    created_at = serializers.DateTimeField()
    duration_seconds = serializers.FloatField(allow_null=True, help_text="null for an open run.")


class DifferenceSerializer(serializers.Serializer[Any]):
    """How two runs differ, and in which step; `node` is null for a difference of the runs themselves."""

    node = serializers.CharField(allow_null=True)
    what = serializers.ChoiceField(DIFFERENCES)


class ValueChangeSerializer(serializers.Serializer[Any]):
    """A difference between two values, at a path in expression syntax; empty for the whole value."""

    path = serializers.CharField(allow_blank=True)
    kind = serializers.ChoiceField(
        KINDS, help_text="`length`: two lists differ in length, which the sides give."
    )
    left = fields.JsonValue(help_text="null also if there is nothing on this side.")
    right = fields.JsonValue()
    cut = serializers.ListField(
        child=serializers.CharField(),
        help_text="The sides that are shown in part, because they are long.",
    )


class ComparedValuesSerializer(serializers.Serializer[Any]):
    """A value of both runs; `more`: not all changes are listed."""

    same = serializers.BooleanField(allow_null=True, help_text=_SAME)
    changes = ValueChangeSerializer(many=True)
    more = serializers.BooleanField()
    why = serializers.CharField(
        allow_null=True, help_text="Why it is unknown, or why the changes are not listed."
    )


class SideErrorSerializer(serializers.Serializer[Any]):
    """The error of a step, without its details."""

    code = serializers.CharField(allow_null=True)
    message = serializers.CharField(allow_null=True, help_text="At most 500 characters of it.")


class StepSideSerializer(serializers.Serializer[Any]):
    """A step in one of the runs."""

    status = serializers.ChoiceField(STEP_STATUSES)
    attempts = serializers.IntegerField()
    duration_seconds = serializers.FloatField(allow_null=True)
    error = SideErrorSerializer(allow_null=True)


class ComparedStepSerializer(serializers.Serializer[Any]):
    """A step in both runs; a side is null where its version has no such step."""

    node = serializers.CharField()
    title = serializers.CharField()
    type = serializers.CharField()
    left = StepSideSerializer(allow_null=True)
    right = StepSideSerializer(allow_null=True)
    path = serializers.ChoiceField(PATHS, help_text="Which of the runs reached it.")
    differs = serializers.ListField(
        child=serializers.ChoiceField(OF_STEPS), help_text="How it differs, the reason first."
    )
    input_same = serializers.BooleanField(allow_null=True, help_text=_SAME)
    output_same = serializers.BooleanField(allow_null=True, help_text=_SAME)
    input_changes = ValueChangeSerializer(many=True)
    output_changes = ValueChangeSerializer(many=True)
    more = serializers.BooleanField(help_text="Not all changes are listed.")
    not_told = serializers.DictField(
        child=serializers.CharField(),
        help_text="`input` and `output` whose changes are not listed, and why.",
    )


class ComparisonSerializer(serializers.Serializer[Any]):
    """Two runs side by side, the left one first."""

    runs = ComparedRunSerializer(many=True)
    same_version = serializers.BooleanField()
    first_difference = DifferenceSerializer(allow_null=True)
    ways_part = DifferenceSerializer(
        allow_null=True,
        help_text="The first step that only one of them reached, or that ended differently: `path` or `status`.",
    )
    input = ComparedValuesSerializer()
    output = ComparedValuesSerializer()
    steps = ComparedStepSerializer(many=True)

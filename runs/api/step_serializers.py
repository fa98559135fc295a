"""What the runs' routes give of steps, for the OpenAPI document."""

from typing import Any

from rest_framework import serializers

from engine.statuses import StepStatus
from lib.api import fields
from runs.reading.queries import PENDING

STEP_STATUSES = [PENDING, *(str(status.value) for status in StepStatus)]
VERBS = "What its state allows now; your scopes decide what you may do."


def truncated() -> serializers.Field[Any, Any, Any, Any]:
    """The field that names payloads which are cut out."""
    return serializers.DictField(
        child=serializers.IntegerField(),
        required=False,
        help_text="Payloads too large for this response (they are null): their names, and their sizes in bytes as "
        "stored. They are complete at `/runs/{run_id}` for a run's, `/runs/{run_id}/steps?node=…` for a step's.",
    )


def unreadable() -> serializers.Field[Any, Any, Any, Any]:
    """The field that says which payloads can't be read."""
    return serializers.DictField(
        child=serializers.CharField(),
        required=False,
        help_text="Payloads that are kept beside the database and are missing or changed there, or can't be reached "
        "now (they are null): their names, and why.",
    )


class WaitingSerializer(serializers.Serializer[Any]):
    """What a WAITING step waits for."""

    kind = serializers.CharField()
    name = serializers.CharField(allow_null=True)
    until = serializers.DateTimeField(allow_null=True)


class ItemCountsSerializer(serializers.Serializer[Any]):
    """How many items a step has, and how many of them have begun, ended and failed; `rounds`: it is a loop."""

    total = serializers.IntegerField()
    begun = serializers.IntegerField()
    ended = serializers.IntegerField()
    failed = serializers.IntegerField()
    rounds = serializers.BooleanField()


class StepSerializer(serializers.Serializer[Any]):
    """A step of a run; nodes that are not decided yet are PENDING."""

    id = serializers.UUIDField(allow_null=True)
    node = serializers.CharField()
    undoes = serializers.CharField(allow_null=True, help_text="The node whose effect this step undoes.")
    index = serializers.IntegerField(allow_null=True)
    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.ChoiceField(STEP_STATUSES)
    attempt = serializers.IntegerField()
    max_attempts = serializers.IntegerField()
    retries_remaining = serializers.IntegerField(
        help_text="How many attempts are left after the last one that began, or after the first."
    )
    input = fields.JsonValue()
    output = fields.JsonValue()
    error = fields.JsonValue()
    progress = fields.JsonValue(help_text="The progress that its worker last reported.")
    worker = serializers.CharField(allow_null=True, help_text="Who has it, or had it last.")
    lease_expires_at = serializers.DateTimeField(allow_null=True, help_text="For a RUNNING step.")
    last_heartbeat_at = serializers.DateTimeField(
        allow_null=True, help_text="When its worker last sent a heartbeat; null before the first."
    )
    queued_at = serializers.DateTimeField(allow_null=True)
    started_at = serializers.DateTimeField(allow_null=True)
    completed_at = serializers.DateTimeField(allow_null=True)
    duration_ms = serializers.FloatField(allow_null=True)
    waiting_for = serializers.CharField(allow_null=True)
    waiting = WaitingSerializer(allow_null=True)
    next_attempt_at = serializers.DateTimeField(allow_null=True)
    kept_from = serializers.UUIDField(
        allow_null=True, help_text="The step of the earlier run that is kept here."
    )
    cause = serializers.CharField(
        allow_null=True, help_text="Why it was cancelled or skipped; `operator`: somebody skipped it."
    )
    child_run = serializers.UUIDField(
        allow_null=True, help_text="For a step that runs a workflow: the last run that it started."
    )
    items = ItemCountsSerializer(allow_null=True, help_text="For a step with items or rounds.")
    verbs = serializers.ListField(child=serializers.CharField(), help_text=VERBS)
    truncated = truncated()
    unreadable = unreadable()


class ExampleSerializer(StepSerializer):
    """A step of one of the items, and the item's place."""

    run_id = serializers.UUIDField(help_text="The run with the item's steps: they are complete there.")
    places = serializers.ListField(
        child=serializers.IntegerField(), help_text="The item's place, after those of the items around it."
    )


class InnerStepSerializer(serializers.Serializer[Any]):
    """The state of a step within a container over all items."""

    node = serializers.CharField()
    container = serializers.CharField()
    counts = serializers.DictField(child=serializers.IntegerField(), help_text="How many by status.")
    total = serializers.IntegerField(
        allow_null=True, help_text="How many items there are; of a loop, how many rounds have begun."
    )
    cut = serializers.BooleanField(
        help_text="Whether there are more runs of items than the 2,000 that are counted."
    )
    undone = serializers.IntegerField(help_text="Of how many items it was undone.")
    first = ExampleSerializer(allow_null=True, help_text="The first item's, in their order, that completed.")
    failed = ExampleSerializer(allow_null=True, help_text="The first item's that failed.")

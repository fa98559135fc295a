"""What the routes of signals take and give."""

from typing import Any

from rest_framework import serializers

from engine.limits import WORKFLOW_NAME_CHARACTERS
from lib.api import fields
from lib.api.serializers import PageQuery, StrictSerializer, Verb
from runs.api.run_ids import RunId
from runs.limits import BUSINESS_KEY_CHARACTERS, COLUMN_INTEGER, SIGNAL_ID_CHARACTERS
from steps.limits import SIGNAL_NAME_CHARACTERS


class SignalFields(StrictSerializer):
    """A signal."""

    name = fields.Text(max_length=SIGNAL_NAME_CHARACTERS)
    signal_id = fields.Text(max_length=SIGNAL_ID_CHARACTERS, help_text="The same again is dropped.")
    payload = fields.JsonValue(required=False)


class AddressFields(SignalFields):
    """A signal that may name the wait it is for."""

    child = RunId(
        required=False, help_text="Only to waits of this descendant of the run, and of runs below it."
    )
    index = fields.Whole(
        required=False,
        min_value=0,
        max_value=COLUMN_INTEGER,
        help_text="Only to waits of an item with this index.",
    )
    all = fields.Flag(required=False, default=False, help_text="To all open waits, not to the oldest.")


class SendSignal(AddressFields, Verb):
    """A signal to a run."""


class SendSignalByKey(SendSignal):
    """A signal to the run with a business key."""

    workflow = fields.Text(max_length=WORKFLOW_NAME_CHARACTERS)
    business_key = fields.Text(max_length=BUSINESS_KEY_CHARACTERS)


class BroadcastSignal(SignalFields, Verb):
    """A signal to every open run that matches all given conditions."""

    workflow = fields.Text(required=False, max_length=WORKFLOW_NAME_CHARACTERS)
    business_key = fields.Text(required=False, max_length=BUSINESS_KEY_CHARACTERS)
    input = fields.JsonObject(
        required=False, help_text='Values that the input of a run must have: `{"customer": {"id": 7}}`.'
    )
    after = RunId(required=False, help_text="Continue after this run: `next` of the previous response.")


class RefusedSignalSerializer(serializers.Serializer[Any]):
    """A run that did not take the signal."""

    run_id = serializers.UUIDField()
    code = serializers.CharField()
    message = serializers.CharField()


class BroadcastSerializer(serializers.Serializer[Any]):
    """The result of a signal to many runs."""

    sent = serializers.IntegerField()
    duplicates = serializers.IntegerField(help_text="Runs that already had it.")
    refused = RefusedSignalSerializer(many=True)
    next = serializers.UUIDField(allow_null=True, help_text="If not null there are more: send it as `after`.")


class DeliveredSignalSerializer(serializers.Serializer[Any]):
    """A step that a signal was delivered to."""

    run = serializers.UUIDField(help_text="The run of the step: the addressed one, or one below it.")
    node = serializers.CharField()
    index = serializers.IntegerField(
        allow_null=True,
        help_text="The index of the item that the step belongs to; null if it belongs to none.",
    )


class DeliverySerializer(serializers.Serializer[Any]):
    """Where a signal went."""

    delivered = DeliveredSignalSerializer(
        many=True, help_text="The steps that took the signal or that it is being carried to."
    )
    kept = serializers.BooleanField(help_text="No step took it: it is kept until one waits for it.")


class StartedSignalSerializer(DeliverySerializer):
    """The result of a signal that was sent with a start."""

    duplicate = serializers.BooleanField()


class SignalSerializer(DeliverySerializer):
    """The result of a signal."""

    run_id = serializers.UUIDField()
    duplicate = serializers.BooleanField()


class SignalListQuery(PageQuery):
    """Which signals of a run."""

    name = serializers.CharField(required=False, max_length=SIGNAL_NAME_CHARACTERS)
    processed = serializers.BooleanField(
        required=False, default=None, allow_null=True, help_text="Whether a step has taken them."
    )
    signal_id = serializers.CharField(
        required=False, max_length=SIGNAL_ID_CHARACTERS, help_text="This one alone, with its whole payload."
    )


class TakingStepSerializer(serializers.Serializer[Any]):
    """The step that has taken a signal; of several the first."""

    run = serializers.UUIDField(help_text="The run of the step: this one, or one below it.")
    node = serializers.CharField()
    index = serializers.IntegerField(allow_null=True, help_text="Of an item: its index.")


class ReceivedSignalSerializer(serializers.Serializer[Any]):
    """A signal as it is kept."""

    id = serializers.UUIDField()
    run_id = serializers.UUIDField(help_text="The run that has received it.")
    signal_id = serializers.CharField(help_text="As its sender calls it.")
    name = serializers.CharField()
    payload = fields.JsonValue()
    truncated = serializers.IntegerField(
        allow_null=True, help_text="The size of a payload over 4 KiB, which is null here: ask by `signal_id`."
    )
    unreadable = serializers.CharField(
        allow_null=True, help_text="Why its payload, which is kept beside the database, can’t be read."
    )
    child = serializers.UUIDField(allow_null=True, help_text="The descendant that it was sent to.")
    index = serializers.IntegerField(allow_null=True, help_text="The item that it was sent to.")
    sent_by = serializers.CharField()
    sent_at = serializers.DateTimeField()
    processed = serializers.BooleanField(help_text="Whether a step has taken it.")
    processed_at = serializers.DateTimeField(allow_null=True)
    processed_by = TakingStepSerializer(allow_null=True)

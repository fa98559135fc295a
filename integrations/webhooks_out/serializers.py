"""What the routes of webhooks that go out take and give."""

from typing import Any
from uuid import UUID

from rest_framework import serializers

from engine.limits import WORKFLOW_NAME_CHARACTERS
from integrations.webhooks_out import events, service
from integrations.webhooks_out.limits import (
    DESCRIPTION_CHARACTERS,
    OVERLAP_SECONDS,
    REPLAY_DAYS,
    URL_CHARACTERS,
)
from integrations.webhooks_out.models import OUTGOING_STATES, SWITCHED_OFF
from lib.api import fields
from lib.api.serializers import Verb
from runs.api.secret_serializers import SecretSerializer

_EVENTS = "Names of events (docs/webhooks.md); null or left out: all of them."


class CreateOutgoing(Verb):
    """A new webhook."""

    url = fields.Text(max_length=URL_CHARACTERS)
    description = fields.Text(required=False, allow_blank=True, max_length=DESCRIPTION_CHARACTERS, default="")
    events = fields.Items(
        child=fields.OneOf(events.NAMES), required=False, allow_null=True, default=None, help_text=_EVENTS
    )
    workflow = fields.Text(
        required=False,
        allow_null=True,
        max_length=WORKFLOW_NAME_CHARACTERS,
        default=None,
        help_text="Runs of this workflow alone; null: of all, which is for admins.",
    )


class ChangeOutgoing(Verb):
    """What can be changed of a webhook."""

    url = fields.Text(required=False, max_length=URL_CHARACTERS)
    description = fields.Text(required=False, allow_blank=True, max_length=DESCRIPTION_CHARACTERS)
    events = fields.Items(
        child=fields.OneOf(events.NAMES), required=False, allow_null=True, help_text=_EVENTS
    )
    enabled = fields.Flag(required=False)


class RotateOutgoing(Verb):
    """A new secret."""

    overlap_seconds = fields.Whole(
        required=False,
        min_value=0,
        max_value=OVERLAP_SECONDS,
        default=service.DEFAULT_OVERLAP_SECONDS,
        help_text="How long the old secrets keep signing.",
    )


class ReplayOutgoing(Verb):
    """Events that are sent again."""

    since = fields.Moment(
        help_text=f"Events from this time on, in the last {REPLAY_DAYS} days, are sent again."
    )


class DiscardOutgoing(Verb):
    """Events that are given up."""

    confirm = fields.Flag(help_text="true: these events are to be given up.")

    def validate_confirm(self, value: bool) -> bool:
        """Nobody discards by mistake."""
        if not value:
            raise serializers.ValidationError("Say true: waiting events are given up.")
        return value


class DiscardedSerializer(serializers.Serializer[Any]):
    """What was given up."""

    discarded = serializers.IntegerField(help_text="How many events waited.")


class OutgoingSerializer(serializers.Serializer[Any]):
    """An outgoing webhook."""

    id = serializers.UUIDField()
    url = serializers.CharField()
    description = serializers.CharField()
    events = serializers.SerializerMethodField(help_text="null: all of them.")
    workflow = serializers.CharField(source="workflow.name", default=None, allow_null=True)
    enabled = serializers.BooleanField()
    off_reason = serializers.ChoiceField(
        ["", *SWITCHED_OFF], help_text="Why it is off; empty while it is on."
    )
    off_at = serializers.DateTimeField(allow_null=True)
    made_by = serializers.CharField()
    failures = serializers.IntegerField(help_text="Attempts in a row that failed.")
    failing_since = serializers.DateTimeField(allow_null=True)
    paused_until = serializers.DateTimeField(
        allow_null=True, help_text="No attempt is made before this time; null: at once."
    )
    delivered_at = serializers.DateTimeField(allow_null=True, help_text="When a message last arrived.")
    last_error = serializers.CharField()
    pending = serializers.SerializerMethodField(help_text="How many messages wait, counted up to 1,000.")
    replaying_since = serializers.DateTimeField(
        source="replay.since",
        default=None,
        allow_null=True,
        help_text="Events since this time are being sent again.",
    )
    secrets = SecretSerializer(many=True, source="secrets.all")
    created_at = serializers.DateTimeField()

    def get_events(self, webhook: Any) -> list[str] | None:
        """The names of its events."""
        return None if webhook.all_events else [events.name_of(kind) for kind in webhook.types]

    def get_pending(self, webhook: Any) -> int:
        """How many messages wait."""
        counts: dict[UUID, int] = self.context["pending"]
        return counts.get(webhook.pk, 0)


class OutgoingWithSecretSerializer(OutgoingSerializer):
    """A webhook and its new secret, which is never shown again."""

    secret = serializers.SerializerMethodField()

    def get_secret(self, webhook: Any) -> str:
        """As receivers are given it, `whsec_…`."""
        return self.context["secret"]  # type: ignore[no-any-return]


class OutgoingDeliverySerializer(serializers.Serializer[Any]):
    """An event that was or is to be sent."""

    id = serializers.IntegerField()
    message_id = serializers.SerializerMethodField(help_text="`webhook-id`, the same at each attempt.")
    type = serializers.SerializerMethodField()
    run_id = serializers.UUIDField(allow_null=True, help_text="null: a test.")
    state = serializers.ChoiceField(OUTGOING_STATES)
    attempts = serializers.IntegerField()
    due_at = serializers.DateTimeField(allow_null=True, help_text="When it is tried next; null: at once.")
    tried_at = serializers.DateTimeField(allow_null=True)
    status = serializers.IntegerField(
        allow_null=True, help_text="The HTTP status of the last response; null if there was none."
    )
    error = serializers.CharField()
    took_ms = serializers.IntegerField(allow_null=True)
    created_at = serializers.DateTimeField()

    def get_message_id(self, delivery: Any) -> str:
        """The id by which the receiver knows it."""
        return f"msg_{delivery.message.hex}"

    def get_type(self, delivery: Any) -> str:
        """The name of the event."""
        return events.name_of(delivery.type)

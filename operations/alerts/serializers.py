"""What the routes of alerts take and give."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from lib.api import fields
from lib.api.serializers import PageQuery, Verb
from operations.alerts.kinds import KINDS
from operations.alerts.limits import (
    ADDRESS_CHARACTERS,
    COOLDOWN_SECONDS,
    ESCALATION_MINUTES,
    MUTE_SECONDS,
    NAME_CHARACTERS,
    NOTE_CHARACTERS,
    RULE_CHANNELS,
)
from operations.alerts.models import ALERT_STATUSES, CHANNEL_KINDS, SEVERITIES, TOLD_EVENTS, TOLD_STATES

RULE_KINDS = tuple(KINDS)
_PARAMS = "The thresholds of its kind, and `queue` or `workflow` if it is for one (docs/alerts.md)."
_CHANNELS = "Ids of the channels to notify."
_NEXT = "Ids of the channels to notify when nobody has acknowledged it."
_DEFAULT = "Whether new rules notify it."
_FILL = "Have rules that notify nobody notify it."
_ADDRESS = "E-mail addresses, a URL, or a PagerDuty integration key; it is not shown again."


class AlertsQuery(PageQuery):
    """Which alerts."""

    status = serializers.ChoiceField(choices=list(ALERT_STATUSES), required=False)


class AcknowledgeAlert(Verb):
    """Somebody is working on it."""

    note = fields.Text(required=False, allow_blank=True, default="", max_length=NOTE_CHARACTERS)


class MuteAlert(Verb):
    """Nobody is notified for a while."""

    seconds = fields.Whole(min_value=0, max_value=MUTE_SECONDS, help_text="0 ends it.")


class AlertSerializer(serializers.Serializer[Any]):
    """An alert."""

    id = serializers.IntegerField()
    rule_id = serializers.IntegerField()
    kind = serializers.CharField(help_text="The kind of its rule.")
    status = serializers.ChoiceField(choices=list(ALERT_STATUSES))
    severity = serializers.ChoiceField(choices=list(SEVERITIES))
    key = serializers.CharField(help_text="What distinguishes it from others of its rule.")
    subject = serializers.CharField()
    message = serializers.CharField()
    advice = serializers.CharField(help_text="What to do.")
    link = serializers.CharField(help_text="A path of Handoff’s pages.")
    workflow = serializers.CharField(source="workflow.name", default=None, allow_null=True)
    run_id = serializers.UUIDField(allow_null=True)
    value = serializers.FloatField(allow_null=True, help_text="The number that its rule is about.")
    count = serializers.IntegerField(source="seen", help_text="How many checks have found it.")
    first_seen_at = serializers.DateTimeField()
    last_seen_at = serializers.DateTimeField()
    told_at = serializers.DateTimeField(allow_null=True, help_text="When its channels were notified.")
    muted_until = serializers.DateTimeField(allow_null=True)
    escalated_at = serializers.DateTimeField(allow_null=True)
    acknowledged_at = serializers.DateTimeField(allow_null=True)
    acknowledged_by = serializers.CharField(allow_blank=True)
    note = serializers.CharField(allow_blank=True)
    resolved_at = serializers.DateTimeField(allow_null=True)
    resolved_by = serializers.CharField(allow_blank=True, help_text="Empty if it resolved by itself.")


class ChangeAlertRule(Verb):
    """What can be changed of a rule."""

    name = fields.Text(required=False, max_length=NAME_CHARACTERS)
    params = fields.JsonObject(required=False, help_text=_PARAMS)
    severity = fields.OneOf(SEVERITIES, required=False)
    cooldown_seconds = fields.Whole(required=False, min_value=0, max_value=COOLDOWN_SECONDS)
    enabled = fields.Flag(required=False)
    channels = fields.Items(
        child=fields.Whole(min_value=1, max_value=2**53),
        required=False,
        max_length=RULE_CHANNELS,
        help_text=_CHANNELS,
    )
    escalate_minutes = fields.Whole(
        required=False, allow_null=True, min_value=1, max_value=ESCALATION_MINUTES
    )
    escalate_channels = fields.Items(
        child=fields.Whole(min_value=1, max_value=2**53),
        required=False,
        max_length=RULE_CHANNELS,
        help_text=_NEXT,
    )
    mute_seconds = fields.Whole(required=False, min_value=0, max_value=MUTE_SECONDS, help_text="0 ends it.")


class CreateAlertRule(ChangeAlertRule):
    """A new rule; fields left out are as in the built-in one of its kind."""

    kind = fields.OneOf(RULE_KINDS)
    name = fields.Text(max_length=NAME_CHARACTERS)


class AlertRuleSerializer(serializers.Serializer[Any]):
    """A rule."""

    id = serializers.IntegerField()
    kind = serializers.CharField()
    name = serializers.CharField()
    built_in = serializers.BooleanField(help_text="It can be switched off but not deleted.")
    params = serializers.JSONField(help_text=_PARAMS)
    severity = serializers.ChoiceField(choices=list(SEVERITIES))
    cooldown_seconds = serializers.IntegerField(
        help_text="No new notification if the same alert is raised again within this time."
    )
    enabled = serializers.BooleanField()
    muted_until = serializers.DateTimeField(allow_null=True)
    channels = serializers.ListField(child=serializers.IntegerField(), help_text=_CHANNELS)
    escalate_minutes = serializers.IntegerField(allow_null=True)
    escalate_channels = serializers.ListField(child=serializers.IntegerField(), help_text=_NEXT)
    changed_by = serializers.CharField(allow_blank=True)


class CreateAlertChannel(Verb):
    """A new channel."""

    name = fields.Text(max_length=NAME_CHARACTERS)
    kind = fields.OneOf(CHANNEL_KINDS)
    address = fields.Text(max_length=ADDRESS_CHARACTERS, help_text=_ADDRESS)
    is_default = fields.Flag(required=False, default=False, help_text=_DEFAULT)
    fill_rules = fields.Flag(required=False, default=False, help_text=_FILL)


class ChangeAlertChannel(Verb):
    """What can be changed of a channel."""

    name = fields.Text(required=False, max_length=NAME_CHARACTERS)
    address = fields.Text(required=False, max_length=ADDRESS_CHARACTERS, help_text=_ADDRESS)
    enabled = fields.Flag(required=False)
    is_default = fields.Flag(required=False, help_text=_DEFAULT)
    fill_rules = fields.Flag(required=False, default=False, help_text=_FILL)


class AlertDeliverySerializer(serializers.Serializer[Any]):
    """A message to a channel."""

    id = serializers.IntegerField()
    alert_id = serializers.IntegerField(allow_null=True, help_text="null: a test.")
    event = serializers.ChoiceField(choices=list(TOLD_EVENTS))
    state = serializers.ChoiceField(choices=list(TOLD_STATES))
    attempts = serializers.IntegerField()
    error = serializers.CharField(allow_blank=True)
    created_at = serializers.DateTimeField()
    sent_at = serializers.DateTimeField(allow_null=True)


class AlertChannelSerializer(serializers.Serializer[Any]):
    """A channel."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    kind = serializers.ChoiceField(choices=list(CHANNEL_KINDS))
    address = serializers.CharField(source="shown", help_text="Only its non-secret part.")
    enabled = serializers.BooleanField()
    is_default = serializers.BooleanField(help_text=_DEFAULT)
    made_by = serializers.CharField()
    created_at = serializers.DateTimeField()
    last_message = serializers.SerializerMethodField(
        help_text="The last one, tests included; null: none yet."
    )

    @extend_schema_field(AlertDeliverySerializer(allow_null=True))
    def get_last_message(self, channel: Any) -> dict[str, object] | None:
        delivery = self.context["last"].get(channel.pk)
        return None if delivery is None else dict(AlertDeliverySerializer(delivery).data)

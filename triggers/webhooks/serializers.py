"""What the webhooks' routes take and give."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from engine.limits import WORKFLOW_NAME_CHARACTERS
from lib.api import fields
from lib.api.serializers import Verb
from runs.api.secret_serializers import SecretSerializer
from triggers.webhooks.limits import OVERLAP_SECONDS, SECRET_CHARACTERS, SETTING_CHARACTERS
from triggers.webhooks.presets import PRESETS
from triggers.webhooks.service import ACTIONS, DEFAULT_OVERLAP_SECONDS

_MAPPING = "Values with {{ expressions }} over `body`, `headers` and `query`: how a message is used."
_SECRET = "The sender's own secret; only with a `preset`."
_TOPIC = "Of the preset `sns`: the ARN of the topic."
_VERIFY = "Of the preset `meta`: the token of its verification request."


class CreateWebhook(Verb):
    """A new webhook."""

    name = fields.Text(max_length=128)
    workflow = fields.Text(max_length=WORKFLOW_NAME_CHARACTERS)
    action = fields.OneOf(ACTIONS)
    mapping = fields.JsonObject(required=False, default=dict, help_text=_MAPPING)
    allow_unsigned = fields.Flag(
        required=False, default=False, help_text="Whoever knows the address may send. Not recommended."
    )
    preset = fields.OneOf(
        tuple(PRESETS),
        required=False,
        help_text="The sender, if it signs in its own way; else Standard Webhooks.",
    )
    secret = fields.Text(required=False, max_length=SECRET_CHARACTERS, help_text=_SECRET)
    topic_arn = fields.Text(required=False, max_length=SETTING_CHARACTERS, help_text=_TOPIC)
    verify_token = fields.Text(required=False, max_length=SETTING_CHARACTERS, help_text=_VERIFY)


class ChangeWebhook(Verb):
    """What can be changed of a webhook."""

    name = fields.Text(required=False, max_length=128)
    mapping = fields.JsonObject(required=False, help_text=_MAPPING)
    allow_unsigned = fields.Flag(required=False)
    enabled = fields.Flag(required=False)
    topic_arn = fields.Text(required=False, max_length=SETTING_CHARACTERS, help_text=_TOPIC)
    verify_token = fields.Text(required=False, max_length=SETTING_CHARACTERS, help_text=_VERIFY)


class RotateSecret(Verb):
    """A new secret."""

    overlap_seconds = fields.Whole(
        required=False,
        min_value=0,
        max_value=OVERLAP_SECONDS,
        default=DEFAULT_OVERLAP_SECONDS,
        help_text="How long the old secrets stay valid.",
    )
    secret = fields.Text(required=False, max_length=SECRET_CHARACTERS, help_text=_SECRET)


class RefusalSerializer(serializers.Serializer[Any]):
    """Why a webhook refused a message."""

    at = serializers.DateTimeField(source="refused_at")
    reason = serializers.CharField(source="refused_why")


class WebhookSerializer(serializers.Serializer[Any]):
    """A webhook."""

    id = serializers.UUIDField()
    name = serializers.CharField()
    workflow = serializers.CharField(source="workflow.name")
    action = serializers.ChoiceField(ACTIONS)
    mapping = fields.JsonObject()
    preset = serializers.ChoiceField(tuple(PRESETS), allow_null=True)
    topic_arn = serializers.SerializerMethodField(help_text=_TOPIC)
    url = serializers.SerializerMethodField(help_text="null if the master key is lost.")
    allow_unsigned = serializers.BooleanField()
    enabled = serializers.BooleanField()
    acts_for = serializers.CharField(
        allow_null=True, help_text="Its messages have the rights of this member; null: older than this field."
    )
    last_refusal = serializers.SerializerMethodField(
        help_text=(
            "The last message refused for their rights; null: none in the last 7 days, or one was "
            "accepted since, or somebody took the webhook over."
        )
    )
    secrets = SecretSerializer(many=True, source="secrets.all")
    created_at = serializers.DateTimeField()

    @extend_schema_field(RefusalSerializer(allow_null=True))
    def get_last_refusal(self, webhook: Any) -> dict[str, Any] | None:
        """When a message was refused, and why."""
        return RefusalSerializer(webhook).data if webhook.refused_at else None

    def get_topic_arn(self, webhook: Any) -> str | None:
        """The topic of Amazon SNS."""
        return (webhook.settings or {}).get("topic_arn")

    def get_url(self, webhook: Any) -> str | None:
        """The address that senders are given."""
        return self.context["url_of"](webhook)  # type: ignore[no-any-return]


class WebhookWithSecretSerializer(WebhookSerializer):
    """A webhook and its new secret, which is never shown again."""

    secret = serializers.SerializerMethodField(help_text="null where the sender has made it.")

    def get_secret(self, webhook: Any) -> str | None:
        """As senders are given it, `whsec_…`."""
        return self.context["secret"]  # type: ignore[no-any-return]


class EffectSerializer(serializers.Serializer[Any]):
    """What a message did."""

    at = serializers.DateTimeField()
    action = serializers.ChoiceField(ACTIONS, source="kind")
    run_id = serializers.UUIDField()
    signal = serializers.CharField(allow_null=True, help_text="The name of the signal.")
    brought = serializers.CharField(
        help_text="The input or the payload, as JSON; empty if it is too large for a list."
    )
    truncated = serializers.BooleanField(source="is_cut")


class RefusedMessageSerializer(serializers.Serializer[Any]):
    """Why a message was refused."""

    at = serializers.DateTimeField()
    status = serializers.IntegerField()
    code = serializers.CharField()
    message = serializers.CharField()


class DeliveriesSerializer(serializers.Serializer[Any]):
    """The last messages of a webhook."""

    taken = EffectSerializer(many=True)
    refused = RefusedMessageSerializer(many=True)

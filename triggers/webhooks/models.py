"""Webhooks that come in: their addresses, keys and messages."""

from django.db import models
from django.db.models.functions import Now

from accounts.scoping import TenantOwned
from lib.stored_json import StoredJson
from runs.models.base import HotRow


class InboundWebhook(TenantOwned):
    """An address that others send messages to: each starts a run of the workflow or is a signal to one (R-132).

    The address' token is found by its hash and shown to who may see it from its sealed copy. `acts_for` is the username
    of who made it or last said what it does; null where that was before it was written down. `former_names`: pairs of a
    name and until when it had it, the oldest first. `preset`: the name of its sender in
    `triggers.webhooks.presets`, null for Standard Webhooks; `settings`: those of the preset, secret ones sealed as hex.
    """

    id = models.UUIDField(primary_key=True)
    workflow = models.ForeignKey("workflows.Workflow", on_delete=models.PROTECT, related_name="+")
    name = models.TextField()
    token_sha256 = models.BinaryField(unique=True)
    token_sealed = models.BinaryField()
    action = models.TextField(choices=[(action, action) for action in ("signal", "start")])
    mapping = StoredJson()
    preset = models.TextField(null=True)
    settings = StoredJson(null=True)
    allow_unsigned = models.BooleanField(default=False)
    enabled = models.BooleanField(default=True)
    acts_for = models.TextField(null=True)
    former_names = StoredJson(null=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta(TenantOwned.Meta):
        db_table = "runs_inboundwebhook"
        constraints = [models.UniqueConstraint(fields=["tenant", "name"], name="webhook_name_once")]


class WebhookSecret(TenantOwned):
    """What signs a webhook's messages, sealed; of several the older ones end soon (`expires_at`)."""

    webhook = models.ForeignKey(InboundWebhook, on_delete=models.CASCADE, related_name="secrets")
    number = models.IntegerField()
    sealed = models.BinaryField()
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField(null=True)

    class Meta(TenantOwned.Meta):
        db_table = "runs_webhooksecret"
        constraints = [models.UniqueConstraint(fields=["webhook", "number"], name="webhook_secret_once")]


class WebhookDelivery(HotRow):
    """A message that a webhook has taken: its id, sent again within days with the same body, does nothing.

    Or one that was `refused`, and why, since whoever the webhook acts for may not do that any more: sent again it is
    looked at anew. Of those without an id the last one is kept, with an empty id.
    """

    webhook_id = models.UUIDField()
    message_id = models.TextField()
    body_sha256 = models.BinaryField(null=True)
    received_at = models.DateTimeField(db_default=Now())
    refused = models.TextField(null=True)

    class Meta(HotRow.Meta):
        db_table = "runs_webhookdelivery"
        constraints = [models.UniqueConstraint(fields=["webhook_id", "message_id"], name="delivery_once")]
        indexes = [
            models.Index(fields=["received_at"], name="delivery_age"),
            models.Index(
                fields=["webhook_id", "-received_at"],
                name="delivery_refused",
                condition=models.Q(refused__isnull=False),
            ),
        ]

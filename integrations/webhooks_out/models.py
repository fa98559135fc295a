"""Webhooks that go out: where events are sent, what signs them, and each event that is to be sent."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.functions import RandomUUID
from django.db import models
from django.db.models import Func
from django.db.models.functions import Cast, Now

from accounts.scoping import TenantOwned
from integrations.webhooks_out.limits import PENDING_MESSAGES
from runs.models.base import HotRow

OUTGOING_STATES = ("pending", "delivered", "failed", "dropped")
SWITCHED_OFF = ("by hand", "gone", "failing", "backlog")


class OutgoingWebhook(TenantOwned):
    """An address to which events of runs are sent, of all workflows or of one (docs/webhooks.md).

    `types`: the types of events in history that it is sent, whether chosen or all there are (`all_events`). `failures`
    counts attempts that failed in a row, since `failing_since`; until `paused_until` none is made. `leased_until`: a
    process is at it. `off_reason`, one of SWITCHED_OFF, says why it is not `enabled`; what waited then goes on waiting.
    """

    id = models.UUIDField(primary_key=True)
    url = models.TextField()
    description = models.TextField(blank=True)
    workflow = models.ForeignKey("workflows.Workflow", null=True, on_delete=models.PROTECT, related_name="+")
    all_events = models.BooleanField()
    types = ArrayField(models.TextField())
    enabled = models.BooleanField(default=True)
    off_reason = models.TextField(blank=True, db_default="")
    off_at = models.DateTimeField(null=True)
    made_by = models.TextField()
    failures = models.IntegerField(db_default=0)
    failing_since = models.DateTimeField(null=True)
    paused_until = models.DateTimeField(null=True)
    leased_until = models.DateTimeField(null=True)
    leased_by = models.TextField(null=True)
    served_at = models.DateTimeField(null=True)
    delivered_at = models.DateTimeField(null=True)
    last_error = models.TextField(blank=True, db_default="")
    most_pending = models.IntegerField(db_default=PENDING_MESSAGES)
    created_at = models.DateTimeField(db_default=Now())

    class Meta(TenantOwned.Meta):
        db_table = "runs_outgoingwebhook"
        indexes = [models.Index(fields=["tenant", "-id"], name="outgoing_list")]


class OutgoingSecret(TenantOwned):
    """What signs a webhook's messages, sealed; of several the older ones end soon (`expires_at`)."""

    webhook = models.ForeignKey(OutgoingWebhook, on_delete=models.CASCADE, related_name="secrets")
    number = models.IntegerField()
    sealed = models.BinaryField()
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField(null=True)

    class Meta(TenantOwned.Meta):
        db_table = "runs_outgoingsecret"
        constraints = [models.UniqueConstraint(fields=["webhook", "number"], name="outgoing_secret_once")]


class OutgoingReplay(TenantOwned):
    """Events since a time that are sent to a webhook again, until the row is gone: those of history after `after`.

    It begins when all transactions before `xid` are over; from then on `until` is the last event that it sends.
    """

    webhook = models.OneToOneField(OutgoingWebhook, on_delete=models.CASCADE, related_name="replay")
    since = models.DateTimeField()
    after = models.BigIntegerField()
    until = models.BigIntegerField(null=True)
    xid = models.BigIntegerField(
        db_default=Cast(
            Cast(Func(function="pg_current_xact_id"), models.TextField()), models.BigIntegerField()
        )
    )
    asked_by = models.TextField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta(TenantOwned.Meta):
        db_table = "runs_outgoingreplay"


class OutgoingDelivery(HotRow):
    """An event that is to be sent to a webhook, written by the transaction that wrote the event (`outgoing.sql`).

    The event's id orders what is sent of a run; `message`, which follows from webhook and event, is the id that its
    receiver knows it by, at each attempt. `event_id` is null for a test. It is due at once where `due_at` is null.
    """

    id = models.BigAutoField(primary_key=True)
    webhook_id = models.UUIDField()
    message = models.UUIDField(db_default=RandomUUID())
    run_id = models.UUIDField(null=True)
    event_id = models.BigIntegerField(null=True)
    type = models.TextField()
    state = models.TextField(choices=[(state, state) for state in OUTGOING_STATES], db_default="pending")
    attempts = models.SmallIntegerField(db_default=0)
    due_at = models.DateTimeField(null=True)
    tried_at = models.DateTimeField(null=True)
    status = models.SmallIntegerField(null=True)
    error = models.TextField(blank=True, db_default="")
    took_ms = models.IntegerField(null=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta(HotRow.Meta):
        db_table = "runs_outgoingdelivery"
        indexes = [
            models.Index(fields=["webhook_id", "-id"], name="outgoing_of_webhook"),
            models.Index(
                fields=["webhook_id", "id"], name="outgoing_pending", condition=models.Q(state="pending")
            ),
            models.Index(
                fields=["webhook_id", "run_id", "event_id"],
                name="outgoing_heads",
                condition=models.Q(state="pending"),
            ),
            models.Index(fields=["created_at"], name="outgoing_age"),
        ]
        constraints = [models.UniqueConstraint(fields=["webhook_id", "event_id"], name="outgoing_event_once")]

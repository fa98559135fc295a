"""Alerts: the rules that raise them, what was raised, the channels that tell of it, and each message to one."""

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.functions import RandomUUID
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from accounts.scoping import TenantOwned
from lib.stored_json import StoredJson
from runs.models.base import HotRow

SEVERITIES = ("critical", "warning", "info")
LIVE_TOPIC = "alerts"
"""What `/ws/alerts` is about."""
ALERT_STATUSES = ("open", "acknowledged", "resolved")
CHANNEL_KINDS = ("mail", "slack", "teams", "pagerduty", "webhook")
ADMINS_KINDS = ("webhook_off", "mail_failing", "disk", "outbox", "relay_leader")
"""Kinds of which admins alone see the alerts that are of no workflow: they are about the installation."""
QUEUE_KINDS = ("queue_depth", "queue_age", "worker_gone")
"""Kinds of which the `key` is the name of a queue."""
TOLD_EVENTS = ("raised", "escalated", "resolved", "test")
TOLD_STATES = ("pending", "sent", "failed")


class AlertRule(TenantOwned):
    """When an alert is raised, and who is told (docs/alerts.md). Each tenant has one `built_in` rule of each kind.

    `params` are the thresholds of its kind. Of what is raised again within `cooldown_seconds` nobody is told anew.
    `escalate_minutes` after it was told and nobody acknowledged it, `escalate_channels` are told; null: never.
    """

    kind = models.TextField()
    name = models.TextField()
    built_in = models.BooleanField(db_default=False)
    params = StoredJson(default=dict)
    severity = models.TextField(choices=[(one, one) for one in SEVERITIES])
    cooldown_seconds = models.IntegerField()
    enabled = models.BooleanField(db_default=True)
    muted_until = models.DateTimeField(null=True)
    channels = ArrayField(models.BigIntegerField(), default=list)
    escalate_minutes = models.IntegerField(null=True)
    escalate_channels = ArrayField(models.BigIntegerField(), default=list)
    changed_by = models.TextField(blank=True, db_default="")
    created_at = models.DateTimeField(db_default=Now())

    class Meta(TenantOwned.Meta):
        db_table = "runs_alertrule"
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "kind"], name="alert_rule_built_in_once", condition=Q(built_in=True)
            )
        ]


class AlertChannel(TenantOwned):
    """Where alerts are sent: `sealed` is the address, which may be a secret; `shown` is what people see of it.

    `number` counts the addresses that it has had. `is_default`: new rules notify it.
    """

    kind = models.TextField(choices=[(one, one) for one in CHANNEL_KINDS])
    name = models.TextField()
    number = models.IntegerField(db_default=1)
    sealed = models.BinaryField()
    shown = models.TextField()
    enabled = models.BooleanField(db_default=True)
    is_default = models.BooleanField(db_default=False)
    made_by = models.TextField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta(TenantOwned.Meta):
        db_table = "runs_alertchannel"
        constraints = [models.UniqueConstraint(fields=["tenant", "name"], name="alert_channel_name_once")]


class Alert(TenantOwned):
    """Something that a person must learn of. `key` tells apart what one rule finds; one of them is open at a time.

    `workflow`: whose operators see it; null: of the whole tenant. `told_at`: when its channels were told of it; none is
    before `quiet_until`, nor while it is `muted_until`. `seen` counts the looks that found it.
    """

    rule = models.ForeignKey(AlertRule, on_delete=models.CASCADE, related_name="+", db_index=False)
    kind = models.TextField()
    key = models.TextField()
    status = models.TextField(choices=[(one, one) for one in ALERT_STATUSES], db_default="open")
    severity = models.TextField(choices=[(one, one) for one in SEVERITIES])
    subject = models.TextField()
    message = models.TextField()
    advice = models.TextField(blank=True)
    link = models.TextField(blank=True)
    workflow = models.ForeignKey(
        "workflows.Workflow", null=True, on_delete=models.CASCADE, related_name="+", db_constraint=False
    )
    run_id = models.UUIDField(null=True)
    value = models.FloatField(null=True)
    seen = models.IntegerField(db_default=1)
    first_seen_at = models.DateTimeField(db_default=Now())
    last_seen_at = models.DateTimeField(db_default=Now())
    quiet_until = models.DateTimeField(null=True)
    muted_until = models.DateTimeField(null=True)
    told_at = models.DateTimeField(null=True)
    escalated_at = models.DateTimeField(null=True)
    acknowledged_at = models.DateTimeField(null=True)
    acknowledged_by = models.TextField(blank=True, db_default="")
    note = models.TextField(blank=True, db_default="")
    resolved_at = models.DateTimeField(null=True)
    resolved_by = models.TextField(blank=True, db_default="")

    class Meta(TenantOwned.Meta):
        db_table = "runs_alert"
        constraints = [
            models.UniqueConstraint(
                fields=["rule", "key"], name="alert_open_once", condition=~Q(status="resolved")
            )
        ]
        indexes = [
            models.Index(fields=["tenant", "status", "-id"], name="alert_list"),
            models.Index(fields=["rule", "key", "-id"], name="alert_of_key"),
            models.Index(fields=["resolved_at"], name="alert_age", condition=Q(status="resolved")),
        ]


class AlertDelivery(HotRow):
    """A message to a channel, written with what it tells of. Until `due_at` nobody tries; `message` is what its
    receiver knows it by, at each attempt. A test is of no alert.
    """

    alert_id = models.BigIntegerField(null=True)
    channel_id = models.BigIntegerField()
    message = models.UUIDField(db_default=RandomUUID())
    event = models.TextField(choices=[(one, one) for one in TOLD_EVENTS])
    state = models.TextField(choices=[(one, one) for one in TOLD_STATES], db_default="pending")
    attempts = models.SmallIntegerField(db_default=0)
    due_at = models.DateTimeField(db_default=Now())
    sent_at = models.DateTimeField(null=True)
    error = models.TextField(blank=True, db_default="")
    created_at = models.DateTimeField(db_default=Now())

    class Meta(HotRow.Meta):
        db_table = "runs_alertdelivery"
        constraints = [
            models.UniqueConstraint(
                fields=["alert_id", "channel_id", "event"],
                name="alert_told_once",
                condition=Q(alert_id__isnull=False),
            )
        ]
        indexes = [
            models.Index(fields=["due_at", "id"], name="alert_delivery_due", condition=Q(state="pending")),
            models.Index(fields=["channel_id", "-id"], name="alert_delivery_of_channel"),
            models.Index(fields=["created_at"], name="alert_delivery_age"),
        ]

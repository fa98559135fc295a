"""The durable state of runs. Hot tables: UUIDv7 keys made by us, no database foreign keys among them (the run lock of
advance stands for those), `tenant`, `run` and `shard` on every row, few indexes. Behaviour lives elsewhere."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from accounts.scoping import TenantOwned
from engine.statuses import RUN_ENDED, RunStatus, StepStatus
from lib.stored_json import StoredJson
from runs.models.base import HotRow
from runs.models.workers import Duty, DutyCursor, QueuePoll, Repair, Worker

# The tables of this package are one app's, whichever file says them.
__all__ = ["Duty", "DutyCursor", "HotRow", "QueuePoll", "Repair", "Worker"]

RUN_STATUSES = [(status.value, status.value) for status in RunStatus]
STEP_STATUSES = [(status.value, status.value) for status in StepStatus]
UNSEALED = Q(completed_at__isnull=False, sealed_life__lt=F("life"))


class Run(HotRow):
    """One execution of one version. `life` counts reopenings, `root` is the first run of a chain.

    `undo`: what was done is compensated when the run has closed; `cancelled`: it closed because somebody cancelled it.
    `sealed_life`: the last life of which history has a seal. `is_test`: it tries a definition out, and is in no list.
    """

    id = models.UUIDField(primary_key=True)
    workflow_id = models.BigIntegerField()
    version = models.ForeignKey(
        "workflows.WorkflowVersion", models.PROTECT, db_constraint=False, related_name="+", db_index=False
    )
    shard = models.SmallIntegerField()
    business_key = models.TextField(null=True)
    status = models.TextField(choices=RUN_STATUSES, db_default=RunStatus.RUNNING)
    life = models.IntegerField(db_default=1)
    sealed_life = models.IntegerField(db_default=0)
    priority = models.SmallIntegerField(default=0)
    input = StoredJson()
    output = StoredJson(null=True)
    error = StoredJson(null=True)
    open_sinks = models.IntegerField()
    undo = models.BooleanField(db_default=False)
    cancelled = models.BooleanField(db_default=False)
    is_test = models.BooleanField(db_default=False)
    sla_deadline = models.DateTimeField(null=True)
    sla_look_at = models.DateTimeField(null=True)
    root_id = models.UUIDField()
    parent_step_id = models.UUIDField(null=True)
    rerun_of = models.UUIDField(null=True)
    created_by = models.TextField()
    created_at = models.DateTimeField(db_default=Now())
    completed_at = models.DateTimeField(null=True)

    class Meta(HotRow.Meta):
        constraints = [
            models.CheckConstraint(
                name="run_completed_at_iff_ended",
                condition=Q(status__in=sorted(RUN_ENDED)) ^ Q(completed_at__isnull=True),
            ),
        ]
        indexes = [
            models.Index(fields=["tenant_id", "-id"], name="run_list"),
            models.Index(fields=["workflow_id", "-id"], name="run_of_workflow"),
            models.Index(
                # With the id, so that a part of a key is found without reading the runs.
                fields=["tenant_id", "business_key", "id"],
                name="run_business_key",
                condition=Q(business_key__isnull=False),
            ),
            models.Index(
                fields=["tenant_id", "status", "-id"],
                name="run_not_completed",
                condition=~Q(status=RunStatus.COMPLETED),
            ),
            models.Index(fields=["sla_look_at"], name="run_sla_due", condition=Q(sla_look_at__isnull=False)),
            models.Index(fields=["tenant_id", "-id"], name="run_tests", condition=Q(is_test=True)),
            models.Index(fields=["id"], name="run_open", condition=Q(completed_at__isnull=True)),
            models.Index(fields=["completed_at", "id"], name="run_unsealed", condition=UNSEALED),
        ]


class RunKey(HotRow):
    """The idempotent start: which run a business key of a workflow stands for (R-034, H-12, C-20)."""

    workflow_id = models.BigIntegerField()
    business_key = models.TextField()
    run_id = models.UUIDField()
    generation = models.IntegerField(db_default=0)

    class Meta(HotRow.Meta):
        constraints = [
            models.UniqueConstraint(fields=["tenant_id", "workflow_id", "business_key"], name="run_key_once")
        ]


class StepExecution(HotRow):
    """One node's execution in a run (one per item of a map: `index`). `epoch` fences, `attempt` is the budget."""

    id = models.UUIDField(primary_key=True)
    run_id = models.UUIDField()
    version_id = models.BigIntegerField()
    shard = models.SmallIntegerField()
    node = models.TextField()
    index = models.IntegerField(null=True)
    type = models.TextField()
    queue = models.TextField()
    priority = models.SmallIntegerField(default=0)
    status = models.TextField(choices=STEP_STATUSES)
    held = models.BooleanField(db_default=False)
    solo = models.BooleanField(db_default=False)
    attempt = models.IntegerField(db_default=0)
    epoch = models.IntegerField(db_default=0)
    available_at = models.DateTimeField(db_default=Now())
    worker = models.TextField(null=True)
    lease_seconds = models.IntegerField()
    timeout_seconds = models.IntegerField(null=True)
    lease_expires_at = models.DateTimeField(null=True)
    hard_deadline = models.DateTimeField(null=True)
    lease_token_hash = models.BinaryField(null=True)
    progress = StoredJson(null=True)
    input = StoredJson(null=True)
    input_from = models.UUIDField(null=True)
    output = StoredJson(null=True)
    error = StoredJson(null=True)
    waiting = StoredJson(null=True)
    fired = ArrayField(models.TextField(), null=True)
    cancel_cause = models.TextField(null=True)
    edges_pending = models.BooleanField(db_default=False)
    kept_from = models.UUIDField(null=True)
    queued_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True)
    completed_at = models.DateTimeField(null=True)

    class Meta(HotRow.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["run_id", "node", "index"], name="step_once_per_run", nulls_distinct=False
            ),
            models.CheckConstraint(
                name="step_leased_while_running",
                condition=~Q(status=StepStatus.RUNNING)
                | Q(worker__isnull=False, lease_expires_at__isnull=False),
            ),
        ]
        indexes = [
            # `-priority`: higher goes first. The claim walks exactly this order.
            models.Index(
                fields=["queue", "tenant_id", "-priority", "available_at", "id"],
                name="step_ready",
                condition=Q(status=StepStatus.QUEUED, held=False),
            ),
            models.Index(
                fields=["queue", "available_at"],
                name="step_ready_alone",
                condition=Q(status=StepStatus.QUEUED, held=False, solo=True),
            ),
            models.Index(
                fields=["tenant_id", "run_id"], name="step_waiting", condition=Q(status=StepStatus.WAITING)
            ),
            # Nothing on the lease: heartbeats must stay heap-only updates.
            models.Index(fields=["worker"], name="step_running", condition=Q(status=StepStatus.RUNNING)),
        ]


class Timer(HotRow):
    """A moment at which a step goes on, times out, or takes its boundary edge to `target` (R-118).

    Kept with the step: whoever ends the step, or its waiting, settles its timers in the same transaction.
    """

    id = models.UUIDField(primary_key=True)
    run_id = models.UUIDField()
    shard = models.SmallIntegerField()
    step_id = models.UUIDField()
    node = models.TextField()
    kind = models.TextField(choices=[(kind, kind) for kind in ("wait", "timeout", "boundary")])
    target = models.TextField(null=True)
    interrupting = models.BooleanField(db_default=False)
    fire_at = models.DateTimeField()
    status = models.TextField(
        choices=[(status, status) for status in ("PENDING", "FIRED", "CANCELLED")], db_default="PENDING"
    )
    settled_at = models.DateTimeField(null=True)

    class Meta(HotRow.Meta):
        indexes = [
            models.Index(fields=["fire_at"], name="timer_due", condition=Q(status="PENDING")),
            models.Index(fields=["run_id"], name="timer_of_run", condition=Q(status="PENDING")),
        ]


class Signal(HotRow):
    """A message to a run (its whole chain: `root`), kept until a step waits for it (R-127, R-129, R-130)."""

    id = models.UUIDField(primary_key=True)
    root_id = models.UUIDField()
    run_id = models.UUIDField()
    shard = models.SmallIntegerField()
    signal_id = models.TextField()
    name = models.TextField()
    payload = StoredJson(null=True)
    sent_by = models.TextField()
    created_at = models.DateTimeField(db_default=Now())
    consumed_at = models.DateTimeField(null=True)
    step_id = models.UUIDField(null=True)

    class Meta(HotRow.Meta):
        constraints = [models.UniqueConstraint(fields=["root_id", "signal_id"], name="signal_once_per_chain")]
        indexes = [
            models.Index(
                fields=["root_id", "name", "id"], name="signal_unread", condition=Q(consumed_at__isnull=True)
            )
        ]


class StepJoin(HotRow):
    """What a join of a run has counted: the sources that arrived and those taken, in order of arrival."""

    run_id = models.UUIDField()
    shard = models.SmallIntegerField()
    node = models.TextField()
    arrived = models.IntegerField(default=0)
    taken = ArrayField(models.TextField(), default=list)
    failed = models.IntegerField(db_default=0)
    fired = models.BooleanField(db_default=False)

    class Meta(HotRow.Meta):
        constraints = [models.UniqueConstraint(fields=["run_id", "node"], name="join_once_per_run")]


class HistoryEvent(HotRow):
    """What happened to a run, append-only; `ordinal` orders what one cause wrote, `xid` says when it is visible."""

    id = models.BigAutoField(primary_key=True)
    run_id = models.UUIDField()
    shard = models.SmallIntegerField()
    ordinal = models.SmallIntegerField(db_default=0)
    type = models.TextField()
    node = models.TextField(null=True)
    attempt = models.IntegerField(null=True)
    xid = models.BigIntegerField()
    payload = StoredJson(default=dict)
    created_at = models.DateTimeField(db_default=Now())

    class Meta(HotRow.Meta):
        indexes = [models.Index(fields=["run_id", "id"], name="history_of_run")]


class RunSeal(HotRow):
    """What history was when a life of a run ended: so many events up to `last_event`, and the digest of their chain."""

    run_id = models.UUIDField()
    shard = models.SmallIntegerField()
    life = models.IntegerField()
    events = models.IntegerField()
    last_event = models.BigIntegerField()
    digest = models.BinaryField()
    sealed_at = models.DateTimeField(db_default=Now())

    class Meta(HotRow.Meta):
        constraints = [models.UniqueConstraint(fields=["run_id", "life"], name="seal_once_per_life")]


class DeadLetter(HotRow):
    """A step that failed its run for good, until somebody redrives or discards it (R-085)."""

    id = models.UUIDField(primary_key=True)
    run_id = models.UUIDField()
    step_id = models.UUIDField()
    node = models.TextField()
    error = StoredJson()
    attempts = models.IntegerField()
    resolution = models.TextField(null=True)
    reason = models.TextField(null=True)
    resolved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    resolved_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta(HotRow.Meta):
        indexes = [
            models.Index(fields=["tenant_id", "-id"], name="dead_letter_list"),
            models.Index(fields=["run_id"], name="dead_letter_of_run"),
        ]


class InboundWebhook(TenantOwned):
    """An address that others send messages to: each starts a run of the workflow or is a signal to one (R-132).

    The address' token is found by its hash and shown to who may see it from its sealed copy.
    """

    id = models.UUIDField(primary_key=True)
    workflow = models.ForeignKey("workflows.Workflow", on_delete=models.PROTECT, related_name="+")
    name = models.TextField()
    token_sha256 = models.BinaryField(unique=True)
    token_sealed = models.BinaryField()
    action = models.TextField(choices=[(action, action) for action in ("signal", "start")])
    mapping = StoredJson()
    allow_unsigned = models.BooleanField(default=False)
    enabled = models.BooleanField(default=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta(TenantOwned.Meta):
        constraints = [models.UniqueConstraint(fields=["tenant", "name"], name="webhook_name_once")]


class WebhookSecret(TenantOwned):
    """What signs a webhook's messages, sealed; of several the older ones end soon (`expires_at`)."""

    webhook = models.ForeignKey(InboundWebhook, on_delete=models.CASCADE, related_name="secrets")
    number = models.IntegerField()
    sealed = models.BinaryField()
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField(null=True)

    class Meta(TenantOwned.Meta):
        constraints = [models.UniqueConstraint(fields=["webhook", "number"], name="webhook_secret_once")]


class WebhookDelivery(HotRow):
    """A message that a webhook has taken: its id, sent again within days with the same body, does nothing."""

    webhook_id = models.UUIDField()
    message_id = models.TextField()
    body_sha256 = models.BinaryField(null=True)
    received_at = models.DateTimeField(db_default=Now())

    class Meta(HotRow.Meta):
        constraints = [models.UniqueConstraint(fields=["webhook_id", "message_id"], name="delivery_once")]
        indexes = [models.Index(fields=["received_at"], name="delivery_age")]

"""Steps of runs, and the joins that count the edges into them."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.fields.json import KT
from django.db.models.functions import Now

from engine.statuses import StepStatus
from lib.stored_json import StoredJson
from runs.models.base import HotRow

STEP_STATUSES = [(status.value, status.value) for status in StepStatus]


class StepExecution(HotRow):
    """One node's execution in a run (one per item of a map: `index`). `epoch` fences, `attempt` is the budget,
    `revision` counts how often a person has given it another input.

    `undoes`: the node whose effect this step undoes.
    """

    id = models.UUIDField(primary_key=True)
    run_id = models.UUIDField()
    version_id = models.BigIntegerField()
    shard = models.SmallIntegerField()
    node = models.TextField()
    undoes = models.TextField(null=True)
    index = models.IntegerField(null=True)
    type = models.TextField()
    queue = models.TextField()
    priority = models.SmallIntegerField(default=0)
    status = models.TextField(choices=STEP_STATUSES)
    held = models.BooleanField(db_default=False)
    solo = models.BooleanField(db_default=False)
    attempt = models.IntegerField(db_default=0)
    epoch = models.IntegerField(db_default=0)
    revision = models.SmallIntegerField(db_default=0)
    available_at = models.DateTimeField(db_default=Now())
    worker = models.TextField(null=True)
    lease_seconds = models.IntegerField()
    timeout_seconds = models.IntegerField(null=True)
    lease_expires_at = models.DateTimeField(null=True)
    # When its holder said last that it is at it; none where it has said so of this attempt no time yet.
    heartbeat_at = models.DateTimeField(null=True)
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
            # The open waits for a signal in child runs, by tree and name, the oldest first. `waiting` names the tree of
            # a child run's wait only, so waits of other runs are not in it.
            models.Index(
                KT("waiting__tree"),
                KT("waiting__name"),
                "id",
                name="step_signal_of_tree",
                condition=Q(status=StepStatus.WAITING, waiting__has_key="tree"),
            ),
            # Nothing on the lease: heartbeats must stay heap-only updates.
            models.Index(fields=["worker"], name="step_running", condition=Q(status=StepStatus.RUNNING)),
        ]


class StepJoin(HotRow):
    """What a join of a run has counted: the sources that arrived and those taken, in order of arrival."""

    run_id = models.UUIDField()
    shard = models.SmallIntegerField()
    node = models.TextField()
    arrived = models.IntegerField(default=0)
    taken = ArrayField(models.TextField(), default=list)
    fired = models.BooleanField(db_default=False)

    class Meta(HotRow.Meta):
        constraints = [models.UniqueConstraint(fields=["run_id", "node"], name="join_once_per_run")]


class RunVariable(HotRow):
    """What a step has set of its run's variables; of those of a name the one with the highest `place` counts.

    `index`: which child of a container did so last. `beside`: steps that had set it and don't come before this one.
    """

    run_id = models.UUIDField()
    shard = models.SmallIntegerField()
    node = models.TextField()
    name = models.TextField()
    value = StoredJson()
    index = models.IntegerField(null=True)
    place = models.IntegerField()
    beside = ArrayField(models.TextField(), default=list)
    set_at = models.DateTimeField(db_default=Now())

    class Meta(HotRow.Meta):
        constraints = [
            models.UniqueConstraint(fields=["run_id", "name", "node"], name="variable_once_per_step")
        ]


class Container(HotRow):
    """What a container has counted of its children: those it has begun (`opened`), that are over, and that failed.

    `items`: what each child is given; `next`: the place of the first item that was not looked at. `first`:
    which round the first one is here, of a loop whose run goes on for another one.
    """

    run_id = models.UUIDField()
    shard = models.SmallIntegerField()
    node = models.TextField()
    items = StoredJson()
    total = models.IntegerField()
    at_once = models.IntegerField()
    tolerated = models.IntegerField()
    next = models.IntegerField(db_default=0)
    opened = models.IntegerField(db_default=0)
    ended = models.IntegerField(db_default=0)
    failed = models.IntegerField(db_default=0)
    first = models.IntegerField(db_default=0)

    class Meta(HotRow.Meta):
        constraints = [models.UniqueConstraint(fields=["run_id", "node"], name="container_once_per_run")]


class StepLog(HotRow):
    """A line that an attempt at a step has said, the `seq`-th of it; `more`: so many behind those were not kept.

    A line stays where its step is done anew, which may be another row.
    """

    run_id = models.UUIDField()
    shard = models.SmallIntegerField()
    step_id = models.UUIDField()
    node = models.TextField()
    index = models.IntegerField(null=True)
    epoch = models.IntegerField()
    attempt = models.IntegerField()
    seq = models.IntegerField()
    at = models.DateTimeField()
    level = models.TextField()
    text = models.TextField()
    more = models.IntegerField(null=True)

    class Meta(HotRow.Meta):
        constraints = [
            # What is said again is kept once: a word that is repeated, a batch that is tried again.
            models.UniqueConstraint(fields=["step_id", "epoch", "seq"], name="log_line_once"),
        ]
        indexes = [models.Index(fields=["run_id", "node", "id"], name="log_of_step")]

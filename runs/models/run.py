"""Runs, and the business keys that stand for them."""

from django.db import models
from django.db.models import F, Func, Q
from django.db.models.functions import Coalesce, Now

from engine.statuses import RUN_ENDED, RunStatus
from lib.stored_json import StoredJson
from runs.models.base import HotRow

RUN_STATUSES = [(status.value, status.value) for status in RunStatus]


class StartedFrom(models.TextChoices):
    """What started a run."""

    PAGE = "page", "Page"
    REST = "rest", "REST API"
    SDK = "sdk", "SDK"
    GRPC = "grpc", "gRPC"
    ORCHESTRATION = "orchestration", "Orchestration API"
    ROCHALLOR = "rochallor", "rochallor API"
    COMMAND = "command", "Command line"
    WEBHOOK = "webhook", "Webhook"
    SCHEDULE = "schedule", "Schedule"
    PARENT = "parent", "Parent run"
    PREVIOUS = "previous", "Previous run"
    RERUN = "rerun", "Rerun"
    TEST = "test", "Test"


UNSEALED = Q(completed_at__isnull=False, sealed_life__lt=F("life"))


class Run(HotRow):
    """One execution of one version. `life` counts reopenings, `root` is the first run of a chain.

    `tree_id`: of a child run, the root of its tree: the topmost run, which is nobody's child (of a chain, the first).
    NULL of a run that is no child; the tree of any run is `coalesce(tree_id, root_id)`. `place`: the steps that lead
    from the root down to a child, each as `[node, index]`; the index is null where the step is no item.
    `parent`: the run of which it is a part, begun by its step `parent_step`, `depth` levels down; `follows`: the run
    behind which it was started, as its workflow's `next_workflow`, the `chained`-th in a row (a child: as its parent).
    `counted_in`: of a run that follows another one, and of all that it starts, the tree whose `TreeCount` counts them;
    NULL: their own.

    `undo`: what was done is compensated when the run has closed; `cancelled`: it closed because somebody cancelled it.
    `sealed_life`: the last life of which history has a seal. `is_test`: it tries a definition out, and is in no list.
    `sla_counts`: in words how its deadline was counted, where not all hours count; `sla_calendar`: by which revision of
    which calendar. It has stood still since `sla_paused_at`, while `sla_kept_look_at` is kept, and before for
    `sla_paused_seconds`. `sla_counted_at`: up to when its waits are in these, where they don't count (NULL: none are).
    `traceparent`, `tracestate`: the trace of whoever had it started, as they said it (W3C Trace Context);
    where nobody did, it begins one of its own id (`runs.store.traces`).
    `is_part`: it is what a container does for one of its items, and is in no list either.
    `changed_at`: when a person has last changed what it does.
    `acts_for`: the member for whom it acts (docs/security.md, "Child runs"), where that is not `created_by`.
    `started_from`: NULL of runs from before this was recorded. A run that continues another one has that one's.
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
    is_part = models.BooleanField(db_default=False)
    sla_deadline = models.DateTimeField(null=True)
    sla_look_at = models.DateTimeField(null=True)
    sla_counts = models.TextField(null=True)
    sla_calendar = StoredJson(null=True)
    sla_paused_at = models.DateTimeField(null=True)
    sla_kept_look_at = models.DateTimeField(null=True)
    sla_paused_seconds = models.FloatField(db_default=0)
    sla_counted_at = models.DateTimeField(null=True)
    traceparent = models.TextField(null=True)
    tracestate = models.TextField(null=True)
    root_id = models.UUIDField()
    tree_id = models.UUIDField(null=True)
    place = StoredJson(null=True)
    parent_id = models.UUIDField(null=True)
    parent_step_id = models.UUIDField(null=True)
    depth = models.SmallIntegerField(db_default=0)
    counted_in = models.UUIDField(null=True)
    follows = models.UUIDField(null=True)
    chained = models.SmallIntegerField(db_default=0)
    rerun_of = models.UUIDField(null=True)
    changed_at = models.DateTimeField(null=True)
    created_by = models.TextField()
    acts_for = models.TextField(null=True)
    started_from = models.TextField(null=True, choices=StartedFrom.choices)
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
            # What one person, token or webhook has started. Parts of other runs are in no list.
            models.Index(
                fields=["tenant_id", "created_by", "id"], name="run_starter", condition=Q(is_part=False)
            ),
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
            models.Index(
                fields=["parent_id", "parent_step_id", "id"],
                name="run_children",
                condition=Q(parent_id__isnull=False),
            ),
            models.Index(
                F("parent_id"),
                Func(F("place"), template="(%(expressions)s -> -1)"),
                name="run_child_places",
                condition=Q(parent_id__isnull=False),
            ),
            # Those that are open, or may be resumed in place.
            models.Index(
                fields=["parent_id"],
                name="run_unfinished_children",
                condition=Q(parent_id__isnull=False) & ~Q(status=RunStatus.COMPLETED),
            ),
            models.Index(fields=["tree_id", "id"], name="run_of_tree", condition=Q(tree_id__isnull=False)),
            models.Index(
                fields=["tree_id"],
                name="run_open_in_tree",
                condition=Q(tree_id__isnull=False, is_part=False, completed_at__isnull=True),
            ),
            models.Index(
                Coalesce("tree_id", "root_id"),
                name="run_changed_in_tree",
                condition=Q(changed_at__isnull=False),
            ),
            models.Index(fields=["follows"], name="run_followers", condition=Q(follows__isnull=False)),
            models.Index(fields=["root_id", "id"], name="run_of_chain", condition=~Q(root_id=F("id"))),
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


class TreeCount(HotRow):
    """How many runs a tree has started: `runs` in one of its slots, so that those who start them seldom wait for one
    another. Only starts change it.
    """

    tree_id = models.UUIDField()
    slot = models.SmallIntegerField()
    runs = models.IntegerField()

    class Meta(HotRow.Meta):
        constraints = [models.UniqueConstraint(fields=["tree_id", "slot"], name="tree_count_once")]

"""Tasks: what a person is asked, by whose marks it is found, and what they note of it for themselves.

A task belongs to a waiting step; the run is locked before it (docs/engine.md, "Lock order").
"""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any, cast

from django.contrib.postgres.fields import ArrayField
from django.contrib.postgres.indexes import GinIndex
from django.db import models
from django.db.models import F, Func, Q, Value
from django.db.models.functions import Coalesce, Now
from django.utils.functional import cached_property

from lib.stored_json import StoredJson
from runs.models import HotRow
from workflows.models import Workflow

OPEN = "OPEN"
COMPLETED = "COMPLETED"
CANCELLED = "CANCELLED"
STATUSES = (OPEN, COMPLETED, CANCELLED)
COMPENSATION = "compensation"
INCIDENT = "incident"
FOR_OPERATORS = (COMPENSATION, INCIDENT)
"""Kinds of tasks that are no steps' questions: operators and admins settle them."""
KINDS = ("approval", "form", *FOR_OPERATORS)
APPROVE, REJECT, NEUTRAL = "approve", "reject", "neutral"
MEANINGS = (APPROVE, REJECT, NEUTRAL)
"""What an outcome may say to whoever asked (`steps.asking.Choice`)."""
_REFUSALS = ("reject", "refus", "declin", "den")
NEVER = datetime(9999, 1, 1, tzinfo=UTC)
"""When a task is due that has no deadline: lists are ordered by it."""
RETURNED = "@returned"
"""What stands for an outcome where somebody returned a task for changes: no outcome can be called so."""


def label_of(outcomes: Iterable[Mapping[str, Any]], name: str | None) -> str | None:
    """What stands on the button of an outcome; its name where the task has no such one."""
    usual = "Return for changes" if name == RETURNED else name
    return next((one["label"] for one in outcomes if one["name"] == name), usual)


def meaning_of(outcomes: Iterable[Mapping[str, Any]], name: str | None) -> str:
    """What an outcome says to whoever asked: `approve`, `reject` or `neutral`; by its name where nobody said."""
    meaning = next((one.get("meaning") for one in outcomes if one["name"] == name), None)
    if name == RETURNED:
        return NEUTRAL
    return meaning or (REJECT if (name or "").lower().startswith(_REFUSALS) else APPROVE)


class ManualTask(HotRow):
    """What a person is asked for a step: to decide, to fill in a form, or what is to become of a compensation that
    failed (R-142, R-143, R-136).

    `audience` are the marks of those who may decide and `exclude` the names of those who may not, both as
    `policies` writes them; `why_excluded` says why four eyes bar a name, `bars_deciders` that who decides another
    task of the run is barred then. `candidates` is what the author wrote, for showing. `quorum` says how many
    decide (null: one), `voted` which names have in this `round`, `proxies` who of them has handed their vote to whom
    (rows of `by` and `to`, and of their keys). `delegated_by` is whose the task was before it was
    handed to its assignee, however often it was handed on; `decided_for` on whose behalf it was decided. `clock`
    are the moments to come (reminders, escalations, an outcome), in seconds after `clock_from`, the first of them
    at `next_at`; it stands still since `stopped_at` while somebody's question to `asked_of`, who started the run, is
    open, or while it is with `returned_to` for changes. `earlier` are the rounds before this one, each with the facts
    that it was about. `named`: where all or a share of those asked decide, everybody who was (`electors.named_by`).
    `title_parts` and `texts` (`steps.human_texts`): the texts that read typed values or facts, for each reader anew.
    `covers`: its decision covers what steps after it do, or it asks once more about a step that is withheld.
    `undecidable_since`: when it was found that nobody, or not enough, can decide it.

    The database itself keeps `due` and `unimportance`, by which lists are ordered, and `told`: the single values of its
    facts (by label, as `amount_in_eur`) and of what was filled in, by which they are searched and sorted.
    """

    id = models.UUIDField(primary_key=True)
    shard = models.SmallIntegerField()
    workflow_id = models.BigIntegerField()
    run_id = models.UUIDField()
    step_id = models.UUIDField()
    node = models.TextField()
    kind = models.TextField(choices=[(kind, kind) for kind in KINDS])
    title = models.TextField()
    instructions = models.TextField(db_default="")
    facts = StoredJson(default=list)
    outcomes = StoredJson()
    form = StoredJson(null=True)
    candidates = StoredJson(default=dict)
    audience = ArrayField(models.TextField())
    exclude = ArrayField(models.TextField(), default=list)
    assignee = models.TextField(null=True)
    delegated_by = models.TextField(null=True)
    quorum = StoredJson(null=True)
    round = models.SmallIntegerField(db_default=1)
    title_parts = StoredJson(null=True)
    texts = StoredJson(null=True)
    earlier = StoredJson(default=list, db_default=models.Value([], models.JSONField()))
    returned_to = models.TextField(null=True)
    voted = ArrayField(models.TextField(), default=list, db_default=[])
    proxies = StoredJson(default=list, db_default=models.Value([], models.JSONField()))
    why_excluded = StoredJson(null=True)
    bars_deciders = models.BooleanField(db_default=False)
    covers = models.BooleanField(db_default=False)
    status = models.TextField(choices=[(status, status) for status in STATUSES], db_default=OPEN)
    priority = models.SmallIntegerField(db_default=0)
    due_at = models.DateTimeField(null=True)
    clock = StoredJson(null=True)
    clock_from = models.DateTimeField(db_default=Now())
    next_at = models.DateTimeField(null=True)
    stopped_at = models.DateTimeField(null=True)
    stopped_by = models.TextField(null=True)
    asked_of = models.TextField(null=True)
    undo_seconds = models.SmallIntegerField(null=True)
    outcome = models.TextField(null=True)
    data = StoredJson(null=True)
    comment = models.TextField(db_default="")
    decided_by = models.TextField(null=True)
    decided_for = models.TextField(null=True)
    decided_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(db_default=Now())
    is_test = models.BooleanField(db_default=False)
    named = StoredJson(null=True)
    undecidable_since = models.DateTimeField(null=True)
    due = models.GeneratedField(
        expression=Coalesce("due_at", Value(NEVER)), output_field=models.DateTimeField(), db_persist=True
    )
    unimportance = models.GeneratedField(
        expression=Value(0) - F("priority"), output_field=models.SmallIntegerField(), db_persist=True
    )
    told = models.GeneratedField(
        expression=Func("facts", "data", function="tasks_inbox_told"),
        output_field=models.JSONField(),
        db_persist=True,
    )

    @cached_property
    def folder(self) -> int | None:
        """The folder of its workflow: asked for once, where it was not read with the task (`queries.placed`)."""
        if "of_folder" in vars(self):
            return cast("int | None", vars(self)["of_folder"])
        rows = Workflow.objects.for_tenant(self.tenant_id).filter(pk=self.workflow_id)
        return rows.values_list("folder_id", flat=True).first()

    class Meta(HotRow.Meta):
        constraints = [
            models.UniqueConstraint(fields=["step_id"], name="task_open_once", condition=Q(status=OPEN)),
            models.CheckConstraint(
                name="task_decided_iff_completed",
                condition=Q(
                    status=COMPLETED,
                    outcome__isnull=False,
                    decided_by__isnull=False,
                    decided_at__isnull=False,
                )
                | Q(
                    ~Q(status=COMPLETED),
                    outcome__isnull=True,
                    decided_by__isnull=True,
                    decided_at__isnull=True,
                ),
            ),
            models.CheckConstraint(
                name="task_delegated_to_somebody",
                condition=Q(delegated_by__isnull=True) | Q(assignee__isnull=False),
            ),
        ]
        indexes = [
            models.Index(fields=["tenant_id", "-id"], name="task_open", condition=Q(status=OPEN)),
            models.Index(fields=["tenant_id", "-id"], name="task_list"),
            models.Index(
                fields=["tenant_id", "assignee", "due", "unimportance", "id"],
                name="task_mine",
                condition=Q(status=OPEN, assignee__isnull=False),
            ),
            models.Index(
                fields=["tenant_id", "delegated_by", "due", "unimportance", "id"],
                name="task_delegated",
                condition=Q(status=OPEN, delegated_by__isnull=False),
            ),
            models.Index(
                fields=["tenant_id", "returned_to"],
                name="task_returned",
                condition=Q(status=OPEN, returned_to__isnull=False),
            ),
            models.Index(
                fields=["tenant_id", "asked_of"],
                name="task_questions",
                condition=Q(status=OPEN, asked_of__isnull=False),
            ),
            models.Index(
                fields=["tenant_id", "decided_by", "-id"], name="task_decided", condition=Q(status=COMPLETED)
            ),
            models.Index(fields=["run_id"], name="task_of_run"),
            models.Index(
                fields=["tenant_id"], name="task_incidents", condition=Q(status=OPEN, kind=INCIDENT)
            ),
            models.Index(
                fields=["tenant_id", "-id"],
                name="task_undecidable",
                condition=Q(status=OPEN, undecidable_since__isnull=False),
            ),
            models.Index(
                fields=["tenant_id"], name="task_proxies", condition=Q(status=OPEN) & ~Q(proxies=[])
            ),
            models.Index(
                fields=["next_at"], name="task_clock", condition=Q(status=OPEN, next_at__isnull=False)
            ),
            # Of many open tasks those for one person are found without reading the others.
            GinIndex(fields=["audience"], name="task_audience", condition=Q(status=OPEN)),
            GinIndex(fields=["voted"], name="task_voted", condition=~Q(voted=[])),
            GinIndex(fields=["told"], name="task_told", opclasses=["jsonb_path_ops"]),
            # Words of titles: every three letters that stand beside each other.
            GinIndex(Func("title", function="tasks_inbox_letters"), name="task_title"),
        ]


class TaskMark(HotRow):
    """One of the marks that an open task asks while nobody has it, in the order of lists; the database keeps these rows
    itself (a trigger). A list reads its first rows for each mark of who asks, however many tasks there are.
    """

    pk = models.CompositePrimaryKey("tenant_id", "mark", "task_id")
    mark = models.TextField()
    task = models.ForeignKey(
        ManualTask, models.DO_NOTHING, related_name="marks", db_constraint=False, db_index=False
    )
    due = models.DateTimeField()
    unimportance = models.SmallIntegerField()
    barred = ArrayField(models.TextField())
    told = models.JSONField()

    class Meta(HotRow.Meta):
        indexes = [
            models.Index(fields=["tenant_id", "mark", "due", "unimportance", "task"], name="task_mark_order"),
        ]


class TaskNote(HotRow):
    """What one person notes of a task for themselves: until when they don't want to see it, whether they watch it."""

    id = models.UUIDField(primary_key=True)
    task_id = models.UUIDField()
    username = models.TextField()
    snoozed_until = models.DateTimeField(null=True)
    watching = models.BooleanField(db_default=False)

    class Meta(HotRow.Meta):
        constraints = [
            models.UniqueConstraint(fields=["task_id", "username"], name="task_note_once_each"),
        ]
        indexes = [models.Index(fields=["tenant_id", "username"], name="task_notes_of")]

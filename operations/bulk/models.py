"""What is done with many runs, dead letters or tasks in the background, and the result for each."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from accounts.scoping import TenantOwned
from lib.stored_json import StoredJson
from runs.models.base import HotRow

PENDING, ABLE, MOVED, DONE, REFUSED, ENDED = "pending", "able", "moved", "done", "refused", "ended"
STOPPED = "stopped"
BULK_RESULTS = (PENDING, ABLE, MOVED, DONE, REFUSED, ENDED, STOPPED)
RUNS, LETTERS, TASKS = "runs", "letters", "tasks"
"""The subjects of bulk jobs."""
RETRY, DISCARD = "retry", "discard"
CLAIM, ASSIGN, SNOOZE, DECIDE, UNDO = "claim", "assign", "snooze", "decide", "undo"
LETTER_VERBS = (RETRY, DISCARD)
TASK_VERBS = (CLAIM, ASSIGN, SNOOZE, DECIDE, UNDO)
_SUBJECTS = dict.fromkeys(LETTER_VERBS, LETTERS) | dict.fromkeys(TASK_VERBS, TASKS)
MIGRATE, REASSIGN = "migrate", "reassign"
"""The verbs by which runs go on with another version, and by which their open tasks are given to somebody else; the
others are those of `runs/commands/bulk.py`.
"""


def subject_of(verb: str) -> str:
    """To what a verb is done: `RUNS`, `LETTERS` or `TASKS`."""
    return _SUBJECTS.get(verb, RUNS)


class BulkJob(TenantOwned):
    """A verb for many runs, each by itself: the open ones of a version of a workflow go on with another one (R-010), or
    those that a search has found are cancelled, paused, continued or resumed, or go on with a version, or have their
    open tasks given to somebody else.

    `total`: how many there were when it began, one item each; with `dry_run` it is only looked at what would become of
    them. `workflow`: None where the search, `query`, names none. `compensate`: what cancelled runs did is undone.
    `from_version`: None where runs of any version go on with `to_version`. `assignee`, a username, or `to_group`: to
    whom tasks are given. `created_by`, and `stopped_by` where somebody stopped it before its end: a username.

    The verbs of dead letters and of tasks are others (`subject`). `terms`: what a verb of tasks needs beside the tasks,
    as `until`, `outcome` and `comment`, and by which door its decisions came (`via`).
    """

    id = models.UUIDField(primary_key=True)
    verb = models.TextField(db_default=MIGRATE)
    query = models.TextField(blank=True, db_default="")
    compensate = models.BooleanField(db_default=False)
    workflow = models.ForeignKey("workflows.Workflow", on_delete=models.PROTECT, related_name="+", null=True)
    from_version = models.ForeignKey(
        "workflows.WorkflowVersion", on_delete=models.PROTECT, related_name="+", db_index=False, null=True
    )
    to_version = models.ForeignKey(
        "workflows.WorkflowVersion", on_delete=models.PROTECT, related_name="+", db_index=False, null=True
    )
    assignee = models.TextField(blank=True, db_default="")
    to_group = models.TextField(blank=True, db_default="")
    terms = StoredJson(default=dict, db_default=models.Value({}, models.JSONField()))
    dry_run = models.BooleanField()
    total = models.IntegerField()
    reason = models.TextField(blank=True)
    created_by = models.TextField()
    created_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True)
    stopped_by = models.TextField(blank=True, db_default="")

    @property
    def subject(self) -> str:
        """To what its verb is done: runs, dead letters or tasks."""
        return subject_of(self.verb)

    class Meta(TenantOwned.Meta):
        db_table = "runs_bulkjob"
        indexes = [
            models.Index(fields=["id"], name="bulk_job_open", condition=Q(finished_at__isnull=True)),
            models.Index(fields=["tenant", "workflow", "-id"], name="bulk_jobs_of_workflow"),
            models.Index(fields=["tenant", "-id"], name="bulk_jobs_of_tenant"),
        ]
        constraints = [
            models.CheckConstraint(
                condition=~Q(verb=MIGRATE) | Q(workflow__isnull=False, to_version__isnull=False),
                name="bulk_job_has_versions",
            )
        ]


class BulkItem(HotRow):
    """The result for one run of a bulk job, or for one dead letter or task (`target_id`) of that run.

    `tries`: how often the database could not do it. `seen`: the hash of what the dry run of a decision has shown.
    """

    job_id = models.UUIDField()
    run_id = models.UUIDField()
    target_id = models.UUIDField(null=True)
    seen = models.TextField(blank=True, db_default="")
    result = models.TextField(choices=[(each, each) for each in BULK_RESULTS], db_default=PENDING)
    code = models.TextField(blank=True, db_default="")
    node = models.TextField(null=True)
    message = models.TextField(blank=True, db_default="")
    tries = models.SmallIntegerField(db_default=0)
    done_at = models.DateTimeField(null=True)

    class Meta(HotRow.Meta):
        db_table = "runs_bulkitem"
        constraints = [
            models.UniqueConstraint(
                fields=["job_id", "run_id"], name="bulk_item_once", condition=Q(target_id__isnull=True)
            ),
            models.UniqueConstraint(
                fields=["job_id", "target_id"],
                name="bulk_item_target_once",
                condition=Q(target_id__isnull=False),
            ),
        ]
        indexes = [
            models.Index(
                fields=["job_id", "tries", "id"], name="bulk_item_left", condition=Q(result=PENDING)
            ),
            models.Index(fields=["job_id", "result", "id"], name="bulk_item_result"),
            models.Index(
                fields=["job_id", "run_id"], name="bulk_item_of_run", condition=Q(target_id__isnull=False)
            ),
        ]

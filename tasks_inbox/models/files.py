"""What people bring to a task before they decide it: what they have typed, and files."""

from django.db import models
from django.db.models.functions import Now

from lib.stored_json import StoredJson
from runs.models import HotRow


class TaskDraft(HotRow):
    """What somebody has typed to decide a task, as they left it: theirs alone; gone with the task or their decision.

    `shown_hash` is of what they were asked when they typed it.
    """

    id = models.UUIDField(primary_key=True)
    task_id = models.UUIDField()
    user_id = models.BigIntegerField()
    data = StoredJson(default=dict)
    comment = models.TextField(db_default="")
    shown_hash = models.TextField()
    saved_at = models.DateTimeField(db_default=Now())

    class Meta(HotRow.Meta):
        constraints = [
            models.UniqueConstraint(fields=["task_id", "user_id"], name="task_draft_once_each"),
        ]


class TaskFile(HotRow):
    """A file of a task: never changed, and withdrawn only before somebody has decided with it.

    `media_type` is what its bytes say it is; `sha256` is of them. What is withdrawn has no content any more.
    """

    id = models.UUIDField(primary_key=True)
    run_id = models.UUIDField()
    task_id = models.UUIDField()
    name = models.TextField()
    media_type = models.TextField()
    size = models.IntegerField()
    sha256 = models.TextField()
    by = models.TextField()
    at = models.DateTimeField(db_default=Now())
    withdrawn_by = models.TextField(null=True)
    withdrawn_at = models.DateTimeField(null=True)

    class Meta(HotRow.Meta):
        indexes = [models.Index(fields=["task_id", "id"], name="task_files")]


class TaskFileContent(HotRow):
    """The bytes of a file, apart from what lists show of it."""

    id = models.UUIDField(primary_key=True)
    content = models.BinaryField()

"""The tables of files: what a file is, its bytes, and the trees of runs that use it."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from runs.models import HotRow


class StoredFile(HotRow):
    """A file that somebody uploaded to start a run, or that a step kept. Only `expires_at` ever changes.

    `media_type` is detected from its bytes; `sha256` is of them. `expires_at`: when it is deleted unless a start has
    used it; NULL once one has. `by`: a username, or `step` and the id of the step. The row of a task's file that a run
    of another tree uses has the id of that file; its bytes stay with the task.
    """

    id = models.UUIDField(primary_key=True)
    name = models.TextField()
    media_type = models.TextField()
    size = models.IntegerField()
    sha256 = models.TextField()
    by = models.TextField()
    at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField(null=True)

    class Meta(HotRow.Meta):
        indexes = [
            models.Index(fields=["expires_at"], name="file_expiry", condition=Q(expires_at__isnull=False)),
            models.Index(
                fields=["tenant_id", "by"], name="file_unused", condition=Q(expires_at__isnull=False)
            ),
        ]


class StoredFileContent(HotRow):
    """The bytes of a file, apart from what lists show of it."""

    id = models.UUIDField(primary_key=True)
    content = models.BinaryField()


class FileUse(HotRow):
    """A tree of runs that uses a file: `tree_id` is its topmost run. Several trees may share one file.

    `is_result`: a step of the tree made it; the others are files of the start.
    """

    file_id = models.UUIDField()
    tree_id = models.UUIDField()
    is_result = models.BooleanField(db_default=False)

    class Meta(HotRow.Meta):
        constraints = [models.UniqueConstraint(fields=["file_id", "tree_id"], name="file_use_once")]
        indexes = [models.Index(fields=["tree_id"], name="file_use_tree")]

"""What people have approved, and which runs have made use of it."""

from django.db import models
from django.db.models.functions import Now

from lib.stored_json import StoredJson
from runs.models.base import HotRow


class Approval(HotRow):
    """A decision that covers steps. `step_id` is the step of the run that asked; `outcome` is what was decided.

    `covers`: by step its `digest`, the steps `open` when it was decided (null: none, and the input is known as a
    whole), the steps `known` then, the `version`, the `revision` of its input, and `shown`, the document of which it is
    the digest, unless that is large. `digest` is that of all of them together.
    """

    id = models.UUIDField(primary_key=True)
    run_id = models.UUIDField()
    shard = models.SmallIntegerField()
    step_id = models.UUIDField()
    node = models.TextField()
    outcome = models.TextField()
    digest = models.TextField()
    covers = StoredJson()
    decided_at = models.DateTimeField(db_default=Now())

    class Meta(HotRow.Meta):
        indexes = [
            models.Index(fields=["step_id", "id"], name="approval_of_step"),
            models.Index(fields=["run_id"], name="approval_of_run"),
        ]


class ApprovalUse(HotRow):
    """The run in which a covered step has begun by an approval: it begins in no other."""

    approval_id = models.UUIDField()
    node = models.TextField()
    run_id = models.UUIDField()
    shard = models.SmallIntegerField()
    used_at = models.DateTimeField(db_default=Now())

    class Meta(HotRow.Meta):
        constraints = [models.UniqueConstraint(fields=["approval_id", "node"], name="approval_used_once")]
        indexes = [models.Index(fields=["run_id"], name="approval_use_of_run")]

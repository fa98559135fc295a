"""What people say of a task."""

from django.db import models
from django.db.models.functions import Now

from runs.models import HotRow

SAID = "said"
ASKED = "asked"
ANSWERED = "answered"
SENT_BACK = "returned"
SENT_AGAIN = "resubmitted"
CORRECTED = "Corrected: "
"""Begins what a task that was sent again says where nobody wrote a comment."""


class TaskComment(HotRow):
    """What somebody said of an open task, as plain text; append-only, its id gives the order (R-146).

    It is a link of the tenant's chain, as decisions are; one from before comments were linked has no `seq`.

    `kind`: said just so, asked because the decision needs it, answered to that, or why the task was returned for
    changes and what was said as it was sent again.
    """

    id = models.UUIDField(primary_key=True)
    shard = models.SmallIntegerField()
    run_id = models.UUIDField()
    task_id = models.UUIDField()
    by = models.TextField()
    text = models.TextField()
    kind = models.TextField(db_default=SAID)
    at = models.DateTimeField(db_default=Now())
    seq = models.BigIntegerField(null=True)
    record = models.TextField(null=True)
    digest = models.TextField(null=True)

    class Meta(HotRow.Meta):
        constraints = [models.UniqueConstraint(fields=["tenant_id", "seq"], name="comment_place_once")]
        indexes = [models.Index(fields=["task_id", "id"], name="task_comments")]

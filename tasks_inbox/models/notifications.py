"""Of what people are told."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from runs.models import HotRow
from tasks_inbox.models.comments import ANSWERED, ASKED, SENT_AGAIN, SENT_BACK

ASSIGNED = "assigned"
DELEGATED = "delegated"
REMINDED = "reminded"
ESCALATED = "escalated"
MENTIONED = "mentioned"
CANCELS = "cancelled"
QUESTION = "question"
TELLS = (
    ASKED,
    ASSIGNED,
    DELEGATED,
    REMINDED,
    ESCALATED,
    MENTIONED,
    QUESTION,
    ANSWERED,
    SENT_BACK,
    SENT_AGAIN,
    CANCELS,
)


class Notification(HotRow):
    """A mail that is to be sent of a task, written with its cause and sent by a tick (the outbox).

    Without `username` it is for all whom the task asks, or those of `audience` among them: who that is, is found when
    it is sent, and each of them gets a row of their own instead. `next_at` is when it is tried; null: never again, and
    without `sent_at` the `error` says why. `opened_at`: its link, which is good once, was used.
    """

    id = models.UUIDField(primary_key=True)
    task_id = models.UUIDField()
    run_id = models.UUIDField()
    kind = models.TextField(choices=[(kind, kind) for kind in TELLS])
    username = models.TextField(null=True)
    audience = ArrayField(models.TextField(), null=True)
    created_at = models.DateTimeField(db_default=Now())
    next_at = models.DateTimeField(null=True)
    attempts = models.SmallIntegerField(db_default=0)
    error = models.TextField(db_default="")
    sent_at = models.DateTimeField(null=True)
    opened_at = models.DateTimeField(null=True)

    class Meta(HotRow.Meta):
        indexes = [
            models.Index(fields=["next_at", "id"], name="note_due", condition=Q(next_at__isnull=False)),
            models.Index(
                fields=["tenant_id", "username", "sent_at"],
                name="note_lately",
                condition=Q(sent_at__isnull=False),
            ),
            models.Index(fields=["created_at"], name="note_done", condition=Q(next_at__isnull=True)),
        ]

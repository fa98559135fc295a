"""Jobs that consumers of a broker are to be told of (docs/dispatch.md), and who tells them."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from runs.models.base import HotRow

ASIDE_TRIES = 10
"""An event that was tried so often in vain is set aside: later ones of its run and queue wait behind it no longer (some
five minutes after the first try). It is tried on; meanwhile its job is for who polls. `aside_tries` of the statements.
"""


class DispatchOutbox(HotRow):
    """A step of an external queue that waits to be told of, or that nobody has taken since it was.

    `epoch`: the step's, before it is claimed. `due_at`: when it is to be published, once more where it was. `tries`:
    how often in a row it couldn't be (from `ASIDE_TRIES` on it is set aside), `error` says why; `sends`: how often it
    was.
    """

    step_id = models.UUIDField(unique=True)
    run_id = models.UUIDField()
    queue = models.TextField()
    epoch = models.IntegerField()
    due_at = models.DateTimeField()
    created_at = models.DateTimeField(db_default=Now())
    published_at = models.DateTimeField(null=True)
    sends = models.IntegerField(db_default=0)
    tries = models.IntegerField(db_default=0)
    error = models.TextField(null=True)

    class Meta(HotRow.Meta):
        db_table = "dispatch_outbox"
        indexes = [
            models.Index(fields=["due_at", "id"], name="outbox_due", condition=Q(published_at=None)),
            models.Index(fields=["due_at"], name="outbox_again", condition=Q(published_at__isnull=False)),
            # Few: what is behind them of the same run and queue waits.
            models.Index(
                fields=["run_id", "queue"],
                name="outbox_failing",
                condition=Q(published_at=None, tries__gt=0, tries__lt=ASIDE_TRIES),
            ),
            # However many they are, nothing waits behind them, nor looks through them.
            models.Index(
                fields=["tenant_id", "id"],
                name="outbox_aside",
                condition=Q(published_at=None, tries__gte=ASIDE_TRIES),
            ),
        ]


class DispatchLeader(models.Model):
    """The relay that publishes, until its lease is over. `epoch` counts who has led: who led before writes nothing."""

    name = models.TextField(primary_key=True)
    holder = models.TextField()
    epoch = models.BigIntegerField()
    expires_at = models.DateTimeField()

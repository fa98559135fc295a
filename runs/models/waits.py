"""What a step waits for: times and signals."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from lib.stored_json import StoredJson
from runs.models.base import HotRow


class Timer(HotRow):
    """A moment at which a step goes on, times out, or takes its boundary edge to `target` (R-118).

    Kept with the step: whoever ends the step, or its waiting, settles its timers in the same transaction.
    `calendar`: by which revision of which calendar it was counted, if by one.
    """

    id = models.UUIDField(primary_key=True)
    run_id = models.UUIDField()
    shard = models.SmallIntegerField()
    step_id = models.UUIDField()
    node = models.TextField()
    kind = models.TextField(choices=[(kind, kind) for kind in ("wait", "timeout", "boundary")])
    target = models.TextField(null=True)
    interrupting = models.BooleanField(db_default=False)
    fire_at = models.DateTimeField()
    calendar = StoredJson(null=True)
    status = models.TextField(
        choices=[(status, status) for status in ("PENDING", "FIRED", "CANCELLED")], db_default="PENDING"
    )
    settled_at = models.DateTimeField(null=True)

    class Meta(HotRow.Meta):
        indexes = [
            models.Index(fields=["fire_at"], name="timer_due", condition=Q(status="PENDING")),
            models.Index(fields=["run_id"], name="timer_of_run", condition=Q(status="PENDING")),
        ]


class Signal(HotRow):
    """A message to a tree of runs, kept by its root until a step waits for it (R-127, R-129, R-130).

    `root_id`: the first run of the chain at the root of the tree; `run_id`: the run that received the signal.
    `child_id` and `index` are its address, if it has one: only waits of that descendant (the first run of its chain)
    and what it began, only waits of an item with that index. `step_id`: the step that took it or, while nobody has,
    the step to which a message carries it.
    """

    id = models.UUIDField(primary_key=True)
    root_id = models.UUIDField()
    run_id = models.UUIDField()
    child_id = models.UUIDField(null=True)
    index = models.IntegerField(null=True)
    shard = models.SmallIntegerField()
    signal_id = models.TextField()
    name = models.TextField()
    payload = StoredJson(null=True)
    sent_by = models.TextField()
    created_at = models.DateTimeField(db_default=Now())
    consumed_at = models.DateTimeField(null=True)
    step_id = models.UUIDField(null=True)

    class Meta(HotRow.Meta):
        constraints = [models.UniqueConstraint(fields=["root_id", "signal_id"], name="signal_once_per_tree")]
        indexes = [
            models.Index(
                fields=["root_id", "name", "id"], name="signal_unread", condition=Q(consumed_at__isnull=True)
            )
        ]

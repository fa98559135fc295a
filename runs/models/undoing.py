"""The plans by which trees of runs undo what they did."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from runs.models.base import HotRow

UNDO_STATES = ("planned", "begun", "undone", "abandoned")


class UndoEntry(HotRow):
    """One entry of the plan of `run_id`, which undoes what it and the runs below it did.

    It undoes the step `node` of the run `target_id`; without a node it ends the undoing of that run; without a target
    it is a barrier. It begins when no other entry has to be settled before (`blocked`); those that wait for it are
    `releases`, by their `seq`.
    """

    run_id = models.UUIDField()
    shard = models.SmallIntegerField()
    seq = models.IntegerField()
    target_id = models.UUIDField(null=True)
    node = models.TextField(null=True)
    blocked = models.IntegerField()
    releases = ArrayField(models.IntegerField(), default=list)
    state = models.TextField(choices=[(state, state) for state in UNDO_STATES], db_default="planned")

    class Meta(HotRow.Meta):
        constraints = [models.UniqueConstraint(fields=["run_id", "seq"], name="undo_entry_once")]
        indexes = [
            models.Index(
                fields=["target_id"], name="undo_entry_of_target", condition=Q(target_id__isnull=False)
            ),
            models.Index(fields=["run_id"], name="undo_entry_free", condition=Q(state="planned", blocked=0)),
        ]

"""What happened to runs, its seals, and the failures that somebody has to see to."""

from django.conf import settings
from django.db import models
from django.db.models import Func, Q
from django.db.models.functions import Cast, Now

from lib.stored_json import StoredJson
from runs.models.base import HotRow


class HistoryEvent(HotRow):
    """What happened to a run, append-only; `ordinal` orders what one cause wrote, `xid` says when it is visible.

    Written by statements alone, which leave `id` (an identity column) and `xid` to the database. The time is part of
    the key, as it must be of a table that is partitioned by month.
    """

    pk = models.CompositePrimaryKey("id", "created_at")
    id = models.BigIntegerField()
    run_id = models.UUIDField()
    shard = models.SmallIntegerField()
    ordinal = models.SmallIntegerField(db_default=0)
    type = models.TextField()
    node = models.TextField(null=True)
    attempt = models.IntegerField(null=True)
    xid = models.BigIntegerField(
        db_default=Cast(
            Cast(Func(function="pg_current_xact_id"), models.TextField()), models.BigIntegerField()
        )
    )
    payload = StoredJson(default=dict)
    created_at = models.DateTimeField(db_default=Now())

    class Meta(HotRow.Meta):
        indexes = [models.Index(fields=["run_id", "id"], name="history_of_run")]


class RunSeal(HotRow):
    """What history was when a life of a run ended: so many events up to `last_event`, and the digest of their chain."""

    run_id = models.UUIDField()
    shard = models.SmallIntegerField()
    life = models.IntegerField()
    events = models.IntegerField()
    last_event = models.BigIntegerField()
    digest = models.BinaryField()
    sealed_at = models.DateTimeField(db_default=Now())

    class Meta(HotRow.Meta):
        constraints = [models.UniqueConstraint(fields=["run_id", "life"], name="seal_once_per_life")]


class HistoryCheck(models.Model):
    """How far the check of all ended runs has come, one row: `after` is the last run that it has looked at.

    `runs` and `left_out` (too long, or not read in time) count since the round began.
    """

    id = models.SmallIntegerField(primary_key=True)
    after = models.UUIDField()
    began_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    runs = models.BigIntegerField(default=0)
    left_out = models.BigIntegerField(default=0)

    objects = models.Manager()


class HistoryDifference(HotRow):
    """A run that was not as its history and seals say when it was checked last: how many differences, and the first."""

    run_id = models.UUIDField()
    workflow_id = models.BigIntegerField()
    differences = models.IntegerField()
    detail = models.TextField()
    found_at = models.DateTimeField(db_default=Now())

    class Meta(HotRow.Meta):
        constraints = [models.UniqueConstraint(fields=["run_id"], name="history_difference_once")]
        indexes = [models.Index(fields=["tenant_id", "-id"], name="history_difference_list")]


class DeadLetter(HotRow):
    """A step that failed its run for good, until somebody redrives or discards it (R-085)."""

    id = models.UUIDField(primary_key=True)
    run_id = models.UUIDField()
    step_id = models.UUIDField()
    node = models.TextField()
    error = StoredJson()
    attempts = models.IntegerField()
    resolution = models.TextField(null=True)
    reason = models.TextField(null=True)
    resolved_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, on_delete=models.PROTECT, related_name="+"
    )
    resolved_at = models.DateTimeField(null=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta(HotRow.Meta):
        indexes = [
            models.Index(fields=["tenant_id", "-id"], name="dead_letter_list"),
            models.Index(fields=["run_id"], name="dead_letter_of_run"),
            models.Index(fields=["tenant_id", "-id"], name="dead_letter_open", condition=Q(resolution=None)),
            models.Index(
                fields=["tenant_id", "node", "-id"],
                name="dead_letter_open_step",
                condition=Q(resolution=None),
            ),
        ]

"""When open runs are probably done, and what that is told by: how long runs went on from each step to their end."""

from django.db import models
from django.db.models import Q

from runs.models.base import HotRow


class RestTime(HotRow):
    """Of how many completed runs of a version the time from when a node's turn came to the run's end was of a bucket,
    and that to the node's own end of a coarse one (`lasted`); buckets are those of `lib/rest_times.py`.

    `node` is empty for whole runs. `week`: the Monday (UTC) of the week in which they ended. `is_working`: working
    hours count (`lib/working_clock.py`).
    """

    pk = models.CompositePrimaryKey(
        "tenant_id", "workflow_id", "node", "week", "version_id", "is_working", "lasted", "bucket"
    )
    workflow_id = models.BigIntegerField()
    node = models.TextField()
    week = models.DateField()
    version_id = models.BigIntegerField()
    is_working = models.BooleanField()
    lasted = models.SmallIntegerField()
    bucket = models.SmallIntegerField()
    times = models.BigIntegerField()

    class Meta(HotRow.Meta):
        indexes = [models.Index(fields=["week"], name="rest_times_age")]


class Forecast(HotRow):
    """When an open run ends at the latest in half of the cases and in nine of ten, as it is told since `made_at`; and
    how likely it misses its deadline, if it has one. It counts while the run is RUNNING only.
    """

    run_id = models.UUIDField(primary_key=True)
    p50 = models.DateTimeField()
    p90 = models.DateTimeField()
    risk = models.FloatField(null=True)
    made_at = models.DateTimeField()

    class Meta(HotRow.Meta):
        indexes = [
            models.Index(fields=["tenant_id", "p50", "run_id"], name="forecast_likely"),
            models.Index(
                fields=["tenant_id", "risk", "run_id"], name="forecast_risk", condition=Q(risk__isnull=False)
            ),
        ]


class ForecastCursor(models.Model):
    """How far history is learned from (`after`), and which open run was looked at last in turn; there is one row."""

    id = models.SmallIntegerField(primary_key=True)
    after = models.BigIntegerField()
    looked_at = models.UUIDField(null=True)

    objects = models.Manager()

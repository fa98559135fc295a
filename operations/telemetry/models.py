"""Where time goes and what fails, rolled up by hour and by day, and how far history has been counted."""

from django.db import models
from django.db.models import Q

from runs.models.base import HotRow

HOUR, DAY = "hour", "day"
SPANS = (HOUR, DAY)
MEASURES = ("queue", "machine", "human", "waiting", "run")
"""Of what there are times: of a step that was ready, at work, with people, waiting for something else; of a run."""


class Rolled(HotRow):
    """What all of them have: an hour or a day in UTC (`span`, from `at` on), and the version of a workflow."""

    span = models.TextField()
    at = models.DateTimeField()
    workflow_id = models.BigIntegerField()
    version_id = models.BigIntegerField()

    class Meta(HotRow.Meta):
        abstract = True


class RunTelemetry(Rolled):
    """Runs of a version: how many began and how they ended; `duration_ms` is of those that completed.

    `completed_resumed`, `failed_resumed`, `cancelled_resumed`: endings of this span after which the run went on:
    somebody resumed it, or it was undone with a run above it. Such a run has another ending, or is open.
    """

    pk = models.CompositePrimaryKey("tenant_id", "span", "at", "workflow_id", "version_id")
    started = models.BigIntegerField()
    completed = models.BigIntegerField()
    failed = models.BigIntegerField()
    cancelled = models.BigIntegerField()
    completed_resumed = models.BigIntegerField(db_default=0)
    failed_resumed = models.BigIntegerField(db_default=0)
    cancelled_resumed = models.BigIntegerField(db_default=0)
    interventions = models.BigIntegerField()
    duration_ms = models.BigIntegerField()

    class Meta(Rolled.Meta):
        db_table = "runs_runtelemetry"
        indexes = [models.Index(fields=["at"], name="run_telemetry_hours", condition=Q(span=HOUR))]


class StepTelemetry(Rolled):
    """Steps of a node: how they ended, and the milliseconds of those that completed, by what they were spent on.

    `lost_ms`: what attempts took that failed.
    """

    pk = models.CompositePrimaryKey("tenant_id", "span", "at", "workflow_id", "version_id", "node", "type")
    node = models.TextField()
    type = models.TextField()
    completed = models.BigIntegerField()
    failed = models.BigIntegerField()
    skipped = models.BigIntegerField()
    cancelled = models.BigIntegerField()
    retried = models.BigIntegerField()
    queue_ms = models.BigIntegerField()
    machine_ms = models.BigIntegerField()
    human_ms = models.BigIntegerField()
    waiting_ms = models.BigIntegerField()
    lost_ms = models.BigIntegerField()

    class Meta(Rolled.Meta):
        db_table = "runs_steptelemetry"
        indexes = [models.Index(fields=["at"], name="step_telemetry_hours", condition=Q(span=HOUR))]


class TelemetryBucket(Rolled):
    """How many times of a measure (`MEASURES`) fell into a bucket; five buckets double a time.

    `node` and `type` are empty for times of runs.
    """

    pk = models.CompositePrimaryKey(
        "tenant_id", "span", "at", "workflow_id", "version_id", "node", "type", "measure", "bucket"
    )
    node = models.TextField()
    type = models.TextField()
    measure = models.TextField()
    bucket = models.SmallIntegerField()
    times = models.BigIntegerField()

    class Meta(Rolled.Meta):
        db_table = "runs_telemetrybucket"
        indexes = [models.Index(fields=["at"], name="telemetry_bucket_hours", condition=Q(span=HOUR))]


class TelemetryCursor(models.Model):
    """How far history is counted; there is one row. Events are counted in the order of their ids, up to `after`.

    Ids become visible out of order. `upto`: no event up to here is to come any more. `ahead`: it is next, once all
    transactions before `fence` are over. `seen`: it was the newest id at the last look; it gets its fence at the next
    one, so whoever took an id before it has a transaction id by then.
    """

    id = models.SmallIntegerField(primary_key=True)
    after = models.BigIntegerField()
    upto = models.BigIntegerField()
    ahead = models.BigIntegerField()
    seen = models.BigIntegerField()
    fence = models.BigIntegerField()
    counted_at = models.DateTimeField(null=True)

    objects = models.Manager()

    class Meta:
        db_table = "runs_telemetrycursor"

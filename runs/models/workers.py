"""Who works, and what has to be done whoever works: workers, queues that are polled, duties, repairs."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from runs.models.base import HotRow


class Worker(models.Model):
    """A worker process that said it is alive; `id` is random per process start. `claimed_at`: when it had work last."""

    id = models.TextField(primary_key=True)
    queue = models.TextField()
    host = models.TextField()
    pid = models.IntegerField()
    started_at = models.DateTimeField(db_default=Now())
    seen_at = models.DateTimeField(db_default=Now())
    claimed_at = models.DateTimeField(null=True)

    objects = models.Manager()


class QueuePoll(HotRow):
    """That an external worker of the tenant has asked for jobs of this queue, and when it did last."""

    queue = models.TextField()
    polled_at = models.DateTimeField()

    class Meta(HotRow.Meta):
        constraints = [models.UniqueConstraint(fields=["tenant_id", "queue"], name="queue_polled_once")]


class WorkerContact(HotRow):
    """What an external worker of the tenant told of itself with its last poll, and when that was; some seconds old."""

    worker = models.TextField()
    queues = ArrayField(models.TextField())
    version = models.TextField(null=True)
    slots = models.IntegerField(null=True)
    seen_at = models.DateTimeField()

    class Meta(HotRow.Meta):
        constraints = [models.UniqueConstraint(fields=["tenant_id", "worker"], name="worker_contact_once")]


class Repair(HotRow):
    """Something that nothing would have moved any more: it was repaired (`done`), or can't be. There must be none.

    `index`: which item of the container `node`.
    """

    run_id = models.UUIDField()
    life = models.IntegerField()
    node = models.TextField(null=True)
    index = models.IntegerField(null=True)
    what = models.TextField()
    done = models.BooleanField()
    detail = models.TextField(db_default="")
    created_at = models.DateTimeField(db_default=Now())

    class Meta(HotRow.Meta):
        constraints = [
            models.UniqueConstraint(
                fields=["run_id", "life", "what", "node", "index"],
                name="repair_reported_once",
                condition=Q(done=False),
                nulls_distinct=False,
            )
        ]
        indexes = [models.Index(fields=["run_id"], name="repair_of_run")]


class DutyCursor(models.Model):
    """How far a duty has come that looks at everything in turn."""

    duty = models.TextField(primary_key=True)
    after = models.UUIDField()

    objects = models.Manager()


class Duty(models.Model):
    """When what has to be done every so often was begun last, by which worker, and when it was done last."""

    name = models.TextField(primary_key=True)
    begun_at = models.DateTimeField()
    begun_by = models.TextField()
    done_at = models.DateTimeField(null=True)

    objects = models.Manager()

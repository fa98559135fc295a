"""What is kept beside the database, as far as rows refer to it."""

from django.contrib.postgres.functions import RandomUUID
from django.db import models
from django.db.models.functions import Now

from runs.models.base import HotRow


class Blob(HotRow):
    """A large payload of a run that something in it refers to; by these four the store has it (`store/references.py`).

    `day`: when it was kept, as YYYYMMDD.
    """

    run_id = models.UUIDField()
    day = models.TextField()
    sha256 = models.TextField()

    class Meta(HotRow.Meta):
        constraints = [models.UniqueConstraint(fields=["run_id", "day", "sha256"], name="blob_once")]


class Installation(models.Model):
    """The one row by which a store of payloads knows the database that it belongs to."""

    id = models.SmallIntegerField(primary_key=True)
    number = models.UUIDField(db_default=RandomUUID())

    objects = models.Manager()


class SweptDay(models.Model):
    """A day whose payloads have been looked through: what nothing refers to of them is gone."""

    day = models.TextField(primary_key=True)
    swept_at = models.DateTimeField(db_default=Now())

    objects = models.Manager()

"""An index of fields of inputs: of those that a workflow's `input_schema` marks as searchable."""

from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q

from runs.models.base import HotRow


class InputField(HotRow):
    """A value of a searchable field of a run's input; of a list one row for each item.

    `path`: the names that lead to it, with dots between them. `text`: how the value begins, for all kinds of values;
    `number`: about its value, where it is a number.
    """

    run_id = models.UUIDField()
    path = models.TextField()
    text = models.TextField(db_collation="C")
    number = models.FloatField(null=True)

    class Meta(HotRow.Meta):
        constraints = [
            models.UniqueConstraint(fields=["tenant_id", "path", "text", "run_id"], name="input_field_once")
        ]
        indexes = [
            models.Index(
                fields=["tenant_id", "path", "number", "run_id"],
                name="input_field_number",
                condition=Q(number__isnull=False),
            )
        ]


class InputIndex(HotRow):
    """Which runs of a workflow are in the index of inputs, by these `paths`: those behind `low`, up to `top`.

    A run commits after its id was made: `top` stays behind the clock.
    """

    workflow_id = models.BigIntegerField(primary_key=True)
    paths = ArrayField(models.TextField())
    low = models.UUIDField()
    top = models.UUIDField()

    class Meta(HotRow.Meta):
        pass

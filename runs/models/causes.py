"""What somebody should look at."""

from django.db import models
from django.db.models.functions import Now

from runs.models.base import HotRow


class AlertCause(HotRow):
    """What happened once and no look would find: written where it happened, taken by the next look."""

    kind = models.TextField()
    run_id = models.UUIDField()
    created_at = models.DateTimeField(db_default=Now())

    class Meta(HotRow.Meta):
        pass

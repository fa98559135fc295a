"""Which runs somebody asked for themselves: what they follow as their requests."""

from django.db import models
from django.db.models import Q

from runs.models.base import HotRow


class Request(HotRow):
    """A run that a person started by a form, or by their token one at a time. Runs that programs start in batches,
    by webhooks or as parts of others have none.

    Written with the run, in its statement; `user_id` is a plain number, so that many starts of one user at once don't
    wait for that user's row. Ids of runs rise with time: they are the order of the list. `filed_by_id`: the user who
    filed it for that one, where they did not themselves. `reminded_at`: when they last reminded those who are asked.
    """

    run_id = models.UUIDField(primary_key=True)
    user_id = models.BigIntegerField()
    workflow_id = models.BigIntegerField()
    filed_by_id = models.BigIntegerField(null=True)
    reminded_at = models.DateTimeField(null=True)

    class Meta(HotRow.Meta):
        indexes = [
            models.Index(fields=["tenant_id", "user_id", "-run_id"], name="request_list"),
            models.Index(
                fields=["tenant_id", "filed_by_id", "-run_id"],
                name="request_filed_list",
                condition=Q(filed_by_id__isnull=False),
            ),
        ]

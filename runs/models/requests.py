"""Which runs somebody asked for themselves: what they follow as their requests."""

from django.db import models

from runs.models.base import HotRow


class Request(HotRow):
    """A run that a person started by a form, or by their token one at a time. Runs that programs start in batches,
    by webhooks or as parts of others have none.

    Written with the run, in its statement; `user_id` is a plain number, so that many starts of one user at once don't
    wait for that user's row. Ids of runs rise with time: they are the order of the list.
    """

    run_id = models.UUIDField(primary_key=True)
    user_id = models.BigIntegerField()
    workflow_id = models.BigIntegerField()

    class Meta(HotRow.Meta):
        indexes = [models.Index(fields=["tenant_id", "user_id", "-run_id"], name="request_list")]

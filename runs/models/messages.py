"""What runs tell one another: written in the transaction that causes it, delivered in one of its own."""

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from runs.models.base import HotRow


class RunMessage(HotRow):
    """A message to `run_id` from the run `from_id`: its child has ended, its parent ends it or has it go on, it is to
    be followed, or to go on as a new run; a signal is for its step `step_id`, a step of `from_id` begins to wait for
    one (`signal_wanted`; `step_id` is that step), or a signal found its step, again `step_id`, waiting no more
    (`signal_returned`); a run above it undoes what it did (`undo`), a run below has (`undone`), a child begins to undo
    or waits for a person with it (`child_undoing`), it is to close now (`close`).

    Whoever causes it has its own run locked and must not wait for another one: parent and child would wait for each
    other. It is deleted by the transaction that does what it says; `tries` counts those that could not.
    """

    run_id = models.UUIDField()
    shard = models.SmallIntegerField()
    kind = models.TextField(
        choices=[
            (kind, kind)
            for kind in (
                *("child_ended", "cancel", "pause", "unpause", "start_next", "continue", "resume"),
                *("signal", "signal_wanted", "signal_returned"),
                *("undo", "undone", "child_undoing", "close", "migrate"),
            )
        ]
    )
    from_id = models.UUIDField(null=True)
    step_id = models.UUIDField(null=True)
    payload = models.JSONField(null=True)
    tries = models.SmallIntegerField(db_default=0)
    due_at = models.DateTimeField(db_default=Now())

    class Meta(HotRow.Meta):
        indexes = [
            models.Index(fields=["due_at", "id"], name="message_due"),
            models.Index(fields=["run_id"], name="message_of_run"),
            models.Index(fields=["from_id"], name="message_from_run"),
            models.Index(
                fields=["step_id"],
                name="message_of_signal",
                condition=Q(kind__in=["signal", "signal_wanted", "signal_returned"]),
            ),
        ]

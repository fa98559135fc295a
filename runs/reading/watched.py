"""The history of a run for who follows it: nothing is told twice, and nothing is left out that commits later."""

from django.db.models import BigIntegerField, Func, TextField
from django.db.models.functions import Cast

from engine.statuses import RUN_ENDED
from runs.models import HistoryEvent, Run
from runs.reading.queries import history_of


def events_behind(run: Run, after: int, most: int) -> list[HistoryEvent]:
    """So many of the events behind the one with the id `after`, in their order.

    None of a transaction at a time when an older one is still open: ids are given out before commits, so that one
    could commit events later that belong between these.
    """
    oldest_open = Func(
        Func(function="pg_current_snapshot"), function="pg_snapshot_xmin", output_field=TextField()
    )
    events = history_of(run).filter(
        id__gt=after, xid__lt=Cast(Cast(oldest_open, TextField()), BigIntegerField())
    )
    return list(events.order_by("id")[:most])


def is_told_to_its_end(run: Run, last: int) -> bool:
    """Whether a run that was read before its events has ended, and there are none behind `last`, settled or not."""
    return run.status in RUN_ENDED and not history_of(run).filter(id__gt=last).exists()

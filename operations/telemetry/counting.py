"""Telemetry: what history tells of time and failures is rolled up, seconds after it was written (docs/telemetry.md).

Nothing on the way of a run knows of it. Counts and cursor move in one transaction, so whoever dies in the middle has
counted nothing, and two at once count once.
"""

from django.db import transaction

from lib.batches import in_bounded_batches
from operations.telemetry import store
from steps.catalogue import EXECUTABLE

BATCH = 2_000
FORGOTTEN = 2_000
TICK_SECONDS = 1.5
PEOPLE = tuple(sorted(name for name, kind in EXECUTABLE.items() if kind.asks_people))
"""The step types whose time is with people."""
WAITS = tuple(
    sorted(name for name, kind in EXECUTABLE.items() if kind.kind == "wait" and not kind.asks_people)
)
"""Those that wait for a time, a signal, their children or another run."""


def count(seconds: float = TICK_SECONDS) -> int:
    """Count what history has got since, in bounded batches for at most `seconds`; gives how many ids that were."""
    store.settle()
    return in_bounded_batches(_count_some, BATCH, seconds)


def _count_some(limit: int) -> int:
    with transaction.atomic():
        ids = store.lock()
        if ids is None:
            return 0
        after, upto = ids
        last = min(upto, after + limit)
        store.count(after, last, people=PEOPLE, waits=WAITS)
        return last - after


def forget(seconds: float = TICK_SECONDS) -> int:
    """Delete the hours of which only the day is asked for any more; gives how many."""
    return in_bounded_batches(store.forget, FORGOTTEN, seconds)

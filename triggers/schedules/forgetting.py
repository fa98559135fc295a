"""Old rows of the history of schedules."""

from lib.batches import in_bounded_batches
from triggers.schedules import store

BATCH = 1000
KEPT_DAYS = 90
TICK_SECONDS = 0.8


def forget(seconds: float = TICK_SECONDS) -> int:
    """Remove old rows in bounded batches for at most `seconds`; gives how many. The last one of a schedule stays."""
    return in_bounded_batches(lambda limit: store.forget_entries(limit, KEPT_DAYS), BATCH, seconds)

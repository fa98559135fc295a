"""Notes of webhook messages that nobody can send again: their signature's time is long over (R-132)."""

from lib.batches import in_bounded_batches
from triggers.webhooks import store

BATCH = 1000
KEPT_DAYS = 7
TICK_SECONDS = 0.8


def forget(seconds: float = TICK_SECONDS) -> int:
    """Remove old notes in bounded batches for at most `seconds`; gives how many."""
    return in_bounded_batches(lambda limit: store.forget_deliveries(limit, KEPT_DAYS), BATCH, seconds)

"""Notes of webhook messages that nobody can send again: their signature's time is long over (R-132)."""

import time

from runs.store import webhooks

BATCH = 1000
KEPT_DAYS = 7
TICK_SECONDS = 0.8


def forget(seconds: float = TICK_SECONDS) -> int:
    """Remove old notes in bounded batches for at most `seconds`; gives how many."""
    until = time.monotonic() + seconds
    found = 0
    while batch := webhooks.forget_deliveries(BATCH, KEPT_DAYS):
        found += batch
        if batch < BATCH or time.monotonic() >= until:
            break
    return found

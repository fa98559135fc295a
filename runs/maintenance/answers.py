"""Answers to POSTs with an `Idempotency-Key`, which are kept for a day."""

import time

from accounts import idempotency

BATCH = 500
TICK_SECONDS = 0.8


def forget(seconds: float = TICK_SECONDS) -> int:
    """Remove old answers in bounded batches for at most `seconds`; gives how many."""
    until = time.monotonic() + seconds
    found = 0
    while batch := idempotency.forget(BATCH):
        found += batch
        if batch < BATCH or time.monotonic() >= until:
            break
    return found

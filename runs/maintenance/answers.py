"""Answers to POSTs with an `Idempotency-Key`, which are kept for a day."""

from accounts import idempotency
from lib.batches import in_bounded_batches

BATCH = 500
TICK_SECONDS = 0.8


def forget(seconds: float = TICK_SECONDS) -> int:
    """Remove old answers in bounded batches for at most `seconds`; gives how many."""
    return in_bounded_batches(idempotency.forget, BATCH, seconds)

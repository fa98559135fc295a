"""Seals: when a life of a run has ended, its history is sealed, a moment later (docs/decisions/0009)."""

from django.db import transaction

from lib.batches import in_bounded_batches
from runs.maintenance import spans
from runs.store import hot

BATCH = 200
TICK_SECONDS = 0.8


def seal(seconds: float = TICK_SECONDS) -> int:
    """Seal what has ended, in bounded batches for at most `seconds`; gives how many runs."""
    return in_bounded_batches(_seal_some, BATCH, seconds)


def _seal_some(limit: int) -> int:
    with transaction.atomic():
        runs = hot.lock_unsealed(limit)
        sealed = hot.seal_runs(runs) if runs else 0
    spans.tell(runs)
    return sealed

"""Seals: when a life of a run has ended, its history is sealed, a moment later (docs/decisions/0009)."""

import time

from django.db import transaction

from runs.store import hot

BATCH = 200
TICK_SECONDS = 0.8


def seal(seconds: float = TICK_SECONDS) -> int:
    """Seal what has ended, in bounded batches for at most `seconds`; gives how many runs."""
    until = time.monotonic() + seconds
    found = 0
    while True:
        with transaction.atomic():
            runs = hot.lock_unsealed(BATCH)
            found += hot.seal_runs(runs) if runs else 0
        if len(runs) < BATCH or time.monotonic() >= until:
            return found

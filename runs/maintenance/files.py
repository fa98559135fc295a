"""Uploaded files that no start has used in time."""

from lib.batches import in_bounded_batches
from runs.files import store
from runs.files.limits import EXPIRED_FILES

TICK_SECONDS = 0.8


def forget(seconds: float = TICK_SECONDS) -> int:
    """Delete expired files with their bytes in bounded batches for at most `seconds`; gives how many were looked at."""
    return in_bounded_batches(store.expire, EXPIRED_FILES, seconds)

"""How long this thread is willing to wait for the database, whatever it asks."""

import contextlib
import threading
import time
from collections.abc import Iterator


class _Deadline(threading.local):
    at: float | None = None


_deadline = _Deadline()


@contextlib.contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """What this thread asks the database in here is over `seconds` from now, or it fails with OperationalError."""
    before = _deadline.at
    _deadline.at = time.monotonic() + seconds
    try:
        yield
    finally:
        _deadline.at = before


def left(seconds: float | None = None) -> float | None:
    """The seconds that remain, `seconds` where that is less; None where both are unlimited."""
    if _deadline.at is None:
        return seconds
    remaining = max(0.0, _deadline.at - time.monotonic())
    return remaining if seconds is None else min(seconds, remaining)

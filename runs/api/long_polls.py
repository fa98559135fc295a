"""How many polls may wait in this process: each holds a thread of the web server."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore

PLACES = 4
_places = BoundedSemaphore(PLACES)


@contextmanager
def place(wanted_seconds: float) -> Iterator[float]:
    """Gives the seconds that this poll may wait: those wanted while there is a place, else none."""
    if wanted_seconds <= 0 or not _places.acquire(blocking=False):
        yield 0.0
        return
    try:
        yield wanted_seconds
    finally:
        _places.release()

"""Work of a periodic duty in bounded batches, for a bounded time: what is left is for the next tick."""

import time
from collections.abc import Callable


def in_bounded_batches(work: Callable[[int], int], batch: int, seconds: float) -> int:
    """Call `work(batch)`, which gives a count, until that is less than `batch` or `seconds` are over; gives the sum.

    It is called once at least. Raises what `work` raises.
    """
    until = time.monotonic() + seconds
    total = 0
    while True:
        count = work(batch)
        total += count
        if count < batch or time.monotonic() >= until:
            return total

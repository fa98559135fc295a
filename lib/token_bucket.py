"""Token buckets in this process: so many things a second for each of many, with a burst after a pause."""

import time
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)

MOST = 10_000


class TokenBuckets(Generic[K]):
    """For each key `rate` tokens come a second, and up to `burst` are kept. A take costs a look into a dict.

    Nobody waits for a lock: takes at the same moment may count as one, which does no harm here.
    """

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._left: dict[K, tuple[float, float]] = {}

    def take(self, key: K) -> bool:
        """Take a token of this key's; whether there was one."""
        now = self._clock()
        left, at = self._left.get(key, (self._burst, now))
        left = min(self._burst, left + (now - at) * self._rate)
        if key not in self._left and len(self._left) >= MOST:
            # Full ones say nothing; who is new begins with a full one.
            self._left = {
                one: it for one, it in self._left.items() if it[0] + (now - it[1]) * self._rate < self._burst
            }
        self._left[key] = (left - 1, now) if left >= 1 else (left, now)
        return left >= 1

"""Token buckets in this process: so many things a second for each of many, with a burst after a pause."""

import time
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)

MOST = 10_000


class Care:
    """When a dict with a key for each caller is to be looked through for those that can go: where it has more than
    `MOST`, and once a second at most, as all may have to stay.
    """

    def __init__(self) -> None:
        self._next = float("-inf")

    def is_due(self, count: int, now: float) -> bool:
        """Whether a dict of `count` keys is to be looked through at `now` (seconds)."""
        if count < MOST or now < self._next:
            return False
        self._next = now + 1
        return True


class TokenBuckets(Generic[K]):
    """For each key `rate` tokens come a second, and up to `burst` are kept. A take costs a look into a dict.

    Nobody waits for a lock: takes at the same moment may count as one, which does no harm here.
    """

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._rate, self._burst, self._clock = rate, burst, clock
        self._left: dict[K, tuple[float, float]] = {}
        self._care = Care()

    def take(self, key: K) -> bool:
        """Take a token of this key's; whether there was one."""
        now = self._clock()
        left, at = self._left.get(key, (self._burst, now))
        left = min(self._burst, left + (now - at) * self._rate)
        if key not in self._left and self._care.is_due(len(self._left), now):
            # Full ones say nothing; who is new begins with a full one.
            self._left = {
                one: it for one, it in self._left.items() if it[0] + (now - it[1]) * self._rate < self._burst
            }
        self._left[key] = (left - 1, now) if left >= 1 else (left, now)
        return left >= 1

"""Answers that many ask for at once and that cost something: one is made, and all who ask within a moment get it."""

import time
from collections.abc import Callable, Hashable, Sequence
from typing import Generic, TypeVar

from django.db import transaction

from lib.gathering import Gathered

K = TypeVar("K", bound=Hashable)
R = TypeVar("R")

MOST = 1_000


class SharedAnswers(Generic[K, R]):
    """For each key what `make` gives, kept for so many seconds in this process; of those who ask at once one makes it.

    An answer is of many: nobody may change it. At most `MOST` are kept. One for which `keeps` is false is for those who
    ask at once only.
    """

    def __init__(
        self,
        make: Callable[[K], R],
        *,
        seconds: float,
        keeps: Callable[[R], bool] = lambda _: True,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._make, self._seconds, self._keeps, self._clock = make, seconds, keeps, clock
        self._kept: dict[K, tuple[float, R]] = {}
        self._gathered: Gathered[K, None, R] = Gathered(self._answers, reads=True)

    def __call__(self, key: K) -> R:
        """The answer, of now or of a moment ago. Raises what `make` raises.

        Within a transaction it is made there and then: what is not committed is nobody else's.
        """
        if transaction.get_connection().in_atomic_block:
            return self._make(key)
        entry = self._fresh(key)
        return self._gathered(key, None) if entry is None else entry[1]

    def _answers(self, key: K, questions: Sequence[None]) -> list[R]:
        entry = self._fresh(key)
        answer = self._made(key) if entry is None else entry[1]
        return [answer] * len(questions)

    def _fresh(self, key: K) -> tuple[float, R] | None:
        entry = self._kept.get(key)
        return entry if entry is not None and self._clock() - entry[0] < self._seconds else None

    def _made(self, key: K) -> R:
        answer = self._make(key)
        if not self._keeps(answer):
            return answer
        now = self._clock()
        if key not in self._kept and len(self._kept) >= MOST:
            fresh = {one: it for one, it in self._kept.copy().items() if now - it[0] < self._seconds}
            self._kept = fresh if len(fresh) < MOST else {}
        self._kept[key] = (now, answer)
        return answer

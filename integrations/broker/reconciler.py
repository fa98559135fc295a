"""What got lost on the way to consumers is published again (R-180): a little of it in each turn of who leads."""

import time
from collections import deque
from typing import Final

from integrations.broker.limits import RECONCILED_QUEUES
from integrations.broker.store import BEGINNING, Place, add_missing_events, queues_told, resend_events
from runs.kernel.dispatch import BUILT_IN_QUEUES

BATCH: Final = 1_000
REST_SECONDS: Final = 5.0
"""Between two looks at all that there is."""
PAUSE_SECONDS: Final = 0.25
"""Between two batches in which nothing was missing: a large backlog that is known isn't walked at full speed."""
MISSING_SECONDS: Final = 5.0


class Reconciler:
    """One that begins to lead: whoever led before may have had no broker, so at first the newest jobs count, too."""

    def __init__(self) -> None:
        self._older = 0.0
        self._queues: deque[str] = deque()
        self._behind: Place = BEGINNING
        self._look_at = self._resend_at = float("-inf")

    def turn(self) -> bool:
        """Look at the next batch, if it is time to; gives whether it found something, so that more may be there."""
        has_more = False
        if (now := time.monotonic()) >= self._resend_at:
            resent = resend_events(BATCH)
            has_more = resent > 0
            self._resend_at = now if resent >= BATCH else now + REST_SECONDS
        if now >= self._look_at:
            has_more |= self._look(now)
        return has_more

    def _look(self, now: float) -> bool:
        if not self._queues:
            self._queues, self._behind = deque(queues_told(BUILT_IN_QUEUES)), BEGINNING
        looked = added = 0
        for _ in range(RECONCILED_QUEUES):
            if not self._queues or looked >= BATCH:
                break
            more, missing, last = add_missing_events(self._queues[0], self._behind, self._older, BATCH)
            looked += more
            added += missing
            if more < BATCH or last is None:
                self._queues.popleft()
                self._behind = BEGINNING
            else:
                self._behind = last
        if not self._queues:
            self._older = MISSING_SECONDS
            self._look_at = now + REST_SECONDS
        elif not added:
            self._look_at = now + PAUSE_SECONDS
        return added > 0

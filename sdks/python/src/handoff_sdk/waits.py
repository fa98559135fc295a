"""Waiting for a run to end: it is polled less and less often."""

import random
import time

from handoff_sdk import models
from handoff_sdk.errors import HandoffError

OPEN = frozenset(
    {
        "PENDING",
        "WAITING",
        "RUNNING",
        "PAUSED",
        "FAILING",
        "CANCELLING",
        "COMPENSATING",
        "WAITING_FOR_MANUAL_ACTION",
    }
)
FIRST, LONGEST = 0.05, 2.0


class WaitTimeout(HandoffError):
    """The run has not ended in time; `run` is its state."""

    def __init__(self, run: models.Run) -> None:
        super().__init__(f"The run {run['id']} is {run['status']}: {run['waiting_for']}.")
        self.run = run


class Pauses:
    """The pauses between polls of a run."""

    def __init__(self, seconds: float) -> None:
        self._until, self._pause = time.monotonic() + seconds, FIRST

    def is_over(self, run: models.Run) -> bool:
        """Whether the run has ended. Raises WaitTimeout when the time is over."""
        if run["status"] not in OPEN:
            return True
        if time.monotonic() >= self._until:
            raise WaitTimeout(run)
        return False

    def next(self) -> float:
        """How long to wait before the next poll."""
        pause, self._pause = self._pause, min(self._pause * 1.5, LONGEST)
        left = max(self._until - time.monotonic(), 0.0)
        return min(pause * random.uniform(0.75, 1.0), left)  # noqa: S311

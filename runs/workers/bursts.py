"""What a worker does in one go as one trace: a span for each attempt, linked to the trace of its run (R-208)."""

from collections.abc import Callable
from functools import partial

from lib import tracing
from runs.limits import TRACE_SPANS
from runs.store.attempts import AttemptResult, ClaimedStep
from runs.workers import attempt_spans

Work = Callable[[], AttemptResult]


class Burst:
    """What a drain executes until it is quiet. Several threads may do attempts of it."""

    def __init__(self, queue: str) -> None:
        self.queue = queue
        self.count = 0
        self._trace = tracing.begin(f"drain {queue}", {"handoff.queue": queue}, tracing.now())

    def roll_over(self) -> "Burst":
        """Itself, or, where it has as many attempts as one may have, the one behind it."""
        if self.count < TRACE_SPANS:
            return self
        self.end()
        return Burst(self.queue)

    def told(self, step: ClaimedStep, work: Work) -> Work:
        """The attempt at a step, told of when it has ended; how it ends is its own. What is told of it beside that is
        known before: the thread that does it may have no database.
        """
        attempt = attempt_spans.attempt_of(step, self.queue)
        if attempt is None:
            return work
        self.count += 1
        return partial(self._done, work, attempt)

    def end(self) -> None:
        """It is over."""
        if self._trace is not None:
            self._trace.end(tracing.now())

    def _done(self, work: Work, attempt: attempt_spans.Attempt) -> AttemptResult:
        began = tracing.now()
        result = work()
        attempt.tell(began, tracing.now(), result, self._trace)
        return result


def begin(queue: str) -> Burst | None:
    """A new one; None where nothing is told of."""
    return Burst(queue) if tracing.is_on() else None

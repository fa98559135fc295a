"""What a worker does in one go as one trace: a span for each attempt, linked to the trace of its run (R-208)."""

import logging
from collections.abc import Callable
from functools import partial

from lib import tracing
from lib.trace_context import Trace
from runs.kernel.graphs import BrokenVersion, compiled
from runs.store.attempts import AttemptResult, ClaimedStep, Errored, Suspended

log = logging.getLogger(__name__)

Attempt = Callable[[], AttemptResult]
MOST_SPANS = 1_000
"""So many attempts are one trace; behind them another one begins."""


class Burst:
    """What a drain executes until it is quiet. Several threads may do attempts of it."""

    def __init__(self, queue: str) -> None:
        self.queue = queue
        self.count = 0
        self._trace = tracing.begin(f"drain {queue}", {"handoff.queue": queue}, tracing.now())

    def go_on(self) -> "Burst":
        """Itself, or, where it has as many attempts as one may have, the one behind it."""
        if self.count < MOST_SPANS:
            return self
        self.end()
        return Burst(self.queue)

    def told(self, step: ClaimedStep, attempt: Attempt) -> Attempt:
        """The attempt at a step, told of when it has ended; how it ends is its own. What is told of it beside that is
        known before: the thread that does it may have no database.
        """
        try:
            version = compiled(step.version_id)
            kind = version.graph.step(step.node, step.index).type
        except BrokenVersion:
            # Nobody can say what it is.
            return attempt
        facts: dict[str, str | int] = {
            "handoff.run": step.run_id,
            "handoff.workflow": version.workflow,
            "handoff.step": step.node,
            "handoff.attempt": step.attempt,
            "handoff.queue": self.queue,
        }
        if version.number is not None:
            facts["handoff.version"] = version.number
        if step.index is not None:
            facts["handoff.index"] = step.index
        self.count += 1
        return partial(self._done, attempt, kind, facts, step.trace)

    def end(self) -> None:
        """It is over."""
        if self._trace is not None:
            self._trace.end(tracing.now())

    def _done(
        self, attempt: Attempt, kind: str, facts: dict[str, str | int], trace: Trace | None
    ) -> AttemptResult:
        began = tracing.now()
        result = attempt()
        try:
            error = str(result.error.get("code")) if isinstance(result, Errored) else None
            facts["handoff.outcome"] = _outcome(result)
            ended = tracing.now()
            tracing.tell(kind, facts, began, ended, within=self._trace, linked=trace, error=error)
        except Exception:
            log.exception("An attempt can't be told of")
        return result


def begin(queue: str) -> Burst | None:
    """A new one; None where nothing is told of."""
    return Burst(queue) if tracing.is_on() else None


def _outcome(result: AttemptResult) -> str:
    if isinstance(result, Errored):
        return "failed"
    return "waits" if isinstance(result, Suspended) else "succeeded"

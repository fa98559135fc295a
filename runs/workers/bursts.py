"""What a worker does in one go as one trace: a span for each attempt, linked to the trace of its run (R-208)."""

import logging
from collections.abc import Callable

from lib import tracing
from runs.kernel.graphs import graph_of, shown
from runs.store.attempts import AttemptResult, ClaimedStep, Errored, Suspended

log = logging.getLogger(__name__)

MOST_SPANS = 1_000
"""So many attempts are one trace; behind them another one begins."""


class Burst:
    """What a drain executes until it is quiet. It may be told of attempts by several threads."""

    def __init__(self, queue: str) -> None:
        self.queue = queue
        self.count = 0
        self._trace = tracing.begin(f"drain {queue}", {"handoff.queue": queue}, tracing.now())

    @property
    def is_full(self) -> bool:
        """Whether another one is to be begun."""
        return self.count >= MOST_SPANS

    def do(self, step: ClaimedStep, attempt: Callable[[], AttemptResult]) -> AttemptResult:
        """Attempt a step, and tell of it; how the attempt ends is its own."""
        began = tracing.now()
        result = attempt()
        self.count += 1
        try:
            self._tell(step, began, result)
        except Exception:
            log.exception("An attempt can't be told of")
        return result

    def end(self) -> None:
        """It is over."""
        if self._trace is not None:
            self._trace.end(tracing.now())

    def _tell(self, step: ClaimedStep, began: int, result: AttemptResult) -> None:
        version = shown(step.version_id)
        facts: dict[str, str | int] = {
            "handoff.run": step.run_id,
            "handoff.workflow": version.workflow,
            "handoff.step": step.node,
            "handoff.attempt": step.attempt,
            "handoff.queue": self.queue,
            "handoff.outcome": _outcome(result),
        }
        if version.number is not None:
            facts["handoff.version"] = version.number
        if step.index is not None:
            facts["handoff.index"] = step.index
        error = str(result.error.get("code")) if isinstance(result, Errored) else None
        tracing.tell(
            graph_of(step.version_id).step(step.node, step.index).type,
            facts,
            began,
            tracing.now(),
            within=self._trace,
            linked=step.trace,
            error=error,
        )


def another(before: Burst | None, queue: str) -> Burst | None:
    """A new one behind the one before, which is over; None where nothing is told of."""
    if before is not None:
        before.end()
    return Burst(queue) if tracing.is_on() else None


def _outcome(result: AttemptResult) -> str:
    if isinstance(result, Errored):
        return "failed"
    return "waits" if isinstance(result, Suspended) else "succeeded"

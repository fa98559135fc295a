"""An attempt at a step as a span of the trace that its run is of: what it has called hangs under it (R-208)."""

import logging
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from lib import tracing
from lib.tracing import Parent
from runs.kernel.graphs import compiled_or_none
from runs.store.attempts import AttemptResult, ClaimedStep, Errored, Suspended

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Attempt:
    """What is told of an attempt: the type of its step, and of what it is."""

    step: ClaimedStep
    kind: str
    facts: dict[str, str | int]

    def tell(self, began: int, ended: int, result: AttemptResult, burst: Parent | None = None) -> None:
        """It has ended so; `burst`: what its worker does in one go, which is a trace of its own. Raises nothing."""
        try:
            error = str(result.error.get("code")) if isinstance(result, Errored) else None
            facts = self.facts | {"handoff.outcome": _outcome(result)}
            trace, span = self.step.trace, self.step.told
            if trace:
                tracing.tell(
                    self.kind, facts, began, ended, own=span, within=trace, linked=burst, error=error
                )
            if burst:
                tracing.tell(self.kind, facts, began, ended, within=burst, linked=span, error=error)
        except Exception:
            log.exception("An attempt can't be told of")


def attempt_of(step: ClaimedStep, queue: str | None = None) -> Attempt | None:
    """What is known of an attempt before it begins; None where nobody can say what it is."""
    version = compiled_or_none(step.version_id)
    if version is None:
        return None
    node = version.graph.step(step.node, step.index)
    facts: dict[str, str | int] = {
        "handoff.run": step.run_id,
        "handoff.workflow": version.workflow,
        "handoff.step": step.node,
        "handoff.attempt": step.attempt,
        "handoff.queue": queue or node.queue,
    }
    if version.number is not None:
        facts["handoff.version"] = version.number
    if step.index is not None:
        facts["handoff.index"] = step.index
    return Attempt(step, node.type, facts)


def tell_jobs(ended: Sequence[tuple[ClaimedStep, AttemptResult]], applied: Collection[str]) -> None:
    """Tell of attempts of external workers that have ended just now: those whose end was `applied`."""
    now = tracing.now()
    for step, result in ended:
        if step.id in applied and step.began is not None and (attempt := attempt_of(step)):
            attempt.tell(step.began, now, result)


def _outcome(result: AttemptResult) -> str:
    if isinstance(result, Errored):
        return "failed"
    return "waits" if isinstance(result, Suspended) else "succeeded"

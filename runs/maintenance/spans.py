"""Runs as spans: when a life of one has ended it is told of once, in the trace of whoever had it started (R-208)."""

import logging
from collections.abc import Collection

from lib import trace_context, tracing
from runs.store import traces

log = logging.getLogger(__name__)

_FAILED = frozenset({"FAILED", "CANCELLED", "COMPENSATED"})


def tell(runs: Collection[str]) -> None:
    """Tell of these runs, which have just ended; of parts and tests nothing is told. Raises nothing of what tells."""
    if not runs or not tracing.is_on():
        return
    for run in traces.ended_runs(runs):
        try:
            _tell(run)
        except Exception:
            log.exception("A run can't be told of")


def _tell(run: traces.EndedRun) -> None:
    facts: dict[str, str | int] = {
        "handoff.run": run.id,
        "handoff.workflow": run.workflow,
        "handoff.version": run.version,
        "handoff.status": run.status,
        "handoff.life": run.life,
        "handoff.steps": run.steps,
        "handoff.attempts": run.attempts,
    }
    if run.business_key is not None:
        facts["handoff.business_key"] = run.business_key
    error = (run.code or run.status) if run.status in _FAILED else None
    within = trace_context.parse(run.traceparent, run.tracestate)
    own = traces.trace_within(run.id, (run.traceparent, run.tracestate))
    if run.life > 1:
        # Its steps, and those before its first end, are all within its first span.
        within, own = own, own.within(trace_context.span_id(run.id, run.life))
    tracing.tell(f"run {run.workflow}", facts, run.began, run.ended, own=own, within=within, error=error)

"""What is counted where it happens, for no table has it: claims, polls that found nothing, steps that ended.

One call a batch, a microsecond or two each; `config.metrics` shows them.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from engine.catalogue import Json
from engine.statuses import STEP_OPEN, StepStatus
from lib import process_metrics

EMPTY, CONTENDED = "empty", "contended"
ENDED = tuple(sorted(set(StepStatus) - STEP_OPEN))
_EPOCH, _WAITED = 1, 18
"""Columns of a claim's rows: the epoch, which is 1 for who locks the step first, and the seconds since it was made."""

_SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200)

_claims = process_metrics.counter("handoff_claims", "Claims that found steps.")
_sizes = process_metrics.histogram("handoff_claim_batch_size", "Steps that a claim found.", _SIZES)
_nothing = process_metrics.counter(
    "handoff_claim_empty",
    "Polls that found no step: there was none (empty), or others had all of them locked (contended).",
    reason=(EMPTY, CONTENDED),
)
_finished = process_metrics.counter(
    "handoff_steps_finished",
    "Steps that ended by an attempt, a wait, somebody's word or the engine's own decision, by what they became.",
    status=ENDED,
)
_waited = process_metrics.histogram(
    "workflow_engine_job_poll_latency_seconds", "From a step's creation to its first lock.", _SECONDS
)


class Totals(NamedTuple):
    """What all processes of this machine have counted since Handoff began here."""

    finished: int
    claims: int
    contended: int
    empty: int


def totals() -> Totals | None:
    """What was counted here up to now; None where the processes share no folder, so that nobody can sum it."""
    if not process_metrics.are_shared():
        return None
    finished = claims = 0.0
    nothing = {EMPTY: 0.0, CONTENDED: 0.0}
    for metric in process_metrics.collected():
        for sample in metric.samples:
            if sample.name == "handoff_steps_finished_total":
                finished += sample.value
            elif sample.name == "handoff_claims_total":
                claims += sample.value
            elif sample.name == "handoff_claim_empty_total":
                nothing[sample.labels["reason"]] += sample.value
    return Totals(int(finished), int(claims), int(nothing[CONTENDED]), int(nothing[EMPTY]))


def polled(rows: Sequence[Sequence[Json]], *, is_contended: bool = False, is_over: bool = True) -> None:
    """Count a claim with the `rows` that it gave; where there are none, a poll that found nothing, if it `is_over`.

    `is_contended`: there were candidates, and others had all of them (R-200, R-207).
    """
    if not rows:
        if is_over:
            _nothing.labels(CONTENDED if is_contended else EMPTY).inc()
        return
    _claims.inc()
    _sizes.observe(len(rows))
    _waited.observe_all([max(0.0, row[_WAITED]) for row in rows if row[_EPOCH] == 1])


def ended(statuses: Iterable[str]) -> None:
    """Count what steps became by a transaction that is committed; to be tried again, or to wait, is no end."""
    for status, times in Counter(statuses).items():
        if status in ENDED:
            _finished.labels(status).inc(times)

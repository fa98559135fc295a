"""How workers hear of work here, and three gauges of whether that is enough (R-175)."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from statistics import median_low

from django.conf import settings

from engine.catalogue import Json
from lib.clock import now_here
from lib.shared_answers import SharedAnswers
from operations.dispatch.limits import (
    CONTENDED_READY_STEPS,
    CONTENDED_SHARE,
    EMPTY_POLLS_A_SECOND,
    EMPTY_SHARE,
)
from operations.dispatch.store import Sample, samples_since
from runs.ports import OUTBOX
from runs.store.meters import CONTENDED, EMPTY

SPAN = timedelta(minutes=15)
"""The gauges are of the samples of so long: no moment decides."""
SHARED_SECONDS = 1.0
"""All who look are told what was read so long ago at most."""
HEARS = {
    "hints": "Celery’s messages through Redis tell workers that a queue has work; what gets lost they find by looking.",
    "polling": "PostgreSQL’s NOTIFY tells workers that a queue has work, and they look for themselves every 5 seconds.",
    "redis_outbox": "Handoff’s own workers hear by PostgreSQL’s NOTIFY; a relay tells others of jobs through Redis.",
    "kafka_outbox": "Handoff’s own workers hear by PostgreSQL’s NOTIFY; a relay tells others of jobs through Kafka.",
}
"""How workers hear of work, by the mode."""
ADVICE = {
    EMPTY: "Most polls find nothing: raise the interval of the workers that poll, let them wait (wait_seconds), "
    "or run fewer of them.",
    CONTENDED: "Many polls find all steps locked although many are ready: claim bigger batches (max_jobs), spread the "
    "work over more queues, or announce jobs through a broker. More workers would make it worse.",
}
"""What helps, by the reason of polls that found nothing (C-23)."""


@dataclass(frozen=True, slots=True)
class Gauges:
    """Of the last quarter of an hour; those that end in None are so where nobody can sum the counts."""

    at: datetime
    workers: int
    ready: int
    hidden_sessions: int
    is_counted: bool
    lock_waits: int
    per_second: float | None
    contended_share: float | None
    empty_share: float | None
    empty_per_second: float | None

    @property
    def advice(self) -> list[tuple[str, str]]:
        """What to change, each with the reason of the polls that speak for it (`handoff_claim_empty_total`)."""
        reasons: list[str] = []
        is_contended = self.contended_share is not None and self.contended_share >= CONTENDED_SHARE
        if is_contended and self.ready >= CONTENDED_READY_STEPS:
            reasons.append(CONTENDED)
        is_empty = self.empty_share is not None and self.empty_share >= EMPTY_SHARE
        if is_empty and (self.empty_per_second or 0.0) >= EMPTY_POLLS_A_SECOND:
            reasons.append(EMPTY)
        return [(reason, ADVICE[reason]) for reason in reasons]


@dataclass(frozen=True, slots=True)
class Facts:
    """What there is to know; `gauges` is None where there is no sample of the last quarter of an hour."""

    mode: str
    gauges: Gauges | None

    @property
    def hears(self) -> str:
        """How workers hear of work."""
        return HEARS[self.mode]


def facts() -> Facts:
    """All of it; one statement."""
    return _facts(settings.HANDOFF_DISPATCH_MODE)


def _read(mode: str) -> Facts:
    return Facts(mode, gauges_of(samples_since(now_here() - SPAN)))


_facts = SharedAnswers(_read, seconds=SHARED_SECONDS)


def gauges_of(samples: Sequence[Sample]) -> Gauges | None:
    """What these samples say; what was counted is compared with the first sample of the host of the last one."""
    if not samples:
        return None
    last = samples[-1]
    first = next(one for one in samples if one.host == last.host)
    finished, claims, contended, empty = (
        _grown(now, then) for now, then in zip(last[-4:], first[-4:], strict=True)
    )
    seconds = (last.at - first.at).total_seconds()
    # The hosts beside the one that counts do as much for each of their workers.
    hosts = last.processes / last.processes_here if 0 < last.processes_here < last.processes else 1.0
    polls = None if claims is None or contended is None else claims + contended
    everything = None if polls is None or empty is None else polls + empty
    return Gauges(
        at=last.at,
        workers=last.processes + last.outside,
        ready=last.ready,
        hidden_sessions=last.hidden_sessions,
        is_counted=last.finished is not None,
        lock_waits=median_low(one.lock_waits for one in samples),
        per_second=finished / seconds * hosts if finished is not None and seconds else None,
        contended_share=contended / polls if contended is not None and polls else None,
        empty_share=empty / everything if empty is not None and everything else None,
        empty_per_second=empty / seconds * hosts if empty is not None and seconds else None,
    )


def _grown(now: int | None, then: int | None) -> int | None:
    """Nothing is known where a start began anew with 0."""
    return None if now is None or then is None or now < then else now - then


def row(it: Facts) -> dict[str, Json]:
    """The facts as programs are told them (docs/api.md, "Operations")."""
    gauges = it.gauges
    return {
        "mode": it.mode,
        "sampled_at": gauges and gauges.at,
        "workers": gauges and gauges.workers,
        "ready": gauges and gauges.ready,
        "hidden_sessions": gauges and gauges.hidden_sessions,
        "lock_waits": gauges and gauges.lock_waits,
        "steps_per_second": gauges and _rounded(gauges.per_second, 2),
        "contended_share": gauges and _rounded(gauges.contended_share, 4),
        "empty_share": gauges and _rounded(gauges.empty_share, 4),
        "advice": [{"reason": reason, "message": text} for reason, text in gauges.advice] if gauges else [],
        "outbox": next((standing() for standing in OUTBOX), None),
    }


def _rounded(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)

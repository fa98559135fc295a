"""The attempts of a step as the history of its run has them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from engine.catalogue import Json
from engine.events import EventType
from runs.limits import STEP_ATTEMPTS
from runs.models import HistoryEvent

_WORDS_OF_ENDS: Mapping[str, str] = {
    EventType.STEP_COMPLETED: "COMPLETED",
    EventType.STEP_FAILED: "FAILED",
    EventType.STEP_WAITING: "FAILED",
    EventType.ATTEMPT_FAILED: "FAILED",
    EventType.LEASE_LOST: "LOST",
    EventType.STEP_CANCELLED: "CANCELLED",
    EventType.STEP_REQUEUED: "REQUEUED",
}


@dataclass(frozen=True, slots=True)
class Attempt:
    """An attempt that is over, or, `REQUEUED`, that somebody had the step done again.

    `milliseconds`: how long it took; `retry_at`: when the next one was due.
    """

    number: int | None
    ended: str
    at: datetime
    milliseconds: float | None
    error: Mapping[str, Json] | None
    worker: str | None
    by: str | None
    retry_at: datetime | None


def attempts_of(tenant: int, run_id: UUID, node: str, until: int | None = None) -> list[Attempt]:
    """The last attempts of a step, the first one first; `until`: those that the event of this id had ended."""
    events = (
        HistoryEvent.objects.for_tenant(tenant)
        .filter(run_id=run_id, node=node, type__in=list(_WORDS_OF_ENDS))
        .exclude(payload__has_key="index")
        .exclude(type=EventType.STEP_WAITING)
        .order_by("-id")
    )
    if until is not None:
        events = events.filter(id__lte=until)
    rows = events.values_list("type", "attempt", "payload", "created_at")[:STEP_ATTEMPTS]
    return attempts_in(reversed(rows))


def attempts_in(
    events: Iterable[tuple[str, int | None, Mapping[str, Any] | None, datetime]],
) -> list[Attempt]:
    """The attempts that events (type, attempt, payload, when) tell of."""
    return [_attempt(type_, number, payload or {}, at) for type_, number, payload, at in events]


def _attempt(type_: str, number: int | None, payload: Mapping[str, Any], at: datetime) -> Attempt:
    started = payload.get("started_at")
    took = None if started is None else (at - datetime.fromisoformat(started)) / timedelta(milliseconds=1)
    error, retry_in = payload.get("error"), payload.get("retry_in")
    has_next = type_ == EventType.ATTEMPT_FAILED and isinstance(retry_in, int | float)
    return Attempt(
        number,
        _WORDS_OF_ENDS[type_],
        at,
        took,
        error if isinstance(error, Mapping) else None,
        payload.get("worker"),
        payload.get("by"),
        at + timedelta(seconds=retry_in) if has_next and retry_in is not None else None,
    )

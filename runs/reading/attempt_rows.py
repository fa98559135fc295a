"""One row for each attempt at the steps of a run (R-045): those that have ended by its history, then the open ones."""

from collections.abc import Sequence
from typing import Any

from django.db.models import Q, QuerySet

from engine.catalogue import Json
from engine.events import EventType
from engine.statuses import StepStatus
from runs.models import HistoryEvent, Run, StepExecution
from runs.reading.attempts import attempts_in

_ATTEMPT_ENDS = (
    EventType.STEP_COMPLETED,
    EventType.STEP_FAILED,
    EventType.ATTEMPT_FAILED,
    EventType.STEP_CANCELLED,
)
_BETWEEN = (EventType.ATTEMPT_FAILED, EventType.LEASE_LOST, EventType.STEP_RELEASED)
"""Behind these a step is queued: a cancel then ends no attempt."""
OPEN = 100
"""So many attempts that have not ended are told of behind the others."""


def ended_attempts(run: Run, node: str | None = None, index: int | None = None) -> QuerySet[HistoryEvent]:
    """The events by which attempts of a run have ended: of all steps, of one, or of one of its items; unordered."""
    ends = Q(type__in=_ATTEMPT_ENDS, payload__has_key="started_at")
    # What ended while it waited, and what asks an operator what becomes of its failure.
    ends |= Q(type=EventType.STEP_CANCELLED, attempt__gt=0) | Q(type=EventType.LEASE_LOST)
    ends |= Q(type=EventType.STEP_WAITING, payload__has_key="error")
    events = HistoryEvent.objects.for_tenant(run.tenant_id).filter(ends, run_id=run.id)
    if node is not None:
        events = events.filter(node=node)
    return events if index is None else events.filter(payload__index=index)


def open_attempts(run: Run, node: str | None = None, index: int | None = None) -> list[StepExecution]:
    """Attempts that have begun and not ended, the oldest first: of steps that run, or that wait for something else than
    an operator.
    """
    steps = StepExecution.objects.for_tenant(run.tenant_id).filter(
        Q(status=StepStatus.RUNNING) | Q(status=StepStatus.WAITING) & ~Q(waiting__kind="operator"),
        run_id=run.id,
        attempt__gt=0,
    )
    if node is not None:
        steps = steps.filter(node=node)
    if index is not None:
        steps = steps.filter(index=index)
    fields = ("node", "index", "attempt", "status", "worker", "started_at")
    return list(steps.only(*fields).order_by("started_at", "id")[:OPEN])


def ended_rows(run: Run, page: Sequence[HistoryEvent]) -> list[dict[str, Json]]:
    """Attempts that have ended, as programs are given them; one statement more where steps were cancelled or failed."""
    events = _without_repeats(run, page)
    attempts = attempts_in((event.type, event.attempt, event.payload, event.created_at) for event in events)
    return [
        {
            "node": event.node,
            "index": event.payload.get("index"),
            "attempt": max(one.number or 0, 1),
            "status": one.ended,
            "worker": one.worker,
            "started_at": event.payload.get("started_at"),
            "ended_at": one.at,
            "duration_ms": one.milliseconds,
            "error": one.error,
            "next_attempt_at": one.retry_at,
        }
        for event, one in zip(events, attempts, strict=True)
    ]


def _without_repeats(run: Run, page: Sequence[HistoryEvent]) -> list[HistoryEvent]:
    """The events without those by which no attempt ended: a step was given up, or cancelled, between two of them."""
    doubtful = {event.id for event in page if event.type == EventType.STEP_FAILED or _is_bare_cancel(event)}
    if not doubtful:
        return list(page)
    earlier = HistoryEvent.objects.for_tenant(run.tenant_id).filter(
        Q(type__in=_BETWEEN) | Q(type=EventType.STEP_WAITING, payload__has_key="error"),
        run_id=run.id,
        node__in={event.node for event in page if event.id in doubtful},
    )
    ended = {_place(event) for event in earlier.only("node", "payload")}
    return [event for event in page if event.id not in doubtful or _place(event) not in ended]


def _is_bare_cancel(event: HistoryEvent) -> bool:
    return event.type == EventType.STEP_CANCELLED and "started_at" not in event.payload


def _place(event: HistoryEvent) -> tuple[str | None, int | None, int | None]:
    """The step of an event, and the epoch of the attempt before it: a cancel begins one of its own."""
    epoch = event.payload.get("epoch")
    before = epoch - 1 if epoch is not None and _is_bare_cancel(event) else epoch
    return event.node, event.payload.get("index"), before


def open_rows(steps: Sequence[StepExecution]) -> list[dict[str, Any]]:
    """Attempts that have not ended, as programs are given them."""
    nothing = dict.fromkeys(("ended_at", "duration_ms", "error", "next_attempt_at"))
    return [
        {
            "node": step.node,
            "index": step.index,
            "attempt": step.attempt,
            "status": step.status,
            "worker": step.worker,
            "started_at": step.started_at,
            **nothing,
        }
        for step in steps
    ]

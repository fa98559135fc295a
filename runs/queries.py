"""Finding runs, what happened to them and what failed them, always within one tenant."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from engine.statuses import RUN_CLOSING, RUN_OPEN, StepStatus
from runs.models import DeadLetter, HistoryEvent, Run, StepExecution, Worker

Json = Any

PENDING = "PENDING"
WAITING = "WAITING"
SHOWN_STATUSES = (PENDING, WAITING)
"""Statuses that no run has but which runs are shown with (`shown`), by the state of their steps."""
WORKER_SILENT_SECONDS = 20


def get_run_for(tenant: int, run_id: UUID | str) -> Run | None:
    """The tenant's run, or None; its payloads are read when they are asked for."""
    return _slim(Run.objects.for_tenant(tenant)).filter(pk=run_id).first()


def runs_of(
    tenant: int,
    *,
    workflow: str | None = None,
    status: str | None = None,
    business_key: str | None = None,
    created_after: datetime | None = None,
    created_before: datetime | None = None,
) -> QuerySet[Run]:
    """The tenant's runs that fit, unordered and without their payloads; PENDING and WAITING, which are only shown,
    are asked of their steps.
    """
    runs = _slim(Run.objects.for_tenant(tenant))
    if workflow is not None:
        runs = runs.filter(version__workflow__name=workflow)
    if business_key is not None:
        runs = runs.filter(business_key=business_key)
    if created_after is not None:
        runs = runs.filter(created_at__gte=created_after)
    if created_before is not None:
        runs = runs.filter(created_at__lt=created_before)
    if status is None:
        return runs
    if status not in SHOWN_STATUSES and status != "RUNNING":
        return runs.filter(status=status)
    steps = StepExecution.objects.for_tenant(tenant).filter(run_id=OuterRef("pk"))
    begun = Exists(steps.filter(Q(attempt__gt=0) | ~Q(status=StepStatus.QUEUED)))
    waits = Exists(steps.filter(status=StepStatus.WAITING))
    works = Exists(steps.filter(status__in=(StepStatus.QUEUED, StepStatus.RUNNING)))
    runs = runs.filter(status="RUNNING")
    if status == PENDING:
        return runs.filter(~begun)
    if status == WAITING:
        return runs.filter(waits, ~works)
    return runs.filter(begun).filter(~waits | works)


def history_of(run: Run) -> QuerySet[HistoryEvent]:
    """What happened to a run."""
    return HistoryEvent.objects.for_tenant(run.tenant_id).filter(run_id=run.id)


def history_row(event: HistoryEvent) -> dict[str, Json]:
    """One event as the API shows it."""
    return {
        "id": event.id,
        "type": event.type,
        "node": event.node,
        "attempt": event.attempt,
        "payload": event.payload,
        "created_at": event.created_at,
    }


def dead_letters_of(tenant: int) -> QuerySet[DeadLetter]:
    """The tenant's dead letters."""
    return DeadLetter.objects.for_tenant(tenant)


def dead_letter_row(letter: DeadLetter) -> dict[str, Json]:
    """One dead letter as the API shows it."""
    return {
        "id": str(letter.id),
        "run_id": str(letter.run_id),
        "node": letter.node,
        "error": letter.error,
        "attempts": letter.attempts,
        "created_at": letter.created_at,
        "resolution": letter.resolution,
    }


def readiness() -> dict[str, bool]:
    """Whether the database answers and, for each built-in queue, whether a worker was seen lately."""
    seen = set(
        Worker.objects.filter(seen_at__gt=Now() - timedelta(seconds=WORKER_SILENT_SECONDS)).values_list(
            "queue", flat=True
        )
    )
    return {f"queue:{queue}": queue in seen for queue in ("default", "blocking", "engine", "ticks")}


def _slim(runs: QuerySet[Run]) -> QuerySet[Run]:
    return runs.defer("input", "output", "error")


def at_a_glance(tenant: int, most: int) -> tuple[list[str], list[str], list[str]]:
    """The newest runs of a tenant, those that are open, and those that failed: ids, at most `most` of each."""
    runs = Run.objects.for_tenant(tenant).order_by("-id").values_list("id", flat=True)
    parts = runs, runs.filter(status__in=RUN_OPEN | RUN_CLOSING), runs.filter(status="FAILED")
    last, open_now, failed = ([str(run) for run in part[:most]] for part in parts)
    return last, open_now, failed

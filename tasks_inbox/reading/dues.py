"""When open tasks of runs are due, told to lists of runs."""

from collections.abc import Collection, Sequence
from datetime import datetime
from uuid import UUID

from django.db.models import Min, OuterRef, QuerySet, Subquery
from django.db.models.expressions import Combinable

from engine.catalogue import Json
from runs.store.calendars import DueDate
from tasks_inbox.models import OPEN, ManualTask


def dues_of(tenant: int, runs: Collection[UUID]) -> dict[UUID, datetime]:
    """When the next open task of each of these runs of a tenant is due, of those that have one; one statement."""
    rows = _due(tenant).filter(run_id__in=runs).values_list("run_id").annotate(next=Min("due_at"))
    return dict(rows.order_by())


def next_due(tenant: int) -> Combinable:
    """The same of the run of an outer query (its `pk`); NULL where it has none."""
    rows = _due(tenant).filter(run_id=OuterRef("pk")).order_by("due_at")
    return Subquery(rows.values("due_at")[:1])


def counted_by(tenant: int, runs: Collection[UUID], calendar: int) -> list[DueDate]:
    """The due dates of open tasks of these runs that a calendar counted, with its revision; one statement."""
    rows = _due(tenant).filter(run_id__in=runs, facts__contains=[{"calendar": {"id": calendar}}])
    return [
        DueDate(run, workflow, node, "task", due_at, _revision(facts, calendar))
        for run, workflow, node, due_at, facts in rows.values_list(
            "run_id", "workflow_id", "node", "due_at", "facts"
        )
        if due_at is not None
    ]


def _revision(facts: Sequence[Json], calendar: int) -> int:
    counted = (fact["calendar"] for fact in facts if "calendar" in fact)
    return next(int(one["revision"]) for one in counted if one["id"] == calendar)


def _due(tenant: int) -> QuerySet[ManualTask]:
    return ManualTask.objects.for_tenant(tenant).filter(status=OPEN, due_at__isnull=False)

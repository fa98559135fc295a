"""When open tasks of runs are due, told to lists of runs."""

from collections.abc import Collection
from datetime import datetime
from uuid import UUID

from django.db.models import Min, OuterRef, QuerySet, Subquery
from django.db.models.expressions import Combinable

from tasks_inbox.models import OPEN, ManualTask


def dues_of(tenant: int, runs: Collection[UUID]) -> dict[UUID, datetime]:
    """When the next open task of each of these runs of a tenant is due, of those that have one; one statement."""
    rows = _due(tenant).filter(run_id__in=runs).values_list("run_id").annotate(next=Min("due_at"))
    return dict(rows.order_by())


def next_due(tenant: int) -> Combinable:
    """The same of the run of an outer query (its `pk`); NULL where it has none."""
    rows = _due(tenant).filter(run_id=OuterRef("pk")).order_by("due_at")
    return Subquery(rows.values("due_at")[:1])


def _due(tenant: int) -> QuerySet[ManualTask]:
    return ManualTask.objects.for_tenant(tenant).filter(status=OPEN, due_at__isnull=False)

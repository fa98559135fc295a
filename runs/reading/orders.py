"""In which order a list of runs stands: by age along an index, or by dues and waits among the oldest open runs."""

from dataclasses import dataclass
from datetime import UTC, datetime

from django.db.models import DateTimeField, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, Least

from engine.statuses import StepStatus
from runs.models import Run, StepExecution
from runs.reading.task_dues import next_due

LOOKED_AT = 2_000
"""Among so many of the oldest open runs those are looked for that are due first, or have waited longest: no index has
either.
"""
_NEVER = Value(datetime(9999, 1, 1, tzinfo=UTC), output_field=DateTimeField())


@dataclass(frozen=True, slots=True)
class Order:
    """An order: what people call it, the keys by which a list is paged, whether they rise, and whether it is looked
    for among the oldest open runs alone.
    """

    words: str
    keys: tuple[str, ...] = ("id",)
    rises: bool = True
    is_of_open: bool = False


NEWEST = "newest"
ORDERS: dict[str, Order] = {
    NEWEST: Order("Newest first", rises=False),
    "oldest": Order("Oldest first"),
    "due": Order("Due first", ("next_due", "id"), is_of_open=True),
    "waiting": Order("Longest waiting", ("waits_since", "id"), is_of_open=True),
}


def in_order(runs: QuerySet[Run], tenant: int, name: str) -> QuerySet[Run]:
    """These runs of a tenant with the keys of an order; unordered yet."""
    if not ORDERS[name].is_of_open:
        return runs
    still_open = runs.filter(completed_at__isnull=True)
    steps = StepExecution.objects.for_tenant(tenant).filter(status=StepStatus.WAITING)
    if name == "waiting":
        still_open = still_open.filter(pk__in=steps.values("run_id"))
    oldest = still_open.order_by("id").values("pk")[:LOOKED_AT]
    found = Run.objects.for_tenant(tenant).filter(pk__in=oldest).defer("input", "output", "error")
    if name == "waiting":
        since = steps.filter(run_id=OuterRef("pk"), started_at__isnull=False).order_by("started_at")
        first = Subquery(since.values("started_at")[:1])
        return found.annotate(waits_since=Coalesce(first, _NEVER, output_field=DateTimeField()))
    earlier = Least("sla_deadline", next_due(tenant), output_field=DateTimeField())
    return found.annotate(next_due=Coalesce(earlier, _NEVER, output_field=DateTimeField()))

"""In which order a list of runs stands: by age along an index, or by dues, waits and forecasts among the oldest open
runs.
"""

from dataclasses import dataclass
from datetime import UTC, datetime

from django.db.models import DateTimeField, FloatField, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, Least

from engine.statuses import StepStatus
from runs.models import Forecast, Run, StepExecution
from runs.reading.task_dues import next_due

LOOKED_AT = 2_000
"""Among so many of the oldest open runs those are looked for that are due first, or have waited longest: no index has
either.
"""
_NEVER = Value(datetime(9999, 1, 1, tzinfo=UTC), output_field=DateTimeField())
_UNTOLD = Value(-1.0, output_field=FloatField())


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
    "likely": Order("Likely done first", ("likely_done", "id"), is_of_open=True),
    "risk": Order("At risk first", ("deadline_risk", "id"), rises=False, is_of_open=True),
}
FORETOLD = frozenset({"likely", "risk"})
"""Those that are by forecasts."""


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
    if name in FORETOLD:
        return _foretold(found, tenant, name)
    earlier = Least("sla_deadline", next_due(tenant), output_field=DateTimeField())
    return found.annotate(next_due=Coalesce(earlier, _NEVER, output_field=DateTimeField()))


def _foretold(runs: QuerySet[Run], tenant: int, name: str) -> QuerySet[Run]:
    """Runs of which nothing is told stand last."""
    told = Forecast.objects.for_tenant(tenant).filter(run_id=OuterRef("pk"))
    if name == "risk":
        risk = Subquery(told.values("risk")[:1])
        return runs.annotate(deadline_risk=Coalesce(risk, _UNTOLD, output_field=FloatField()))
    p50 = Subquery(told.values("p50")[:1])
    return runs.annotate(likely_done=Coalesce(p50, _NEVER, output_field=DateTimeField()))

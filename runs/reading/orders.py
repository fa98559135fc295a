"""In which order a list of runs stands: by age or by their forecasts along an index, by dues and waits among
the oldest open ones.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from django.db.models import DateTimeField, Exists, FloatField, OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, Least
from django.http import HttpRequest

from engine.statuses import StepStatus
from lib.api.pagination import Cursor, Page, cursor_of, keyset_page, rows_from
from runs.models import Forecast, Run, StepExecution
from runs.reading.task_dues import next_due

LOOKED_AT = 2_000
"""Among so many of the oldest open runs those are looked for that are due first, or have waited longest: no index has
either.
"""
_NEVER = Value(datetime(9999, 1, 1, tzinfo=UTC), output_field=DateTimeField())


@dataclass(frozen=True, slots=True)
class ForecastOrder:
    """A column of forecasts that an order is by, what stands for it where there is none, and what is said of those."""

    column: str
    otherwise: Value
    words: str


@dataclass(frozen=True, slots=True)
class Order:
    """An order: what people call it, the keys by which a list is paged, whether they rise, whether it is of open runs
    alone, and by which forecast it is, if by one; else those are looked for among the oldest.
    """

    words: str
    keys: tuple[str, ...] = ("id",)
    rises: bool = True
    is_of_open: bool = False
    forecast: ForecastOrder | None = None


NEWEST = "newest"
ORDERS: dict[str, Order] = {
    NEWEST: Order("Newest first", rises=False),
    "oldest": Order("Oldest first"),
    "due": Order("Due first", ("next_due", "id"), is_of_open=True),
    "waiting": Order("Longest waiting", ("waits_since", "id"), is_of_open=True),
    "likely": Order(
        "Likely done first",
        ("likely_done", "id"),
        is_of_open=True,
        forecast=ForecastOrder("p50", _NEVER, "Open runs without a forecast stand last."),
    ),
    "risk": Order(
        "At risk first",
        ("deadline_risk", "id"),
        rises=False,
        is_of_open=True,
        forecast=ForecastOrder(
            "risk",
            Value(-1.0, output_field=FloatField()),
            "Open runs without a deadline or a forecast stand last.",
        ),
    ),
}


def page_in_order(
    runs: QuerySet[Run],
    request: HttpRequest,
    tenant: int,
    name: str,
    *,
    limit: int,
    cursor: str | None,
    weight: Callable[[Run], int] | None = None,
    most: int = 0,
) -> Page:
    """A page of these runs of a tenant in an order, with their ids and versions; `weight` and `most` as `keyset_page`
    has them. Raises Invalid for a cursor that doesn't fit.
    """
    order = ORDERS[name]
    if order.forecast is not None:
        at = cursor_of(request, cursor, order.keys)
        runs = _of(tenant, _first_by_forecast(runs, tenant, order, order.forecast, at, limit + 1))
        forecasts = Forecast.objects.for_tenant(tenant).filter(run_id=OuterRef("pk"))
        value = Subquery(forecasts.values(order.forecast.column)[:1])
        runs = runs.annotate(**{order.keys[0]: Coalesce(value, order.forecast.otherwise)})
    elif order.is_of_open:
        runs = _of_oldest(runs.filter(completed_at__isnull=True), tenant, name)
    return keyset_page(
        runs.only("id", "version_id"),
        request,
        keys=order.keys,
        oldest_first=order.rises,
        limit=limit,
        cursor=cursor,
        weight=weight,
        most=most,
    )


def _of(tenant: int, ids: Any) -> QuerySet[Run]:
    return Run.objects.for_tenant(tenant).filter(pk__in=ids)


def _of_oldest(still_open: QuerySet[Run], tenant: int, name: str) -> QuerySet[Run]:
    """The oldest of these open runs with what is due of them, or since when they wait; without those that don't."""
    steps = StepExecution.objects.for_tenant(tenant).filter(status=StepStatus.WAITING)
    if name == "waiting":
        still_open = still_open.filter(pk__in=steps.values("run_id"))
    oldest = _of(tenant, still_open.order_by("id").values("pk")[:LOOKED_AT])
    if name == "waiting":
        since = steps.filter(run_id=OuterRef("pk"), started_at__isnull=False).order_by("started_at")
        first = Subquery(since.values("started_at")[:1])
        return oldest.annotate(waits_since=Coalesce(first, _NEVER, output_field=DateTimeField()))
    earlier = Least("sla_deadline", next_due(tenant), output_field=DateTimeField())
    return oldest.annotate(next_due=Coalesce(earlier, _NEVER, output_field=DateTimeField()))


def _first_by_forecast(
    runs: QuerySet[Run], tenant: int, order: Order, by: ForecastOrder, at: Cursor | None, most: int
) -> list[UUID]:
    """The first `most` of these runs that are open, from a place on: those that an index of forecasts has in order, and
    behind them those that have none, which are looked for only where the others don't fill the page.
    """
    still_open = runs.filter(completed_at__isnull=True)
    forecasts = Forecast.objects.for_tenant(tenant).filter(**{f"{by.column}__isnull": False})
    # As a value and not as EXISTS, of which a join is made that reads all of them: here the index is walked.
    of_it = Subquery(still_open.filter(pk=OuterRef("run_id")).values("pk")[:1])
    open_forecasts = forecasts.alias(open_run=of_it).filter(open_run__isnull=False)
    without_forecast = still_open.exclude(Exists(forecasts.filter(run_id=OuterRef("pk"))))
    without_forecast = without_forecast.annotate(**{order.keys[0]: by.otherwise})
    parts = [
        (open_forecasts, (by.column, "run_id"), "run_id"),
        (without_forecast, order.keys, "pk"),
    ]
    ids: list[UUID] = []
    for rows, keys, of in reversed(parts) if at is not None and at.backwards else parts:
        if len(ids) < most:
            rows = rows_from(rows, at, keys, oldest_first=order.rises)
            ids += rows.values_list(of, flat=True)[: most - len(ids)]
    return ids

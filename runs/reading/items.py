"""The items of a container: how many stand at which status, and which."""

from typing import NamedTuple
from uuid import UUID

from django.db.models import Count, QuerySet

from accounts.principal import Principal
from engine.statuses import StepStatus
from engine.verbs import item_verbs
from runs.limits import COUNTED_ITEMS, PAGE_ITEMS
from runs.models import Container, StepExecution
from runs.reading.presentation import rows_of_items
from runs.reading.run_view import StepView
from runs.reading.stored import Bounds
from runs.store.items import items_as_they_stand


class Item(NamedTuple):
    """An item that has begun: its place in the list, and how it stands."""

    place: int
    status: str


class Grid(NamedTuple):
    """A page of items in their order; `next`: the place after which there are more."""

    items: list[Item]
    next: int | None


def counts_of_items(tenant: int, run_id: UUID, node: str) -> dict[str, int]:
    """How many items of a container stand at which status, the most first; those that have begun."""
    rows = _items(tenant, run_id, node)
    of_container = Container.objects.for_tenant(tenant).filter(run_id=run_id, node=node)
    begun, ended, failed = of_container.values_list("opened", "ended", "failed").first() or (0, 0, 0)
    if begun <= COUNTED_ITEMS:
        counts = rows.order_by().values_list("status").annotate(count=Count("id"))
        return dict(counts.order_by("-count", "status"))
    totals = {StepStatus.COMPLETED.value: ended - failed, StepStatus.FAILED.value: failed}
    if begun > ended:
        # There is one round at a time: the last.
        totals |= dict.fromkeys(rows.order_by("-index").values_list("status", flat=True)[:1], begun - ended)
    return {status: count for status, count in totals.items() if count}


def number_of_items(tenant: int, run_id: UUID, node: str) -> int | None:
    """How many items a container has, those included of runs that its run continues; None before it knows."""
    of_container = Container.objects.for_tenant(tenant).filter(run_id=run_id, node=node)
    counts = of_container.values_list("total", "first").first()
    return None if counts is None else sum(counts)


def grid(
    tenant: int, run_id: UUID, node: str, *, status: str = "", after: int = -1, most: int = PAGE_ITEMS
) -> Grid:
    """Items behind the place `after`, of a status if one is given."""
    items = _items(tenant, run_id, node).filter(index__gt=after)
    if status:
        items = items.filter(status=status)
    rows = items.order_by("index").values_list("index", "status")[: most + 1]
    page_items = [Item(index, status) for index, status in rows if index is not None]
    return Grid(page_items[:most], page_items[most - 1].place if len(page_items) > most else None)


def rows(who: Principal, run_id: UUID, node: str, indexes: list[int], bounds: Bounds) -> list[StepView]:
    """These items as steps are shown to `who`, with what may be done to them."""
    tenant = who.tenant_id
    items = rows_of_items(tenant, run_id, node, indexes, bounds, who) if indexes else []
    if items:
        stands = items_as_they_stand(tenant, str(run_id), node, indexes)
        for row in items:
            row["verbs"] = list(item_verbs(stands[row["index"]].stand)) if row["index"] in stands else []
    return items


def _items(tenant: int, run_id: UUID, node: str) -> QuerySet[StepExecution]:
    return StepExecution.objects.for_tenant(tenant).filter(run_id=run_id, node=node, index__isnull=False)

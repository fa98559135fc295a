"""A page of a list of runs in an order, and how far it was searched: the same for the API and the pages."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from django.db.models import Q, QuerySet
from django.http import HttpRequest

from engine.catalogue import Json
from lib.api.pagination import Page
from lib.refusals import Invalid
from runs.models import Run
from runs.reading import orders, queries, unindexed
from runs.reading.input_index import find
from runs.reading.orders import NEWEST, ORDERS, page_in_order
from runs.reading.queries import STUCK, conditions_of, ids_of, indexed_runs, reads_inputs, runs_of
from runs.reading.search import Wanted, search_page
from runs.reading.searched import Bound, Searched
from runs.reading.unindexed import has_tests


def page_of_runs(
    tenant: int,
    request: HttpRequest,
    filters: Mapping[str, Json],
    within: QuerySet[Run],
    *,
    order: str,
    limit: int,
    cursor: str | None,
    weight: Callable[[Run], int] | None = None,
    most: int = 0,
) -> tuple[Page, Searched | None]:
    """The page that `cursor` asks for of the runs `within` that fit these filters of `queries.runs_of` and `q`, a text;
    and how far it was searched, None where it is complete.

    `weight` and `most` as `keyset_page` has them. Raises Invalid for a cursor that doesn't fit, and for a text with an
    order.
    """
    conditions = {name: value for name, value in filters.items() if name not in ("q", "words")}
    bounds: dict[str, Any] = {"limit": limit, "cursor": cursor, "weight": weight, "most": most}
    text = filters.get("q") or ""
    if text and order != NEWEST:
        raise Invalid("A text search has its own order: leave `order` out.", field="order")
    if order == NEWEST and (text or has_tests(conditions)):
        inputs = tuple(conditions.pop("inputs", ()))
        runs = indexed_runs(tenant, within=within, **conditions)
        test = Wanted(
            text,
            tuple(filters.get("words") or ([text] if text else ())),
            inputs,
            conditions_of(tenant, **conditions) or Q(),
            is_heavy=reads_inputs(conditions),
        )
        if not inputs:
            return search_page(runs, request, test, **bounds)
        of = None if conditions.get("test") else next(iter(ids_of(tenant, conditions.get("workflow"))), None)
        hits = find(tenant, runs, of, inputs)
        test = replace(test, found=hits.runs, is_covered=hits.is_covered)
        return search_page(runs, request, test, **bounds)
    page = page_in_order(runs_of(tenant, within=within, **conditions), request, tenant, order, **bounds)
    return page, _bound(tenant, conditions, within, order)


def _bound(tenant: int, asked: Mapping[str, Json], within: QuerySet[Run], order: str) -> Searched | None:
    """How far runs were searched that an order or a filter bounds; None where that is all of them."""
    runs = indexed_runs(tenant, within=within, **asked)
    if has_tests(asked):
        rows = runs.order_by("-id").values_list("created_at", flat=True)
        count = unindexed.READ_AT_ONCE
        if len(edge := list(rows[count - 1 : count + 1])) > 1:
            return Searched(edge[0], count, is_complete=False, bound=Bound.NEWEST)
    if ORDERS[order].is_of_open and ORDERS[order].forecast is None:
        count = orders.LOOKED_AT
        if runs.filter(completed_at__isnull=True).order_by("id")[count : count + 1].exists():
            return Searched(None, count, is_complete=False, bound=Bound.OLDEST)
    if asked.get("status") == STUCK:
        count = queries.STUCK_READ
        if any(rows[count : count + 1].exists() for rows in queries.stuck_rows(tenant)):
            return Searched(None, count, is_complete=False, bound=Bound.STUCK)
    return None

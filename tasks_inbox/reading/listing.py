"""Lists of tasks: what a search finds, in which order, what comes after one, and how many there are in each view.

A list is of parts (`sources`): each gives its first rows, of which the first are the page.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, reduce
from operator import or_
from typing import Any, NamedTuple
from uuid import UUID

from django.db import connection
from django.db.models import (
    Case,
    F,
    FloatField,
    OuterRef,
    Q,
    QuerySet,
    SmallIntegerField,
    Subquery,
    Value,
    When,
)
from django.db.models.expressions import Combinable
from django.db.models.functions import Coalesce
from django.http import HttpRequest

from accounts.queries import usernames_called
from lib.api.pagination import Cursor, Page, cursor_of, key_values, keyset_page, rows_from
from lib.clock import now_or_none, now_there
from lib.refusals import Invalid
from lib.search_grammar import NotUnderstood
from runs.models import Forecast, Run
from runs.reading.keys import of_key_begun
from tasks_inbox.eligibility.identity import Who
from tasks_inbox.limits import KEYS_FOUND
from tasks_inbox.models import ManualTask
from tasks_inbox.reading import sources
from tasks_inbox.reading.search import Condition, Conditions, OfKey, Person, Titled, conditions
from tasks_inbox.reading.sources import Parts, View, by_id, parts_of, tasks_by_id, titled, to_count
from tasks_inbox.reading.values import TOLD_KEY, ToldIs, told_value
from workflows.models import Workflow

COUNTED_VIEWS: tuple[View, ...] = (
    "mine", "teams", "due", "snoozed", "delegated", "done", "watching", "undecidable",
)  # fmt: skip
WAITING_VIEWS: tuple[View, ...] = ("mine", "teams")


@dataclass(frozen=True, slots=True)
class Order:
    """The keys by which a list is paged, all rising or all falling; `told` is the value that they are of.

    `is_by_forecast`: the first one is of their runs' forecasts.
    """

    keys: tuple[str, ...]
    oldest_first: bool
    told: str | None = None
    is_by_forecast: bool = False


ORDERS: dict[str, Order] = {
    # What is overdue is due before everything else.
    "sla": Order(("at_due", "at_unimportance", "id"), True),
    "due": Order(("at_due", "id"), True),
    "priority": Order(("at_unimportance", "at_due", "id"), True),
    # Those whose run is most likely to miss its deadline.
    "risk": Order(("at_safety", "at_due", "id"), True, is_by_forecast=True),
    "newest": Order(("id",), False),
    "oldest": Order(("id",), True),
}
SORTS = tuple(ORDERS)
UNKNOWN = 2.0
"""The key of tasks whose runs have no forecast: they stand last."""
_BY_VALUE = re.compile(rf"(-?)data\.({TOLD_KEY})")


def order_of(sort: str) -> Order | None:
    """The order of that name: one of `SORTS`, or by a value, `data.amount` or falling `-data.amount`; None: no such.

    Tasks without the value stand last either way.
    """
    if by_value := _BY_VALUE.fullmatch(sort):
        falls, key = by_value.groups()
        return Order(("has_told" if falls else "lacks_told", "told_value", "id"), not falls, key.lower())
    return ORDERS.get(sort)


def told_of(sort: str) -> str | None:
    """The value by which an order is; None where it is by none."""
    return order.told if (order := order_of(sort)) else None


def found(who: Who, parts: Parts, text: str, field: str = "filter") -> list[QuerySet[ManualTask]]:
    """Those of the tasks that a search finds. Raises Invalid at the `field` for a word that says nothing."""
    filters = [
        reduce(or_, [_condition(who.tenant_id, one, is_not=is_not) for is_not, one in clause])
        for clause in check(text, field)
    ]
    workflows = Workflow.objects.for_tenant(who.tenant_id).filter(pk=OuterRef("workflow_id"))
    name = Subquery(workflows.values("name")[:1])
    return [rows.alias(workflow_name=name).filter(*filters) for rows in parts]


def check(text: str, field: str = "filter") -> Conditions:
    """The conditions of a search. Raises Invalid at the `field`."""
    try:
        return conditions(text, now_there())
    except NotUnderstood as fault:
        raise Invalid(str(fault), code="bad_filter", field=field) from None


def fault_of(text: str) -> str:
    """Why a search can't be read; empty for one that can."""
    try:
        check(text)
    except Invalid as fault:
        return fault.message
    return ""


def _condition(tenant: int, one: Condition, *, is_not: bool) -> Q:
    fits = _fits(tenant, one)
    return ~fits if is_not else fits


def _fits(tenant: int, one: Condition) -> Q:
    runs = Run.objects.for_tenant(tenant)
    match one:
        case Titled(part):
            of_title = titled(tenant, part)
            keys = of_key_begun(runs, part, KEYS_FOUND)
            return of_title | Q(run_id__in=keys) if keys else of_title
        case OfKey(key):
            return Q(run_id__in=runs.filter(business_key=key).values("pk"))
        case Person(column, name):
            return Q(**{f"{column}__iexact": name}) | Q(**{f"{column}__in": usernames_called(tenant, name)})
        case ToldIs():
            few = ManualTask.objects.for_tenant(tenant).filter(one.condition("told"))
            return by_id(few) or one.condition("at_told")
    return one


def in_order(tenant: int, tasks: QuerySet[ManualTask], sort: str) -> QuerySet[ManualTask]:
    """The tasks of a tenant with the keys of their order."""
    order = _known(sort)
    if order.is_by_forecast:
        tasks = tasks.alias(at_safety=_safety(tenant))
    if order.told is None:
        return tasks.annotate(**{key: F(key) for key in order.keys if key != "id"})
    has = {"at_told__has_key": order.told}
    there, not_there = (1, 0) if order.oldest_first is False else (0, 1)
    return tasks.annotate(
        **{order.keys[0]: Case(When(**has, then=there), default=not_there, output_field=SmallIntegerField())},
        told_value=told_value("at_told", order.told),
    )


def _safety(tenant: int) -> Combinable:
    """How likely the run of a task meets its deadline, `UNKNOWN` where nobody knows."""
    risk = Forecast.objects.for_tenant(tenant).filter(run_id=OuterRef("run_id")).values("risk")[:1]
    return Coalesce(1 - Subquery(risk, output_field=FloatField()), Value(UNKNOWN), output_field=FloatField())


def _known(sort: str) -> Order:
    order = order_of(sort)
    if order is None:
        names = ", ".join(SORTS)
        raise Invalid(
            f"Sort by {names}, or by a value: data.amount, -data.amount.", code="bad_sort", field="sort"
        )
    return order


def page(
    tenant: int, parts: Parts, request: HttpRequest, sort: str, *, limit: int, cursor: str | None
) -> Page:
    """A page of a list. Raises Invalid for a cursor or an order that there isn't."""
    order = _known(sort)
    at = cursor_of(request, cursor, order.keys)
    rows = in_order(tenant, _first(tenant, parts, sort, at, limit + 1), sort)
    return keyset_page(
        rows, request, keys=order.keys, oldest_first=order.oldest_first, limit=limit, cursor=cursor
    )


def first_of(who: Who, view: View, sort: str, most: int) -> list[ManualTask]:
    """The first tasks of a view in an order."""
    order = _known(sort)
    rows = in_order(who.tenant_id, _first(who.tenant_id, parts_of(who, view=view), sort, None, most), sort)
    return list(rows_from(rows, None, order.keys, oldest_first=order.oldest_first)[:most])


def after(
    tenant: int, parts: Parts, sort: str, task_id: UUID, *, but: Sequence[UUID] = ()
) -> ManualTask | None:
    """Which task comes next after one that was there, or may be no more; at their end, the first of them. Never one
    of `but`.
    """
    order = _known(sort)
    here = in_order(tenant, tasks_by_id(tenant, [task_id]), sort).get()
    others = [rows.exclude(pk__in=[task_id, *but]) for rows in parts]
    for at in (Cursor("", False, key_values(here, order.keys)), None):
        rows = in_order(tenant, _first(tenant, others, sort, at, 1), sort)
        successor = rows_from(rows, at, order.keys, oldest_first=order.oldest_first).first()
        if successor is not None:
            return successor
    return None


def _first(tenant: int, parts: Parts, sort: str, at: Cursor | None, most: int) -> QuerySet[ManualTask]:
    """Tasks among which the first `most` of all parts are, from a place on: all there are where they are one part."""
    if len(parts) == 1:
        return parts[0]
    order = _known(sort)
    first, *others = (
        rows_from(in_order(tenant, rows, sort), at, order.keys, oldest_first=order.oldest_first).values_list(
            "pk"
        )[:most]
        for rows in parts
    )
    return tasks_by_id(tenant, [pk for (pk,) in first.union(*others)])


class Counts(NamedTuple):
    """How many tasks there are in each view, and what `waiting_for` gives; each up to one more than `COUNTED`."""

    views: dict[str, int]
    waiting: int


def counts(who: Who) -> Counts:
    """How many tasks there are; one statement."""
    tally = _counted(who, COUNTED_VIEWS, sources.COUNTED)
    most = sources.COUNTED + 1
    views: dict[str, int] = {view: min(tally.get(view, 0), most) for view in COUNTED_VIEWS}
    return Counts(views, min(tally[_WAITING], most))


def waiting_for(who: Who) -> int:
    """How many tasks wait for them, claimed or open to them, and not snoozed; counted up to one more than
    `MENU_COUNTED`.
    """
    return min(_counted(who, WAITING_VIEWS, sources.MENU_COUNTED)[_WAITING], sources.MENU_COUNTED + 1)


_WAITING = "waiting"


def _counted(who: Who, views: tuple[View, ...], most: int) -> dict[str, int]:
    """How many tasks these views have, and those of `WAITING_VIEWS` together, as many as have to be read to count up to
    one more than `most`.
    """
    with connection.cursor() as cursor:
        cursor.execute(*_counting(who, views, most, now_or_none()))
        return dict(cursor.fetchall())


@lru_cache(maxsize=500)
def _counting(
    who: Who, views: tuple[View, ...], most: int, now: datetime | None
) -> tuple[str, tuple[Any, ...]]:
    """The statement for that, which is the same as long as they are asked by the same marks and have the same rights:
    the database says what time it is, unless a test does (`now`). To put it together takes longer than to execute it,
    and every page asks for it.
    """
    first, *others = (
        rows.annotate(view=Value(view)).values_list("view", "pk")[:rows_read]
        for view in views
        for rows, rows_read in to_count(who, view, most + 1)
    )
    sql, params = first.union(*others).query.sql_with_params()
    # What Django wrote, with values as parameters.
    statement = f"""
        WITH of_views (view, pk) AS MATERIALIZED ({sql})
        SELECT view, count(*) FROM of_views GROUP BY view
         UNION ALL SELECT %s, count(DISTINCT pk) FROM of_views WHERE view = ANY (%s)
    """  # noqa: S608
    return statement, (*params, _WAITING, list(WAITING_VIEWS))

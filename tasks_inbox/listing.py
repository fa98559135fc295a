"""Lists of tasks: what a search finds, in which order, what comes after one, and how many there are in each view."""

from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import reduce
from typing import Any, Literal

from django.db.models import DateTimeField, F, OuterRef, QuerySet, SmallIntegerField, Subquery, Value
from django.db.models.functions import Coalesce

from lib.api.pagination import first_beyond
from lib.clock import now_there
from lib.refusals import Invalid
from tasks_inbox import queries
from tasks_inbox.models import ManualTask
from tasks_inbox.queries import COUNTED, View, Who
from tasks_inbox.search import NotUnderstood, conditions
from workflows.models import Workflow

Json = Any
Sort = Literal["sla", "newest", "oldest"]
SORTS: tuple[Sort, ...] = ("sla", "newest", "oldest")
COUNTED_VIEWS: tuple[View, ...] = ("mine", "teams", "due", "snoozed", "delegated", "done", "watching")
NEVER = datetime(9999, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Order:
    """The keys by which a list is paged, all rising or all falling."""

    keys: tuple[str, ...]
    oldest_first: bool


ORDERS: dict[Sort, Order] = {
    # What is overdue is due before everything else.
    "sla": Order(("due", "unimportance", "id"), True),
    "newest": Order(("id",), False),
    "oldest": Order(("id",), True),
}


def found(who: Who, tasks: QuerySet[ManualTask], text: str) -> QuerySet[ManualTask]:
    """Those of the tasks that a search finds. Raises Invalid at `filter` for a word that says nothing."""
    try:
        wanted = conditions(text, now_there())
    except NotUnderstood as fault:
        raise Invalid(str(fault), code="bad_filter", field="filter") from None
    named = Workflow.objects.for_tenant(who.tenant_id).filter(pk=OuterRef("workflow_id"))
    tasks = tasks.alias(workflow_name=Subquery(named.values("name")[:1]))
    return reduce(lambda rows, one: rows.filter(one), wanted, tasks)


def in_order(tasks: QuerySet[ManualTask], sort: Sort) -> QuerySet[ManualTask]:
    """The tasks with the keys of their order."""
    if sort != "sla":
        return tasks
    due = Coalesce("due_at", Value(NEVER), output_field=DateTimeField())
    return tasks.annotate(due=due, unimportance=Value(0, SmallIntegerField()) - F("priority"))


def after(tasks: QuerySet[ManualTask], sort: Sort, task: ManualTask) -> ManualTask | None:
    """Which of the tasks comes next after one that was there, or may be no more; at their end, the first of them."""
    order = ORDERS[sort]
    at = {"due": str(task.due_at or NEVER), "unimportance": -task.priority, "id": str(task.pk)}
    rows = in_order(tasks.exclude(pk=task.pk), sort)
    values = [at[key] for key in order.keys]
    following = first_beyond(rows, order.keys, values, oldest_first=order.oldest_first)
    return (
        following or rows.order_by(*(key if order.oldest_first else f"-{key}" for key in order.keys)).first()
    )


def counts(who: Who) -> dict[str, int]:
    """How many tasks there are in each view, counted up to `COUNTED`; one statement."""
    views = [
        queries.tasks_of(who, view=view).annotate(view=Value(view)).values_list("view", flat=True)[:COUNTED]
        for view in COUNTED_VIEWS
    ]
    told = Counter(views[0].union(*views[1:], all=True))
    return {view: told[view] for view in COUNTED_VIEWS}

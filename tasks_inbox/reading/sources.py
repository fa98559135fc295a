"""Where the tasks of a view come from: parts of it that an index gives in the order of lists, however many there are.

Most views are what several conditions find, one for each mark of who asks. As one condition with OR they would be read
whole before the first row is known; as parts, the first rows of each are enough for the first of all.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import reduce
from typing import Literal
from uuid import UUID

from django.contrib.postgres.fields import ArrayField
from django.db import connection
from django.db.models import (
    BooleanField,
    Exists,
    ExpressionWrapper,
    F,
    Func,
    JSONField,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    TextField,
    Value,
)

from accounts.names import key_of
from engine.catalogue import Json
from lib.clock import now_there
from tasks_inbox.eligibility import policies, seeing
from tasks_inbox.eligibility.identity import Who
from tasks_inbox.eligibility.policies import EVERYBODY, Absent
from tasks_inbox.models import COMPLETED, FOR_OPERATORS, OPEN, ManualTask, TaskMark, TaskNote
from tasks_inbox.store import queries
from workflows.models import Workflow

View = Literal["mine", "teams", "due", "snoozed", "delegated", "done", "watching", "undecidable", "open"]
VIEWS: tuple[View, ...] = (
    "mine",
    "teams",
    "due",
    "snoozed",
    "delegated",
    "done",
    "watching",
    "undecidable",
    "open",
)
DUE_SOON = timedelta(hours=24)
COUNTED = 10_000
"""Up to so many tasks of a view are counted; of more it is said that there are at least so many."""
MENU_COUNTED = 1_000
"""Up to so many tasks that wait for somebody are counted for each page."""
FEW = 1000
LETTERS = 3
Parts = Sequence[QuerySet[ManualTask]]
"""The tasks of a list, of which one may be in several parts."""


class _Letters(Func):
    """Every three letters of a text that stand beside each other: of titles an index has them."""

    function = "tasks_inbox_letters"
    output_field = ArrayField(TextField())


class _Like(Func):
    """Whether a text is like a pattern, in capitals or not. The database foretells how many are, as it can't of
    `upper(title)`.
    """

    arg_joiner = " ILIKE "
    template = "%(expressions)s"
    output_field = BooleanField()


@dataclass(frozen=True, slots=True)
class Source:
    """Tasks for which `holds` is true; with `marks`, open ones that nobody has, that ask one of them and bar none of
    `keys`.
    """

    holds: Q
    marks: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()

    def of(self, tasks: QuerySet[ManualTask]) -> QuerySet[ManualTask]:
        """Those of the tasks that are its own, once for each mark, with the columns of their order."""
        if not self.marks:
            return _with_keys(tasks, "").filter(self.holds)
        tasks = tasks.filter(marks__mark__in=self.marks, marks__tenant_id=F("tenant_id"))
        # What is named from here on is of the mark that was just found: a condition on marks would join them anew.
        tasks = _with_keys(tasks, "marks__").alias(at_barred=F("marks__barred"))
        return tasks.filter(self.holds, ~Q(at_barred__overlap=list(self.keys)))

    def condition(self, tenant: int) -> Q:
        """The same as a condition of any task of a tenant."""
        if not self.marks:
            return self.holds
        marks = TaskMark.objects.for_tenant(tenant)
        marks = marks.filter(task_id=OuterRef("pk"), mark__in=self.marks)
        return self.holds & Q(Exists(marks.exclude(barred__overlap=list(self.keys))))

    def parts(self) -> list["Source"]:
        """One for each of its marks."""
        return [Source(self.holds, (mark,), self.keys) for mark in self.marks] or [self]


def _with_keys(tasks: QuerySet[ManualTask], of: str) -> QuerySet[ManualTask]:
    values = ExpressionWrapper(F(f"{of}told"), JSONField())
    return tasks.alias(at_due=F(f"{of}due"), at_unimportance=F(f"{of}unimportance"), at_told=values)


def tasks_by_id(tenant: int, ids: Iterable[UUID]) -> QuerySet[ManualTask]:
    """These tasks of a tenant, as lists have them."""
    return _with_keys(ManualTask.objects.for_tenant(tenant).defer(*queries.LARGE).filter(pk__in=ids), "")


def to_count(who: Who, view: View, most: int) -> list[tuple[QuerySet[ManualTask], int]]:
    """The tasks of a view to be counted up to `most`, and of how many rows that takes: a task is one for each mark."""
    tasks = ManualTask.objects.for_tenant(who.tenant_id)
    return [(source.of(tasks), most * max(1, len(source.marks))) for source in sources(who, view)]


def parts_of(who: Who, *, view: View | None = None, **filters: Json) -> list[QuerySet[ManualTask]]:
    """The tasks that fit as parts, which may have tasks in common; what `filters` may be, `tasks_of` says."""
    tasks = _fitting(who, **filters)
    return [part.of(tasks) for source in sources(who, view) for part in source.parts()]


def tasks_of(who: Who, *, view: View | None = None, **filters: Json) -> QuerySet[ManualTask]:
    """The tasks of who asks' tenant that fit, unordered, without what only one task's page shows.

    `workflow` (its name), `run`, `assignee`, `due_before` (open ones), `q` (a part of the title): none means any.
    """
    tasks = _with_keys(_fitting(who, **filters), "")
    return tasks.filter(reduce(Q.__or__, (one.condition(who.tenant_id) for one in sources(who, view))))


def _fitting(
    who: Who,
    *,
    workflow: str | None = None,
    run: UUID | None = None,
    assignee: str | None = None,
    due_before: datetime | None = None,
    q: str | None = None,
) -> QuerySet[ManualTask]:
    tasks = ManualTask.objects.for_tenant(who.tenant_id).defer(*queries.LARGE)
    if workflow is not None:
        workflows = Workflow.objects.for_tenant(who.tenant_id).filter(name=workflow)
        tasks = tasks.filter(workflow_id=Subquery(workflows.values("id")[:1]))
    if run is not None:
        tasks = tasks.filter(run_id=run)
    if assignee is not None:
        tasks = tasks.filter(assignee__iexact=assignee)
    if due_before is not None:
        tasks = tasks.filter(status=OPEN, due_at__lt=due_before)
    return tasks if q is None else tasks.filter(titled(who.tenant_id, q))


def titled(tenant: int, part: str) -> Q:
    """Tasks in whose title this stands: by id where they are few, so that nobody looks for them among a million others.

    Of a word of one or two letters no index knows.
    """
    holds = Q(_Like(F("title"), Value(f"%{connection.ops.prep_for_like_query(part)}%")))
    if len(part) < LETTERS:
        return holds
    few = ManualTask.objects.for_tenant(tenant).alias(letters=_Letters("title"))
    return by_id(few.filter(holds, letters__contains=_Letters(Value(part)))) or holds


def by_id(tasks: QuerySet[ManualTask]) -> Q | None:
    """These tasks as a condition, where they are few; None where they are not."""
    ids = list(tasks.values_list("pk", flat=True)[: FEW + 1])
    return Q(pk__in=ids) if len(ids) <= FEW else None


def sources(who: Who, view: View | None) -> list[Source]:
    """Of what a view consists; None is the view of all tasks that they may see."""
    if view is not None:
        return _SOURCES[view](who)
    if who.folders is None:
        return [Source(Q())]
    # Not `seeing.concerning` as a whole: no index finds that among a million. What is closed and asked them once is
    # found by its link.
    own = (_open, _snoozed, _delegated, _done, _watching, _held)
    return [Source(seeing.readable(who)), *(one for view in own for one in view(who))]


def _mine(who: Who) -> list[Source]:
    name, awake = who.username, _awake(who)
    has = Q(assignee=name, returned_to__isnull=True)
    own = [Source(Q(status=OPEN) & one & awake) for one in (has, Q(returned_to=name), Q(asked_of=name))]
    votes = [Source(awake, (policies.proxy_mark(name),), (key_of(name),))]
    for absent in who.absent:
        keys = (key_of(absent.username), key_of(name))
        votes.append(Source(awake & _within(absent), (policies.proxy_mark(absent.username),), keys))
    return [*own, *votes]


def _held(who: Who) -> list[Source]:
    """Open tasks that they have, that wait for them, or of which somebody asks them something."""
    name = who.username
    has = (Q(assignee=name, returned_to__isnull=True), Q(returned_to=name), Q(asked_of=name))
    return [Source(Q(status=OPEN) & one) for one in has]


def _teams(who: Who) -> list[Source]:
    return [Source(one.holds & _awake(who), one.marks, one.keys) for one in _open(who)]


def _due(who: Who) -> list[Source]:
    soon = Q(at_due__lt=now_there() + DUE_SOON)
    return [Source(one.holds & soon, one.marks, one.keys) for one in [*_mine(who), *_teams(who)]]


def _open(who: Who) -> list[Source]:
    """What is open to somebody; to those who may decide nothing, by their marks, forms of their own alone."""
    key = key_of(who.username)
    own = _answering(who.tenant_id, who.marks, who.decides_in, seeing.operable(who), (key,))
    return own + [one for absent in who.absent for one in _asks(who.tenant_id, absent, key)]


def _answering(
    tenant: int, marks: tuple[str, ...], decides_in: Iterable[int] | None, holds: Q, keys: tuple[str, ...]
) -> list[Source]:
    """What is open to who answers to these marks: as `seeing.answering`."""
    if decides_in is None or EVERYBODY not in marks:
        return [Source(holds, marks, keys)]
    own_marks = tuple(mark for mark in marks if mark != EVERYBODY)
    everybody = Source(holds & seeing.lying_in(tenant, decides_in), (EVERYBODY,), keys)
    return [Source(holds, own_marks, keys), everybody]


def _asks(tenant: int, absent: Absent, key: str) -> list[Source]:
    """What `policies.stands_in` lets somebody decide in the place of one who is away."""
    holds = _within(absent)
    keys = (key_of(absent.username), key)
    claims = Q(status=OPEN, assignee=absent.username, returned_to__isnull=True)
    claims &= Q(delegated_by__isnull=False) | seeing.answering(tenant, absent.marks, absent.decides_in)
    claims &= ~Q(exclude__overlap=list(keys)) & ~Q(voted__overlap=list(keys))
    return [Source(holds & claims), *_answering(tenant, absent.marks, absent.decides_in, holds, keys)]


def _within(absent: Absent) -> Q:
    """Tasks of the kinds and workflows in which somebody stands in for one who is away."""
    holds = ~Q(kind__in=FOR_OPERATORS)
    return holds if absent.workflows is None else holds & Q(workflow_id__in=absent.workflows)


def _snoozed(who: Who) -> list[Source]:
    return [Source(Q(status=OPEN) & _noted(who, snoozed_until__gt=now_there()) & seeing.seen(who))]


def _delegated(who: Who) -> list[Source]:
    gave = Q(status=OPEN, proxies__contains=[{"by": who.username}]) & ~Q(proxies=[])
    gave &= ~Q(voted__contains=[key_of(who.username)])
    return [Source(Q(status=OPEN, delegated_by=who.username) & ~Q(assignee=who.username)), Source(gave)]


def _done(who: Who) -> list[Source]:
    # The second condition says nothing new; by it PostgreSQL knows that the index holds them.
    votes = Q(voted__contains=[key_of(who.username)]) & ~Q(voted=[])
    return [Source(Q(status=COMPLETED, decided_by=who.username)), Source(votes)]


def _watching(who: Who) -> list[Source]:
    return [Source(_noted(who, watching=True) & seeing.seen(who))]


def _undecidable(who: Who) -> list[Source]:
    """What nobody, or not enough people, can decide, for those who may say whom it is to ask instead."""
    stuck = Q(status=OPEN, undecidable_since__isnull=False, is_test=False)
    return [Source(stuck & seeing.readable(who) & seeing.operated(who) if who.assigns else Q(pk__in=[]))]


def _noted(who: Who, **filters: Json) -> Q:
    notes = TaskNote.objects.for_tenant(who.tenant_id).filter(task_id=OuterRef("pk"), username=who.username)
    return Q(Exists(notes.filter(**filters)))


def _awake(who: Who) -> Q:
    return ~_noted(who, snoozed_until__gt=now_there())


_SOURCES: Mapping[View, Callable[[Who], list[Source]]] = {
    "mine": _mine,
    "teams": _teams,
    "due": _due,
    "snoozed": _snoozed,
    "delegated": _delegated,
    "done": _done,
    "watching": _watching,
    "undecidable": _undecidable,
    "open": _open,
}

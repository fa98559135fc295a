"""Finding runs, what happened to them and what failed them, always within one tenant."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime, timedelta
from functools import reduce
from operator import and_, or_
from typing import Any
from uuid import UUID

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Subquery
from django.db.models.expressions import RawSQL

from accounts.principal import Principal
from accounts.queries import usernames_called
from accounts.roles import READ
from engine.catalogue import Json
from engine.statuses import RUN_CLOSING, RUN_ENDED, RUN_OPEN, RUN_UNDOING, STEP_OPEN, RunStatus, StepStatus
from lib.clock import now_here
from lib.uuid7 import least_at
from runs.access import readable, readable_runs
from runs.models import UNSEALED, DeadLetter, HistoryEvent, Repair, Run, RunKey, StepExecution, Timer
from runs.reading.run_view import PENDING, SHOWN_STATUSES, WAITING
from runs.reading.search_words import Waiting
from runs.reading.story import TOLD_OF_CHILDREN, UNTOLD
from runs.reading.unindexed import (
    BYTES_TESTED,
    UNINDEXED,
    UNRESOLVED,
    condition_of,
    holds_text,
    of_newest,
)
from workflows.access import open_to
from workflows.limits import OPEN_RUNS_COUNTED
from workflows.models import Workflow

FOR_PEOPLE, STUCK = "WAITING_FOR_PEOPLE", "STUCK"
ASKED_STATUSES = (*SHOWN_STATUSES, FOR_PEOPLE, UNRESOLVED, STUCK)
"""What runs can be asked for by as if it were a status: those, what waits for people, failures that nobody has seen to,
and what should go on and doesn't."""
TIMER_LATE, STEP_LATE = timedelta(minutes=1), timedelta(minutes=5)
"""A run is stuck whose timer is overdue, or whose step could have been begun, for longer than this."""
STUCK_READ = 10_000
"""So many late timers, steps and repairs are read to find the runs that are stuck."""
ME = "me"
"""Whoever asks, where a name is asked for."""
_SKEW = timedelta(hours=1)
"""How far the clock that makes ids may be off the database's."""


def get_run_for(tenant: int, run_id: UUID | str) -> Run | None:
    """The tenant's run, or None; its payloads are read when they are asked for."""
    return _slim(Run.objects.for_tenant(tenant)).filter(pk=run_id).first()


def find_readable(principal: Principal, run_id: UUID) -> Run | None:
    """The run, if there is one that they may read."""
    return readable(_slim(Run.objects.for_tenant(principal.tenant_id)), principal).filter(pk=run_id).first()


def run_with_key(tenant: int, workflow: str, business_key: str) -> str | None:
    """The id of the run that a business key of a workflow stands for; None where there is none."""
    keys = RunKey.objects.for_tenant(tenant).filter(
        workflow_id=Subquery(_workflows(tenant).filter(name=workflow).values("id")[:1]),
        business_key=business_key,
    )
    run_id = keys.values_list("run_id", flat=True).first()
    return None if run_id is None else str(run_id)


def runs_of(tenant: int, *, within: QuerySet[Run] | None = None, **filters: Json) -> QuerySet[Run]:
    """The tenant's runs that fit the filters of `indexed_runs`, of `within` if that is given. `UNINDEXED` filters, and
    the status `UNRESOLVED`, are tested of the newest `READ_AT_ONCE` of those that fit otherwise: `has_tests` says where
    the answer may be a bound.
    """
    runs = indexed_runs(tenant, within=within, **filters)
    condition = conditions_of(tenant, **filters)
    if condition is None:
        return runs
    return of_newest(runs, condition, most_bytes=BYTES_TESTED if reads_inputs(filters) else None)


def reads_inputs(filters: Mapping[str, Json]) -> bool:
    """Whether inputs of runs are read to test these filters."""
    leaves = [leaf for clause in filters.get("where", ()) for _, leaf in clause]
    return any(not {"q", "inputs"}.isdisjoint(one) for one in (filters, *leaves))


def has_text(filters: Mapping[str, Json]) -> bool:
    """Whether a text is searched for, of which no index knows all."""
    leaves = [leaf for clause in filters.get("where", ()) for _, leaf in clause]
    return any("q" in one for one in (filters, *leaves))


def conditions_of(tenant: int, **filters: Json) -> Q | None:
    """What has to be tested of each run for these filters; None where an index has all of them. `where`: clauses, each
    of conditions (whether it must not hold, and filters) of which one is enough.
    """
    own = condition_of(tenant, **filters)
    is_test = bool(filters.get("test"))
    clauses = [
        reduce(or_, [_leaf(tenant, leaf, is_test, is_not=is_not) for is_not, leaf in clause])
        for clause in filters.get("where", ())
    ]
    parts = [*([] if own is None else [own]), *clauses]
    return reduce(and_, parts) if parts else None


def _leaf(tenant: int, filters: Mapping[str, Json], is_test: bool, *, is_not: bool) -> Q:
    """That a run fits these filters, or does not."""
    fits = holds_text(filters["q"]) if "q" in filters else _fits(tenant, filters, is_test)
    return ~fits if is_not else fits


def _fits(tenant: int, filters: Mapping[str, Json], is_test: bool) -> Q:
    own, condition = dict(filters), condition_of(tenant, **filters)
    indexed = own.keys() - UNINDEXED
    there = Exists(indexed_runs(tenant, **own | {"test": is_test}).filter(pk=OuterRef("pk")))
    return (Q(there) if indexed else Q()) & (condition or Q())


def indexed_runs(
    tenant: int,
    *,
    workflow: str | None = None,
    status: str | None = None,
    statuses: Collection[str] = (),
    business_key: str | None = None,
    created_after: datetime | None = None,
    created_before: datetime | None = None,
    created_by: str | None = None,
    starter: str | None = None,
    at_step: str | None = None,
    waiting: Waiting | None = None,
    test: bool = False,
    within: QuerySet[Run] | None = None,
    **tested: Json,
) -> QuerySet[Run]:
    """The tenant's runs that fit, of `within` if that is given; unordered and without their payloads. What is no status
    of a run (`SHOWN_STATUSES`) is asked of their steps. Test runs are among them only if they are asked for, and then
    alone. `at_step`: the node of a step that is open. `starter`: a username, or the full name of members.

    `tested`: `UNINDEXED` filters, for `condition_of`. One statement finds the `workflow` of that name, before any run
    is read. Raises TypeError for a filter that there is not.
    """
    if unknown := tested.keys() - UNINDEXED:
        raise TypeError(f"Runs have no filter {', '.join(sorted(unknown))}.")
    runs = Run.objects.for_tenant(tenant) if within is None else within
    runs = _slim(runs).filter(is_test=test, is_part=False)
    if workflow is not None:
        runs = runs.filter(workflow_id__in=ids_of(tenant, workflow))
    if business_key is not None:
        runs = runs.filter(business_key=business_key)
    if created_after is not None:
        runs = runs.filter(created_at__gte=created_after, id__gte=least_at(created_after, -_SKEW))
    if created_before is not None:
        runs = runs.filter(created_at__lt=created_before, id__lt=least_at(created_before, _SKEW))
    if statuses:
        runs = runs.filter(status__in=statuses)
    if status is not None:
        runs = _shown_as(runs, tenant, status)
    if at_step is not None:
        at_it = StepExecution.objects.for_tenant(tenant).filter(node=at_step, status__in=sorted(STEP_OPEN))
        runs = runs.filter(completed_at__isnull=True, pk__in=at_it.values("run_id"))
    if waiting is not None:
        runs = runs.filter(completed_at__isnull=True, pk__in=_waits(tenant, waiting).values("run_id"))
    if starter is not None:
        runs = runs.filter(created_by__in=[starter, *usernames_called(tenant, starter)])
    return runs if created_by is None else runs.filter(created_by=created_by)


def _waits(tenant: int, waiting: Waiting) -> QuerySet[StepExecution]:
    steps = StepExecution.objects.for_tenant(tenant).filter(status=StepStatus.WAITING)
    since = now_here() - waiting.span
    return steps.filter(started_at__lt=since) if waiting.longer else steps.filter(started_at__gte=since)


def is_me(by: str) -> bool:
    """Whether a filter by who started a run names whoever asks."""
    return by.lower() == ME


def starter(by: str, who: str) -> dict[str, Json]:
    """What such a filter asks of `indexed_runs` where `who` asks: a username, or what somebody is called."""
    return {"created_by": who} if is_me(by) else {"starter": by}


def ids_of(tenant: int, workflow: str | None) -> list[int]:
    """The id of the workflow of this name, if there is one. It is asked for first: not knowing which it is, PostgreSQL
    reads all runs to find those of a workflow that has few.
    """
    return list(_workflows(tenant).filter(name=workflow).values_list("pk", flat=True))


def _workflows(tenant: int) -> QuerySet[Workflow]:
    return Workflow.objects.for_tenant(tenant)


def workflow_names(principal: Principal, most: int) -> list[tuple[str, str]]:
    """The names of the workflows that they may read with their titles, in the order of the names, at most so many."""
    return list(open_to(principal, READ).order_by("name").values_list("name", "title")[:most])


def open_runs_by_version(
    workflow: Workflow, *, most: int | None = OPEN_RUNS_COUNTED, movable: bool = False
) -> dict[int, int]:
    """How many open runs each version of a workflow has, by its id, without tests and what is part of other runs; of
    more than `most` the newest are counted. `movable`: those that may go on with another version.
    """
    runs = Run.objects.for_tenant(workflow.tenant_id).filter(
        workflow_id=workflow.pk,
        status__in=sorted(RUN_OPEN if movable else set(RunStatus) - RUN_ENDED),
        is_test=False,
        is_part=False,
    )
    versions = runs.order_by("-id").values_list("version_id", flat=True)
    if most is not None:
        return dict(Counter(versions[:most]))
    return dict(runs.order_by().values_list("version_id").annotate(count=Count("id")))


def _shown_as(runs: QuerySet[Run], tenant: int, status: str) -> QuerySet[Run]:
    """Those of the runs that are shown with this status."""
    if status == UNRESOLVED:
        return runs.filter(status=RunStatus.FAILED)
    if status == STUCK:
        return _stuck(runs, tenant)
    if status not in ASKED_STATUSES and status != "RUNNING":
        return runs.filter(status=status)
    steps = StepExecution.objects.for_tenant(tenant)
    of_run = steps.filter(run_id=OuterRef("pk"))
    begun = Exists(of_run.filter(Q(attempt__gt=0) | ~Q(status=StepStatus.QUEUED)))
    # Few steps wait: they are found first, and then their runs.
    waits = Q(pk__in=steps.filter(status=StepStatus.WAITING).values("run_id"))
    works = Exists(of_run.filter(status__in=(StepStatus.QUEUED, StepStatus.RUNNING)))
    if status == FOR_PEOPLE:
        # Whatever the run does meanwhile: one that undoes its steps may ask a person, too.
        return runs.filter(completed_at__isnull=True, pk__in=RawSQL(_ASKING, [tenant]))  # noqa: S611
    runs = runs.filter(status="RUNNING")
    if status == PENDING:
        return runs.filter(~begun)
    if status == WAITING:
        return runs.filter(waits, ~works)
    return runs.filter(begun).filter(~waits | works)


_ASKING = """
WITH RECURSIVE asking AS (
    SELECT s.run_id FROM runs_stepexecution s
     WHERE s.tenant_id = %s AND s.status = 'WAITING' AND s.waiting -> 'source' = '"person"'
     UNION
    SELECT r.parent_id FROM asking a JOIN runs_run r ON r.id = a.run_id WHERE r.is_part AND r.parent_id IS NOT NULL
)
SELECT a.run_id FROM asking a
"""
"""The runs in which a person is asked, and those of which such a run is a part."""


def _stuck(runs: QuerySet[Run], tenant: int) -> QuerySet[Run]:
    """Those of the open runs that nothing moves, or not in time."""
    late, unbegun, unmoved = stuck_rows(tenant)
    # A union, since an `or` would have every run looked at.
    run_ids = late[:STUCK_READ].union(unbegun[:STUCK_READ], unmoved[:STUCK_READ])
    return runs.filter(completed_at__isnull=True, pk__in=run_ids)


def stuck_rows(tenant: int) -> tuple[QuerySet[Any], QuerySet[Any], QuerySet[Any]]:
    """The ids of runs whose timers are late, whose steps nobody begins, and that nothing moves, each in an order; of
    each `STUCK_READ` are read.
    """
    now = now_here()
    timers = Timer.objects.for_tenant(tenant).filter(status="PENDING", fire_at__lt=now - TIMER_LATE)
    steps = StepExecution.objects.for_tenant(tenant).filter(status=StepStatus.QUEUED, held=False)
    unmoved = Repair.objects.for_tenant(tenant).filter(done=False)
    unbegun = steps.filter(available_at__lt=now - STEP_LATE).order_by("available_at")
    ids = (timers.order_by("fire_at"), unbegun, unmoved.order_by("-id"))
    late, begun, moved = (rows.values("run_id") for rows in ids)
    return late, begun, moved


def history_of(run: Run) -> QuerySet[HistoryEvent]:
    """What happened to a run."""
    return HistoryEvent.objects.for_tenant(run.tenant_id).filter(run_id=run.id)


def story_events(tenant: int, run_id: UUID, below: Collection[int] = ()) -> QuerySet[HistoryEvent]:
    """What a story tells of a run's history (`runs/reading/story.py`), and these events of the runs below it."""
    of_children = Q(payload__has_key="index") & ~Q(type__in=TOLD_OF_CHILDREN)
    own = Q(run_id=run_id) & ~(of_children | Q(type__in=UNTOLD))
    return HistoryEvent.objects.for_tenant(tenant).filter(own | Q(id__in=below) if below else own)


def undone_by(tenant: int, steps: Iterable[UUID]) -> dict[UUID, str]:
    """Those of these steps that undo another one → the node that they undo."""
    rows = StepExecution.objects.for_tenant(tenant).filter(pk__in=steps).values_list("pk", "undoes")
    return {step: undoes for step, undoes in rows if undoes is not None}


def asking(tenant: int, steps: Iterable[UUID]) -> set[UUID]:
    """Those of these steps that have failed and ask what becomes of that."""
    rows = StepExecution.objects.for_tenant(tenant).filter(pk__in=list(steps), waiting__kind="operator")
    return set(rows.values_list("pk", flat=True))


def history_row(event: HistoryEvent) -> dict[str, Json]:
    """One event as the API shows it."""
    return {
        "id": event.id,
        "type": event.type,
        "node": event.node,
        "attempt": event.attempt,
        "payload": event.payload,
        "created_at": event.created_at,
    }


def dead_letters_of(tenant: int) -> QuerySet[DeadLetter]:
    """The tenant's dead letters."""
    return DeadLetter.objects.for_tenant(tenant)


def _slim(runs: QuerySet[Run]) -> QuerySet[Run]:
    return runs.defer("input", "output", "error")


def at_a_glance(principal: Principal, most: int) -> tuple[list[str], list[str], list[str]]:
    """The newest runs that they may read, those that are open, and those that failed and that nobody has seen to since:
    ids, at most `most` of each.
    """
    tenant = principal.tenant_id
    real = readable_runs(principal).filter(is_test=False, is_part=False)
    runs = real.order_by("-id").values_list("id", flat=True)
    # By the index of those that are open: where none of them may be read, all runs would be looked through.
    open_now = runs.filter(status__in=RUN_OPEN | RUN_CLOSING | RUN_UNDOING, completed_at=None)
    unresolved = runs_of(tenant, status=UNRESOLVED, within=real)
    failed = unresolved.order_by("-id").values_list("id", flat=True)
    last, at_work, unseen = ([str(run) for run in part[:most]] for part in (runs, open_now, failed))
    return last, at_work, unseen


def changed_at(tenant: int, run: UUID) -> datetime | None:
    """When anything last happened to a run; None where its history is gone."""
    events = HistoryEvent.objects.for_tenant(tenant).filter(run_id=run).order_by("-id")
    return events.values_list("created_at", flat=True).first()


def repairs() -> tuple[int, int]:
    """How much was repaired that nothing would have moved, and how many open runs can't be: both must be 0."""
    count = Repair.unsafe_all_tenants.filter(done=True).count()
    stuck_runs = Repair.unsafe_all_tenants.filter(done=False).values("run_id")
    still_open = Run.unsafe_all_tenants.filter(pk__in=stuck_runs, completed_at__isnull=True)
    return count, still_open.count()


def not_over_before(runs: QuerySet[Run], moment: datetime) -> QuerySet[Run]:
    """Those of the runs that are open, or have ended since."""
    return runs.filter(Q(completed_at__isnull=True) | Q(completed_at__gte=moment))


def unsealed(runs: QuerySet[Run]) -> QuerySet[Run]:
    """Those of the runs with a life that has ended and whose history has no seal yet."""
    return runs.filter(UNSEALED)

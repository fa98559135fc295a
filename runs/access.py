"""Who may reach which run: whom the folder of its workflow lets (R-162)."""

from collections.abc import Iterable
from typing import Any, TypeVar
from uuid import UUID

from django.db.models import Model, OuterRef, Q, QuerySet, Subquery

from accounts.guards import note, require_in
from accounts.principal import Principal
from accounts.roles import READ, RUNS_START
from runs.limits import NAMED_WORKFLOWS
from runs.models import Calendar, DeadLetter, Run
from runs.store.items import item_as_it_stands
from workflows.access import open_to
from workflows.models import Workflow

T = TypeVar("T", bound=Model)


def guard_run(principal: Principal, scope: str, run_id: UUID | str) -> None:
    """Let pass who may do what the scope is about with the run. Raises Missing and Forbidden."""
    if not principal.reach.is_everywhere:
        folder = next(iter(folders_of_runs(principal.tenant_id, [run_id]).values()), None)
        require_in(principal, scope, folder, "this run", "There is no such run.")
    note("run_id", scope, run_id)


def guard_item(principal: Principal, scope: str, run: str, node: str, index: int | None) -> None:
    """Let pass who may do what the scope is about with the run of an item, or the run that a step waits for.

    What a container does by itself belongs to the workflow that has it. Raises Missing and Forbidden.
    """
    read = item_as_it_stands(principal.tenant_id, run, node, index)
    if read is not None and read.child is not None and not read.child_is_part:
        guard_run(principal, scope, read.child)


def require_rerun(principal: Principal, run_id: UUID) -> None:
    """Let pass who may start another run like this one, beside operating it. Raises Missing and Forbidden."""
    principal.require(RUNS_START)
    guard_run(principal, RUNS_START, run_id)


def folders_of_runs(tenant_id: int, runs: Iterable[UUID | str]) -> dict[UUID, int]:
    """The folders in which the workflows of these runs lie now, in one statement; without runs that there are not."""
    workflow = Workflow.objects.for_tenant(tenant_id).filter(pk=OuterRef("workflow_id"))
    rows = Run.objects.for_tenant(tenant_id).filter(pk__in=list(runs))
    return dict(rows.annotate(folder=Subquery(workflow.values("folder_id")[:1])).values_list("pk", "folder"))


def guard_letter(principal: Principal, scope: str, letter_id: UUID) -> None:
    """As `guard_run`, of the run of a dead letter."""
    letters = DeadLetter.objects.for_tenant(principal.tenant_id).filter(pk=letter_id)
    runs = Run.objects.for_tenant(principal.tenant_id).filter(pk=Subquery(letters.values("run_id")))
    require_workflow(principal, scope, runs, "dead letter")


def guard_calendar(principal: Principal, scope: str, name: str) -> None:
    """As `guard_run`, of the folder of a calendar of this name; those of the tenant are for all to read."""
    _require_calendar(principal, scope, Q(name=name.replace("\x00", "")))


def guard_calendar_id(principal: Principal, scope: str, calendar_id: int) -> None:
    """As `guard_calendar`, of a calendar."""
    _require_calendar(principal, scope, Q(pk=calendar_id))


def _require_calendar(principal: Principal, scope: str, which: Q) -> None:
    rows = Calendar.objects.for_tenant(principal.tenant_id).filter(which)
    for folder in rows.exclude(folder=None).values_list("folder_id", flat=True):
        require_in(principal, scope, folder, "this calendar", "There is no such calendar.")


def readable(rows: QuerySet[T], principal: Principal, verb: str = READ) -> QuerySet[T]:
    """Those of the rows, each with a `workflow_id`, with whose workflows they may do this; rows of no workflow are for
    those who may reach all.
    """
    if principal.reach.is_everywhere:
        return rows
    return rows.filter(workflow_id__in=open_to(principal, verb).values("id"))


def readable_runs(principal: Principal, verb: str = READ) -> QuerySet[Run]:
    """All runs that they may read, and do this with, for lists.

    One statement finds the workflows first, of those who may not read all: not knowing which these are, PostgreSQL
    reads all runs to find those of workflows that have few.
    """
    runs = Run.objects.for_tenant(principal.tenant_id)
    if principal.reach.is_everywhere:
        return runs
    workflows = open_to(principal, READ) & open_to(principal, verb)
    ids = list(workflows.values_list("pk", flat=True)[: NAMED_WORKFLOWS + 1])
    if len(ids) > NAMED_WORKFLOWS:
        return runs.filter(workflow_id__in=workflows.values("pk"))
    return runs.filter(workflow_id__in=ids)


def of_readable_runs(rows: QuerySet[Any], principal: Principal, verb: str = READ) -> QuerySet[Any]:
    """Those of the rows, each of a `run_id`, with whose runs they may do this; each run is looked up by its id, so that
    few rows cost little however many runs there are.
    """
    if principal.reach.is_everywhere:
        return rows
    run = Run.objects.for_tenant(principal.tenant_id).filter(pk=OuterRef("run_id"))
    rows = rows.alias(workflow_of_run=Subquery(run.values("workflow_id")[:1]))
    return rows.filter(workflow_of_run__in=open_to(principal, verb).values("id"))


def readable_letters(
    letters: QuerySet[DeadLetter], principal: Principal, verb: str = READ
) -> QuerySet[DeadLetter]:
    """Those of the dead letters with whose runs they may do this."""
    if principal.reach.is_everywhere:
        return letters
    return letters.filter(run_id__in=readable_runs(principal, verb).values("id"))


def require_workflow(principal: Principal, scope: str, rows: QuerySet[Any], called: str) -> None:
    """Let pass who may do what the scope is about in the folder of the workflow of the first of the rows, `called` so
    in refusals. Raises Missing and Forbidden.
    """
    workflows = Workflow.objects.for_tenant(principal.tenant_id)
    workflows = workflows.filter(pk=Subquery(rows.values("workflow_id")[:1]))
    folder = workflows.values_list("folder_id", flat=True).first()
    require_in(principal, scope, folder, f"this {called}", f"There is no such {called}.")

"""What a verb needs beside the runs: to which version they go on, or to whom their open tasks are given."""

from dataclasses import dataclass
from uuid import UUID

from django.db.models import QuerySet

from accounts.principal import Principal
from accounts.roles import RUNS_OPERATE, TASKS_ASSIGN
from engine.catalogue import Json
from engine.statuses import RUN_ENDED, RunStatus
from engine.verbs import MIGRATED
from lib.refusals import Invalid, Missing
from operations.bulk.models import MIGRATE, REASSIGN
from runs.commands import bulk
from runs.commands.reassigning import Taker, check_taker
from runs.kernel.graphs import BrokenVersion, compiled
from runs.models import Run, StepExecution
from workflows.access import guard_workflow
from workflows.queries import get_version, refuse_withdrawn

VERBS = (*bulk.VERBS, MIGRATE, REASSIGN)
"""What a bulk job may do with all runs that a search has found."""


@dataclass(frozen=True, slots=True)
class Aim:
    """The number of a version, or who is given tasks: a member or a group; `workflow`: of which runs were chosen."""

    version: int | None = None
    assignee: str = ""
    group: str = ""
    workflow: str | None = None

    @property
    def taker(self) -> Taker:
        """To whom it gives tasks."""
        return Taker(self.assignee, self.group)


NO_AIM = Aim()


def checked_version(who: Principal, verb: str, aim: Aim, workflow: str | None) -> int | None:
    """Let pass an aim that a verb can have, of runs of one workflow where one is named; gives its version by the id.

    Raises Forbidden, Missing, and Invalid that names the field, also for what the verb doesn't take.
    """
    who.require(RUNS_OPERATE)
    if verb not in VERBS:
        raise Invalid(f"This must be one of {', '.join(VERBS)}.", code="unknown_verb", field="verb")
    if verb != MIGRATE and aim.version is not None:
        raise Invalid("Only `migrate` takes a version.", field="version")
    if verb != REASSIGN and (aim.assignee or aim.group):
        message = "Only `reassign` gives tasks to somebody."
        raise Invalid(message, field="assignee" if aim.assignee else "group")
    if verb == MIGRATE:
        return _version(who, aim.version, workflow)
    if verb == REASSIGN:
        _check_taker(who, aim.taker)
    return None


def runs_for(who: Principal, verb: str, version: int | None, **filters: Json) -> QuerySet[Run, UUID]:
    """The ids of all runs that fit, that they may operate and that allow the verb, the newest first; `version`: with
    which they are to go on, by its id.
    """
    if verb == MIGRATE:
        return bulk.all_in(who, MIGRATED, **filters).exclude(version_id=version)
    if verb == REASSIGN:
        steps = StepExecution.objects.for_tenant(who.tenant_id)
        asks = steps.filter(status="WAITING", waiting__source="person").values("run_id")
        return bulk.all_in(who, set(RunStatus) - RUN_ENDED, **filters).filter(pk__in=asks)
    return bulk.all_able(who, verb, **filters)


def _version(who: Principal, number: int | None, workflow: str | None) -> int:
    if workflow is None:
        message = "Versions are of one workflow: name it, workflow:claims"
        raise Invalid(message, code="required", field="query")
    guard_workflow(who, RUNS_OPERATE, workflow)
    if number is None:
        raise Invalid("Say which version the runs go on with.", code="required", field="version")
    try:
        version = get_version(who.tenant_id, workflow, number)
        compiled(version.pk)
    except Missing as error:
        raise Invalid(f"{workflow} has no version {number}.", field="version") from error
    except BrokenVersion as error:
        raise Invalid(str(error), code="broken_version", field="version") from error
    refuse_withdrawn(who.tenant_id, version.pk)
    return version.pk


def _check_taker(who: Principal, to: Taker) -> None:
    who.require(TASKS_ASSIGN)
    who.require_person("A bulk job that gives tasks to somebody")
    if bool(to.assignee) == bool(to.group):
        message = "Give either an `assignee` or a `group`."
        raise Invalid(message, code="required", field="assignee")
    check_taker(who, to)

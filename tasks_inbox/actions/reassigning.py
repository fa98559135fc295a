"""The open tasks of a run are given to somebody else, told to `runs`, whose bulk jobs do it with many runs."""

from uuid import UUID

from accounts.names import key_of
from accounts.picking import require_member
from accounts.principal import Principal
from accounts.queries import groups_of
from accounts.roles import SCOPES_OF_ROLE, TASKS_ASSIGN, TASKS_DECIDE
from lib.refusals import Conflict, Invalid
from runs.commands.reassigning import Taker
from runs.kernel.unit_of_work import changing
from tasks_inbox.actions import assignment
from tasks_inbox.actions.assignment import Assignee
from tasks_inbox.limits import REASSIGNED_TASKS
from tasks_inbox.models import OPEN, ManualTask


def check(who: Principal, to: Taker) -> None:
    """Let pass a member whose role decides tasks, or a group. Raises Forbidden, and Invalid at the field."""
    who.require(TASKS_ASSIGN)
    if to.group:
        if not groups_of(who.tenant_id).filter(key=key_of(to.group)).exists():
            raise Invalid(f"There is no group {to.group}.", field="group")
        return
    member = require_member(who.tenant_id, to.assignee, field="assignee")
    if TASKS_DECIDE not in SCOPES_OF_ROLE[member.role]:
        raise Invalid(f"{member.user.username} has a role that may not decide tasks.", field="assignee")


def reassign(who: Principal, run: str, to: Taker, *, reason: str = "", dry_run: bool = False) -> None:
    """Give all open tasks of a run to a member whom they ask, or leave them to a group that they ask; with `dry_run`
    only find out. Raises what stands against the first that can't be given: then none is.
    """
    taker = _given(who, to)
    if dry_run:
        for task in _open_tasks(who, run):
            _check(who, task, taker)
        return
    # Nobody decides or takes one from here to the commit: the run, then its tasks.
    with changing(who.tenant_id, [run]):
        tasks = _open_tasks(who, run, locked=True)
        # All are looked at before one is changed, so that nothing is written down of what is undone again.
        for task in tasks:
            _check(who, task, taker)
        for task in tasks:
            if isinstance(taker, Assignee):
                assignment.assign_task(who, task, taker, reason=reason)
            else:
                assignment.leave_to_group(who, task, taker, reason=reason)


def _open_tasks(who: Principal, run: str, *, locked: bool = False) -> list[UUID]:
    """The open tasks of a run, by the id; `locked` until the transaction ends. Raises Conflict: none, or too many."""
    rows = ManualTask.objects.for_tenant(who.tenant_id).filter(run_id=run, status=OPEN).order_by("id")
    rows = rows.select_for_update(no_key=True) if locked else rows
    tasks = list(rows.values_list("pk", flat=True)[: REASSIGNED_TASKS + 1])
    if not tasks:
        raise Conflict("It has no open tasks.", code="no_task")
    if len(tasks) > REASSIGNED_TASKS:
        raise Conflict(
            f"It has more than {REASSIGNED_TASKS} open tasks: assign them in the inbox.", code="too_many"
        )
    return tasks


def _given(who: Principal, to: Taker) -> Assignee | str:
    """The member, read once for all tasks, or the name of the group. Raises Invalid at `assignee`."""
    return to.group or assignment.assignee_of(who.tenant_id, to.assignee)


def _check(who: Principal, task: UUID, taker: Assignee | str) -> None:
    if isinstance(taker, Assignee):
        assignment.check_assign(who, task, taker)
    else:
        assignment.check_group(who, task, taker)

"""Whether somebody may have a task, and what they are told where not."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from accounts.names import key_of
from accounts.picking import require_member
from accounts.principal import Principal
from accounts.roles import TASKS_DECIDE, TASKS_READ
from lib.refusals import Conflict, Invalid
from runs.kernel.wait_kinds import moment
from tasks_inbox.eligibility import identity, policies
from tasks_inbox.models import COMPLETED, OPEN, ManualTask, label_of
from tasks_inbox.store import queries


def open_task(principal: Principal, task_id: UUID) -> ManualTask:
    """The tenant's task. Raises Missing, and Conflict where it is not open any more."""
    task = queries.task_of(principal.tenant_id, task_id)
    if task.status != OPEN:
        raise conflict(task)
    return task


def require_answer(principal: Principal, task: ManualTask) -> None:
    """Lets pass who may decide tasks, and whose form this is. Raises Forbidden."""
    if key_of(principal.username) not in policies.starters_of(task) or TASKS_READ not in principal.scopes:
        principal.require(TASKS_DECIDE)


def taker(principal: Principal, task: ManualTask, to: str) -> tuple[str, identity.Who]:
    """The member to whom somebody may hand a task, or their vote of it, as far as that is alike: name and marks.

    Raises Invalid at `to`.
    """
    member = require_member(task.tenant_id, to, field="to")
    name, who = member.user.username, identity.who_is_member(member)
    if name == principal.username:
        raise Invalid("That is you: give it to somebody else.", field="to")
    if policies.is_excluded(task, name):
        raise Invalid(f"{name} is excluded from deciding this task.", code="excluded", field="to")
    if not who.decides:
        raise Invalid(f"The role of {name} may not decide tasks.", code="not_a_candidate", field="to")
    return name, who


def conflict(task: ManualTask) -> Conflict:
    """Why it can't be had: what has become of it meanwhile."""
    if task.status == COMPLETED and task.decided_at is not None:
        label = label_of(task.outcomes, task.outcome)
        decided_at = task.decided_at.isoformat()
        return Conflict(
            f"{task.decided_by} already decided this: {label}, {moment(decided_at)}.",
            code="decided_already",
            details={"outcome": task.outcome, "decided_by": task.decided_by, "decided_at": decided_at},
        )
    if task.status != OPEN:
        return Conflict("The run went on without this decision.", code="task_cancelled")
    if task.returned_to is not None:
        message = f"{task.stopped_by} returned this for changes: it is with {task.returned_to} now."
        return Conflict(message, code="returned", details={"returned_to": task.returned_to})
    return claimed(task)


def being_decided(task: ManualTask, decision: Mapping[str, Any]) -> Conflict:
    """Whose decision of it is about to count."""
    label = label_of(task.outcomes, decision["outcome"])
    message = f"{decision['by']} is deciding this right now: {label}. It counts in seconds unless they take it back."
    return Conflict(message, code="being_decided", details=dict(decision))


def claimed(task: ManualTask) -> Conflict:
    """Whose it is instead."""
    message = f"{task.assignee} has claimed this task." if task.assignee else "Nobody has this task now."
    return Conflict(message, code="claimed", details={"assignee": task.assignee})

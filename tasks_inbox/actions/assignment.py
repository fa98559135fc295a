"""What people do with tasks before they decide them: take them, give them, hand them on.

Claiming is one conditional statement; whoever delegates has the run alone (R-142, R-146, C-17, I11).
"""

from dataclasses import dataclass
from uuid import UUID

from accounts import audit
from accounts.names import key_of
from accounts.picking import require_member
from accounts.principal import Principal
from accounts.queries import find_member
from accounts.roles import TASKS_ASSIGN, TASKS_DECIDE
from lib.refusals import Conflict, Invalid
from runs.kernel import live
from runs.kernel.unit_of_work import changing
from tasks_inbox.actions import proxies
from tasks_inbox.eligibility import identity, policies
from tasks_inbox.eligibility.assigning import require_assign
from tasks_inbox.eligibility.identity import Who
from tasks_inbox.eligibility.quorum import needs_several
from tasks_inbox.eligibility.refusals import (
    being_decided,
    conflict,
    open_task,
    taker,
)
from tasks_inbox.eligibility.standing import Standing, standing, to_decide
from tasks_inbox.eligibility.undecidable import is_undecidable
from tasks_inbox.lifecycle.asking import ask_instead
from tasks_inbox.mail import outbox
from tasks_inbox.models import ASSIGNED, DELEGATED, FOR_OPERATORS, INCIDENT, OPEN, ManualTask
from tasks_inbox.store import queries, statements


def claim_task(principal: Principal, task_id: UUID, *, reason: str | None = None) -> ManualTask:
    """Take a task, so that nobody else decides it. Raises Missing, NotAllowed, and Conflict where somebody else has it.

    Taking what one has changes nothing.
    """
    principal.require(TASKS_DECIDE)
    return claim(principal, standing(principal, queries.task_of(principal.tenant_id, task_id)), reason=reason)


def claim(principal: Principal, stands: Standing, *, reason: str | None = None) -> ManualTask:
    """As `claim_task`, of a task to which it is known how they stand."""
    check_claim(principal, stands)
    task = stands.task
    if task.assignee is None and statements.give_task(
        task.pk, assignee=principal.username, before=None, delegated_by=None, by=principal.username
    ):
        audit.record(principal, "claim", f"task {task.pk}", reason=reason)
        _tell(task)
    task = queries.task_of(principal.tenant_id, task.pk)
    if task.status != OPEN or task.assignee != principal.username:
        raise conflict(task)
    return task


def check_claim(principal: Principal, stands: Standing) -> None:
    """Let pass what they may take, unless somebody else has it. Changes nothing; raises as `claim_task`."""
    principal.require(TASKS_DECIDE)
    stands.require()
    _is_own(stands)
    _is_one_persons(stands.task)
    _is_no_others(principal.username, stands.task)


def unclaim_task(principal: Principal, task_id: UUID, *, reason: str | None = None) -> ManualTask:
    """Put a task back: one's own, or with `tasks:assign` anybody's. Raises as `claim_task`.

    It is open to all whom it asks again, or, if it was delegated, with who delegated it. Where several decide, a vote
    that was handed over is whose it was again.
    """
    principal.require(TASKS_DECIDE)
    task = open_task(principal, task_id)
    if needs_several(task.quorum):
        return proxies.take_back(principal, task, reason=reason)
    if task.assignee not in (None, principal.username):
        require_assign(principal, task)
    if task.assignee is not None:
        back_to, was = _had_before(task), {"before": task.assignee, "delegated_by": task.delegated_by}
        if not statements.give_task(task_id, assignee=back_to, by=principal.username, **was):
            raise conflict(queries.task_of(principal.tenant_id, task_id))
        audit.record(principal, "unclaim", f"task {task_id}", reason=reason)
        _tell(task)
    return queries.task_of(principal.tenant_id, task_id)


@dataclass(frozen=True, slots=True)
class Assignee:
    """The member to whom tasks are given: their username, and who they are as tasks know people."""

    name: str
    who: Who


def assignee_of(tenant_id: int, text: str) -> Assignee:
    """The member whom a text means, read once for many tasks. Raises Invalid at `assignee`."""
    member = require_member(tenant_id, text, field="assignee")
    return Assignee(member.user.username, identity.who_is_member(member))


def assign_task(
    principal: Principal, task_id: UUID, assignee: str | Assignee, *, reason: str | None = None
) -> ManualTask:
    """Give a task to a member whom it asks. Raises Invalid where it doesn't ask them, and as `claim_task`; Conflict
    where somebody else is about to decide it.

    Being given a task makes nobody eligible: whoever may assign could decide all by themselves otherwise. But where
    nobody, or not enough, can decide it, whom it is given to is asked then, as by an escalation. Giving it to who has
    it changes nothing.
    """
    task, name, is_instead = check_assign(principal, task_id, assignee)
    if is_instead:
        return _assign_instead(principal, task, name, reason=reason or "Nobody could decide it.")
    was = {"before": task.assignee, "delegated_by": task.delegated_by}
    if was == {"before": name, "delegated_by": None}:
        return task
    if not statements.give_task(task_id, assignee=name, by=principal.username, **was):
        raise conflict(queries.task_of(principal.tenant_id, task_id))
    task.assignee, task.delegated_by = name, None
    outbox.tell(task_id, ASSIGNED, identity.substitutes_of(task, [name]))
    audit.record(principal, f"assign to {name}", f"task {task_id}", reason=reason)
    _tell(task)
    return queries.task_of(principal.tenant_id, task_id)


def check_assign(
    principal: Principal, task_id: UUID, assignee: str | Assignee
) -> tuple[ManualTask, str, bool]:
    """Let pass whom a task may be given to: the task, their username, and whether it asks them only then, because
    nobody, or not enough, can decide it. Changes nothing; raises as `assign_task`.
    """
    principal.require(TASKS_ASSIGN)
    task = open_task(principal, task_id)
    require_assign(principal, task)
    is_instead = task.kind not in FOR_OPERATORS and is_undecidable(task)
    if not is_instead:
        _is_one_persons(task)
    if isinstance(assignee, str):
        assignee = assignee_of(principal.tenant_id, assignee)
    name, who = assignee.name, assignee.who
    if is_instead:
        _check_instead(task, name, who)
        return task, name, True
    if not who.is_asked(task):
        raise Invalid(f"{name} may not decide this task.", field="assignee")
    _is_no_others(name, task)
    return task, name, False


def _check_instead(task: ManualTask, name: str, who: Who) -> None:
    if not who.decides or policies.is_excluded(task, name):
        raise Invalid(f"{name} may not decide this task.", field="assignee")
    if who.is_asked(task) or key_of(name) in task.voted:
        message = f"{name} is already asked, and that is not enough: name somebody else."
        raise Invalid(message, code="asked_already", field="assignee")


def leave_to_group(principal: Principal, task_id: UUID, group: str, *, reason: str | None = None) -> None:
    """Put a task that asks a group back for all whom it asks, whoever has it. Raises as `check_group`."""
    task = check_group(principal, task_id, group)
    if task.assignee is not None:
        was = {"before": task.assignee, "delegated_by": task.delegated_by}
        if not statements.give_task(task_id, assignee=None, by=principal.username, **was):
            raise conflict(queries.task_of(principal.tenant_id, task_id))
        audit.record(principal, f"leave to {group}", f"task {task_id}", reason=reason)
        _tell(task)


def check_group(principal: Principal, task_id: UUID, group: str) -> ManualTask:
    """The task, where it may be left to a group: it asks the group, and nobody in it is about to decide it. Changes
    nothing. Raises Forbidden, Missing, Conflict, and Invalid where the task doesn't ask it.
    """
    principal.require(TASKS_ASSIGN)
    task = open_task(principal, task_id)
    require_assign(principal, task)
    _is_one_persons(task)
    if set(policies.audience_of({"groups": [group]})).isdisjoint(task.audience):
        raise Invalid(f"The task does not ask the group {group}.", code="not_a_candidate", field="group")
    _is_no_others("", task)
    return task


def _assign_instead(principal: Principal, task: ManualTask, name: str, *, reason: str) -> ManualTask:
    """Have a task ask somebody because nobody, or not enough, can decide it."""
    with changing(task.tenant_id, [str(task.run_id)]):
        current = open_task(principal, task.pk)
        if not is_undecidable(current):
            raise Conflict("Somebody can decide it by now.", code="claimed")
        ask_instead(current, {"users": [name]}, by=principal.username, reason=reason)
        if not needs_several(current.quorum):
            was = {"before": current.assignee, "delegated_by": current.delegated_by}
            statements.give_task(task.pk, assignee=name, by=principal.username, **was)
        statements.note_undecidable([task.pk], since=None)
        audit.record(principal, f"assign to {name}", f"task {task.pk}", reason=reason)
    _tell(task)
    return queries.task_of(principal.tenant_id, task.pk)


def delegate_task(
    principal: Principal, task_id: UUID, to: str, *, reason: str | None = None, who: Who | None = None
) -> ManualTask:
    """Hand a task that one may decide, and nobody else has, to another member, who may decide it then (R-146).

    They need not be among those whom it asks; handed on, it stays delegated by who was asked. Where several decide, it
    is one's vote that is handed over. `who` as in `standing`. Raises Invalid at `to` for whom it can't be handed to,
    and as `claim_task`.
    """
    stands = to_decide(principal, task_id, who)
    task = stands.task
    if needs_several(task.quorum):
        return proxies.hand_vote(principal, task, to, reason=reason)
    _is_own(stands)
    if task.kind == INCIDENT:
        raise Conflict(
            "This was not handed to anybody: claim it, or leave it to others.", code="is_an_incident"
        )
    if task.assignee not in (None, principal.username):
        raise conflict(task)
    _is_no_others(principal.username, task)
    member = _delegate(principal, task, to)
    first = task.delegated_by or principal.username
    with changing(task.tenant_id, [str(task.run_id)]):
        is_delegated = statements.delegate_task(
            task_id,
            by=principal.username,
            to=member,
            before=(task.assignee, task.delegated_by),
            after=None if member == first else first,
            reason=reason or "",
        )
        if not is_delegated:
            raise conflict(queries.task_of(principal.tenant_id, task_id))
        task.assignee, task.delegated_by = member, first
        outbox.tell(task_id, DELEGATED, [member, *identity.substitutes_of(task, [member])])
        audit.record(principal, f"delegate to {member}", f"task {task_id}", reason=reason)
    _tell(task)
    return queries.task_of(principal.tenant_id, task_id)


def _tell(task: ManualTask) -> None:
    live.tell_inboxes([task.tenant_id])


def _is_own(stands: Standing) -> None:
    """Lets pass what they may decide themselves. Raises Conflict: a substitute decides and hands nothing on."""
    if absent := stands.stands_in_for:
        message = f"You stand in for {absent} here: decide it, or leave it to others."
        raise Conflict(message, code="stands_in")


def _is_no_others(username: str, task: ManualTask) -> None:
    """Lets pass what nobody but them is about to decide. Raises Conflict: taking it would keep theirs from counting."""
    if other := statements.held_by_another(task.pk, username):
        raise being_decided(task, other)


def _is_one_persons(task: ManualTask) -> None:
    """Lets pass what one person decides. Raises Conflict: who had it would keep the others from deciding."""
    if needs_several(task.quorum):
        raise Conflict(
            "Several people decide this task: nobody needs to have it alone.", code="several_decide"
        )


def _delegate(principal: Principal, task: ManualTask, to: str) -> str:
    """The username of the member to whom this task may be handed. Raises Invalid."""
    name, who = taker(principal, task, to)
    if task.kind in FOR_OPERATORS and not who.is_asked(task):
        message = f"This task asks operators and admins only, and {name} is neither."
        raise Invalid(message, code="not_a_candidate", field="to")
    return name


def _had_before(task: ManualTask) -> str | None:
    """Who delegated a task, if they could still decide it; None where it is to be open to all whom it asks."""
    if task.delegated_by is None:
        return None
    member = find_member(task.tenant_id, task.delegated_by)
    return member.user.username if member and identity.who_is_member(member).is_asked(task) else None

"""What people do with tasks: take them, give them, decide them. One decision only, whoever comes at the same time.

Claiming is one conditional statement. A decision is made while nobody else has the run: task and step end in one
transaction (R-142, R-146, C-17; SECURITY I11). So is what is to become of a compensation that failed (R-140).
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.db import transaction

from accounts import audit
from accounts.principal import Principal
from accounts.queries import find_member
from accounts.roles import TASKS_ASSIGN, TASKS_DECIDE
from engine.graph import UNDO
from lib import crash_points
from lib.api.errors import join
from lib.refusals import Conflict, Invalid, NotAllowed
from lib.strict_json import BadJson, strict_dumps
from runs import live, services
from runs.claimed import Done, Ending, Held, Locked
from runs.refused import had_alone
from runs.saga import How
from runs.waits import moment
from runs.waking import Waiters, wake
from steps.schema import problems_of
from tasks_inbox import policies, queries, store
from tasks_inbox.models import COMPENSATION, COMPLETED, OPEN, ManualTask

Json = Any

MAX_DATA_BYTES = 1024 * 1024
MAX_COMMENT = 10_000
MOST_FAULTS = 50


def claim_task(principal: Principal, task_id: UUID, *, reason: str | None = None) -> ManualTask:
    """Take a task, so that nobody else decides it. Raises Missing, NotAllowed, and Conflict where somebody else has it.

    Taking what one has changes nothing.
    """
    task = _to_decide(principal, task_id)
    if task.assignee is None and store.give_task(
        task_id, assignee=principal.username, before=None, delegated_by=None
    ):
        audit.record(principal, "claim", f"task {task_id}", reason=reason)
    task = queries.task_of(principal.tenant_id, task_id)
    if task.status != OPEN or task.assignee != principal.username:
        raise _conflict(task)
    return task


def unclaim_task(principal: Principal, task_id: UUID, *, reason: str | None = None) -> ManualTask:
    """Put a task back: one's own, or with `tasks:assign` anybody's. Raises as `claim_task`.

    It is open to all whom it asks again, or, if it was delegated, with who delegated it.
    """
    principal.require(TASKS_DECIDE)
    task = _open(principal, task_id)
    if task.assignee not in (None, principal.username):
        principal.require(TASKS_ASSIGN)
    if task.assignee is not None:
        back_to, was = _had_before(task), {"before": task.assignee, "delegated_by": task.delegated_by}
        if not store.give_task(task_id, assignee=back_to, **was):
            raise _conflict(queries.task_of(principal.tenant_id, task_id))
        audit.record(principal, "unclaim", f"task {task_id}", reason=reason)
    return queries.task_of(principal.tenant_id, task_id)


def assign_task(
    principal: Principal, task_id: UUID, assignee: str, *, reason: str | None = None
) -> ManualTask:
    """Give a task to a member whom it asks. Raises Invalid where it doesn't ask them, and as `claim_task`.

    Being given a task makes nobody eligible: whoever may assign could decide all by themselves otherwise.
    """
    principal.require(TASKS_ASSIGN)
    task = _open(principal, task_id)
    member = find_member(principal.tenant_id, assignee)
    if member is None:
        raise Invalid(f"{assignee} is no member of this tenant.", field="assignee")
    if not queries.who_is_member(member).is_asked(task):
        raise Invalid(f"{member.user.username} may not decide this task.", field="assignee")
    was = {"before": task.assignee, "delegated_by": task.delegated_by}
    if not store.give_task(task_id, assignee=member.user.username, **was):
        raise _conflict(queries.task_of(principal.tenant_id, task_id))
    audit.record(principal, f"assign to {member.user.username}", f"task {task_id}", reason=reason)
    return queries.task_of(principal.tenant_id, task_id)


def delegate_task(principal: Principal, task_id: UUID, to: str, *, reason: str | None = None) -> ManualTask:
    """Hand a task that one may decide, and nobody else has, to another member, who may decide it then (R-146).

    They need not be among those whom it asks; handed on, it stays delegated by who was asked. Raises Invalid at `to`
    for whom it can't be handed to, and as `claim_task`.
    """
    task = _to_decide(principal, task_id)
    if task.assignee not in (None, principal.username):
        raise _conflict(task)
    member = _delegate(principal, task, to)
    first = task.delegated_by or principal.username
    with transaction.atomic():
        # It goes into the history of the run, which must not end meanwhile.
        locked = had_alone(task.tenant_id, [str(task.run_id)])
        handed = store.delegate_task(
            task_id,
            by=principal.username,
            to=member,
            before=(task.assignee, task.delegated_by),
            after=None if member == first else first,
            reason=reason or "",
        )
        if not handed:
            raise _conflict(queries.task_of(principal.tenant_id, task_id))
        audit.record(principal, f"delegate to {member}", f"task {task_id}", reason=reason)
        crash_points.hit("before_commit")
    transaction.on_commit(lambda: live.tell_runs(task.tenant_id, locked))
    return queries.task_of(principal.tenant_id, task_id)


def complete_task(
    principal: Principal,
    task_id: UUID,
    *,
    outcome: str,
    data: Json = None,
    comment: str = "",
    reason: str | None = None,
) -> ManualTask:
    """Decide a task: its step ends with the decision, and the run goes on, or neither happens.

    Raises Missing; NotAllowed for those whom it doesn't ask; Conflict where it is decided, cancelled, somebody else's
    or of a failed compensation; Invalid, with `details.errors`, for what is wrong with the decision.
    """
    principal.require(TASKS_DECIDE)
    if queries.task_of(principal.tenant_id, task_id).kind == COMPENSATION:
        message = "This task is of a compensation that failed: say by /resolve what is to become of it."
        raise Conflict(message, code="is_a_compensation")
    task = _to_decide(principal, task_id)
    check_decision(task, outcome, data, comment)
    handed = not queries.who_is(principal).is_asked(task)
    encoded = None if data is None else strict_dumps(data, max_bytes=MAX_DATA_BYTES).decode()

    def decide(_: Mapping[str, Locked], waiters: Waiters) -> list[tuple[Held, Ending]]:
        waiting = {held.id: held for held, _ in waiters([str(task.run_id)])}
        step = waiting.get(str(task.step_id))
        said = {"by": principal.username, "outcome": outcome, "comment": comment}
        done = store.complete_task(task_id, data=encoded, handed=handed, **said) if step else None
        if step is None or done is None:
            raise _conflict(queries.task_of(principal.tenant_id, task_id))
        at, first = done
        behalf = {} if first is None else {"on_behalf_of": first}
        return [(step, Done(said | {"data": data, "at": at, "branch": outcome} | behalf))]

    wake(task.tenant_id, [str(task.run_id)], "task", decide)
    audit.record(principal, f"decide {outcome}", f"task {task_id}", reason=reason or comment)
    return queries.task_of(principal.tenant_id, task_id)


def resolve_task(
    principal: Principal, task_id: UUID, *, resolution: How, reason: str | None = None
) -> ManualTask:
    """Settle the failed compensation of a task, and let its run go on undoing, or neither (R-140).

    `retry` it, it was `done` by hand, or `abandon` it. Raises Missing; NotAllowed for those whom it doesn't ask;
    Conflict where the task is no such one, was resolved already or is claimed by somebody else.
    """
    principal.require(TASKS_DECIDE)
    if queries.task_of(principal.tenant_id, task_id).kind != COMPENSATION:
        message = "This task is of no compensation: it is decided by /complete."
        raise Conflict(message, code="not_a_compensation")
    task = _to_decide(principal, task_id)
    run = str(task.run_id)
    with transaction.atomic():
        had_alone(task.tenant_id, [run])
        # Asked behind the lock: this task may be settled, and another be open because it failed once more.
        _open(principal, task_id)
        node, by = task.node.removesuffix(UNDO), principal.username
        services.resolve_compensation(task.tenant_id, run, node, resolution, by=by, reason=reason or "")
        resolved = queries.task_of(principal.tenant_id, task_id)
        if resolved.assignee not in (None, by):
            raise _claimed(resolved)
        audit.record(principal, f"resolve {resolution}", f"task {task_id}", reason=reason)
    return resolved


def check_decision(task: ManualTask, outcome: str, data: Json, comment: str) -> None:
    """Let pass what may end this task. Raises Invalid naming the first field, all faults in `details.errors`."""
    faults = list(_faults(task, outcome, data, comment))
    if faults:
        errors = [{"field": field, "code": code, "message": text} for field, code, text in faults]
        field, code, text = faults[0]
        raise Invalid(text, code=code, field=field, details={"errors": errors})


def _faults(task: ManualTask, outcome: str, data: Json, comment: str) -> list[tuple[str, str, str]]:
    found = []
    chosen = next((one for one in task.outcomes if one["name"] == outcome), None)
    if chosen is None:
        known = ", ".join(one["name"] for one in task.outcomes)
        found.append(("outcome", "unknown_outcome", f"There is no such outcome; there are {known}."))
    elif chosen["require_comment"] and not comment.strip():
        found.append(("comment", "required", f"Say why: “{chosen['label']}” needs a comment."))
    if len(comment) > MAX_COMMENT:
        found.append(("comment", "max_length", f"A comment has at most {MAX_COMMENT:,} characters."))
    return found + _data_faults(task, data)


def _data_faults(task: ManualTask, data: Json) -> list[tuple[str, str, str]]:
    if task.form is None:
        return [] if data is None else [("data", "unknown_field", "This task has no form to fill in.")]
    try:
        strict_dumps(data, max_bytes=MAX_DATA_BYTES)
    except BadJson as error:
        return [("data", "bad_json", error.message)]
    found = problems_of(task.form, {} if data is None else data, most=MOST_FAULTS)
    return [(_field(path), "invalid", text) for path, text in found]


def _field(path: tuple[str | int, ...]) -> str:
    name = "data"
    for part in path:
        name = f"{name}[{part}]" if isinstance(part, int) else join(name, part)
    return name


def _delegate(principal: Principal, task: ManualTask, to: str) -> str:
    """The username of the member to whom this task may be handed. Raises Invalid."""
    member = find_member(principal.tenant_id, to)
    if member is None:
        raise Invalid(f"{to} is no member of this tenant.", field="to")
    name, who = member.user.username, queries.who_is_member(member)
    if name == principal.username:
        raise Invalid("This is you: give it to somebody else.", field="to")
    if policies.is_excluded(task, name):
        raise Invalid(f"{name} is excluded from deciding this task.", code="excluded", field="to")
    if not who.decides:
        raise Invalid(f"The role of {name} decides no tasks.", code="not_a_candidate", field="to")
    if task.kind == COMPENSATION and not who.is_asked(task):
        message = f"This task asks operators and admins only, and {name} is neither."
        raise Invalid(message, code="not_a_candidate", field="to")
    return name


def _had_before(task: ManualTask) -> str | None:
    """Who delegated a task, if they could still decide it; None where it is to be open to all whom it asks."""
    if task.delegated_by is None:
        return None
    member = find_member(task.tenant_id, task.delegated_by)
    return member.user.username if member and queries.who_is_member(member).is_asked(task) else None


def _open(principal: Principal, task_id: UUID) -> ManualTask:
    task = queries.task_of(principal.tenant_id, task_id)
    if task.status != OPEN:
        raise _conflict(task)
    return task


def _to_decide(principal: Principal, task_id: UUID) -> ManualTask:
    principal.require(TASKS_DECIDE)
    task = _open(principal, task_id)
    if policies.is_excluded(task, principal.username):
        raise NotAllowed("You are excluded from deciding this task.", code="excluded")
    if not queries.who_is(principal).may_decide(task):
        raise NotAllowed("This task asks others, not you.", code="not_a_candidate")
    return task


def _conflict(task: ManualTask) -> Conflict:
    """Why it can't be had: what has become of it meanwhile."""
    if task.status == COMPLETED and task.decided_at is not None:
        label = next((one["label"] for one in task.outcomes if one["name"] == task.outcome), task.outcome)
        decided_at = task.decided_at.isoformat()
        return Conflict(
            f"{task.decided_by} decided this already: {label}, {moment(decided_at)}.",
            code="decided_already",
            details={"outcome": task.outcome, "decided_by": task.decided_by, "decided_at": decided_at},
        )
    if task.status != OPEN:
        return Conflict("The run went on without this decision.", code="task_cancelled")
    return _claimed(task)


def _claimed(task: ManualTask) -> Conflict:
    whose = f"{task.assignee} has claimed this task." if task.assignee else "Nobody has this task any more."
    return Conflict(whose, code="claimed", details={"assignee": task.assignee})

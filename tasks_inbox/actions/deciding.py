"""Deciding a task: what is checked, counted, written down as evidence and told to the run, in one transaction.

While nobody else has the run: task and step end together, or a vote is kept and both stay as they are
(R-142, R-146, R-149, C-17, I11; docs/security.md, "Decisions").
"""

from collections.abc import Callable
from uuid import UUID

from accounts import audit, services
from accounts.names import key_of
from accounts.principal import Principal
from lib.refusals import Conflict, Invalid, NotAllowed
from runs.store.attempts import Succeeded
from tasks_inbox.actions.decision import Decision, check_decision, encoded, require_seen
from tasks_inbox.actions.locking import LockedTask, lock_task, with_run_locked
from tasks_inbox.actions.recording import add_link, decider_of
from tasks_inbox.eligibility import policies, votes
from tasks_inbox.eligibility.quorum import needs_several
from tasks_inbox.eligibility.refusals import conflict, require_answer
from tasks_inbox.eligibility.standing import Standing, standing
from tasks_inbox.evidence.approves import of_task
from tasks_inbox.evidence.ledger import Decider
from tasks_inbox.models import FOR_OPERATORS, ManualTask
from tasks_inbox.store import queries, statements

DEADLINE = "the deadline"
"""Who decides where nobody has in time: no username has a blank."""
OUTSIDE = "skip"
"""In which way a decision was made outside its task, as its record says."""
Guard = Callable[[LockedTask], None]
"""Asked behind the lock whether a decision is to count still. Raises Conflict where it is not."""


def complete_task(
    principal: Principal,
    task_id: UUID,
    decision: Decision,
    *,
    password: str | None = None,
    guard: Guard | None = None,
    confirms: bool = True,
) -> ManualTask:
    """Decide a task; gives it as it stands then. Takes and raises as `decide`, and Missing."""
    stands = standing(principal, queries.task_of(principal.tenant_id, task_id))
    decide(principal, stands, decision, password=password, guard=guard, confirms=confirms)
    return queries.task_of(principal.tenant_id, task_id)


def decide(
    principal: Principal,
    stands: Standing,
    decision: Decision,
    *,
    password: str | None = None,
    guard: Guard | None = None,
    confirms: bool = True,
) -> bool:
    """Decide a task. It is kept as evidence; where it is enough, the step ends with it and the run goes on: whether so.

    `password` of who decides again, where the outcome is signed. What they were about to decide otherwise is forgotten,
    unless `guard` sees to that. `confirms`: the door can say what was seen, so that it must.

    Raises NotAllowed for those whom it doesn't ask; Conflict where it is decided, cancelled, changed, somebody else's
    or of a failed compensation; Invalid, with `details.errors`, for what is wrong.
    """
    task = stands.task
    require_answer(principal, task)
    if task.kind in FOR_OPERATORS:
        message = "This task was not opened by a step: use /resolve to say what should happen."
        raise Conflict(message, code="is_a_compensation")
    stands.require()
    check_decision(task, decision)
    by = decider_of(principal, signed=_signature(principal, task, decision.outcome, password))
    if confirms:
        require_seen(decision.seen)

    def cast() -> Succeeded | None:
        locked = lock_task(principal, task.pk, decision.seen)
        if guard is None:
            statements.drop_held(task.pk, principal.username)
        else:
            guard(locked)
        tally = votes.count(locked.task, principal.username, locked.on_behalf_of, decision.outcome)
        return _write(locked, by, decision, tally)

    is_enough = with_run_locked(task, cast, by=principal.username)
    audit.record(principal, f"decide {decision.outcome}", f"task {task.pk}", reason=decision.why)
    return is_enough


def end_at_deadline(task: ManualTask, outcome: str) -> None:
    """Decide an open task whose time is up, as its author said, whoever has it and whatever votes there are.

    Raises Conflict where somebody was faster.
    """
    by = Decider(DEADLINE, DEADLINE, None, "clock", False)

    def cast() -> Succeeded | None:
        locked = _hold(task)
        if locked.task.next_at is None:
            raise conflict(locked.task)
        return _write(locked, by, Decision(outcome), votes.ended(locked.task, outcome))

    with_run_locked(task, cast, by=DEADLINE)


def end_outside(principal: Principal, task: ManualTask, decision: Decision) -> None:
    """Decide an open task for those whom it asks, by skipping its step, whoever has it and whatever votes there are.

    Its record says so, and how the votes stood. Whether they may is the caller's to ask; who is barred since is not let
    pass. Raises NotAllowed, and Conflict where somebody was faster.
    """
    with_run_locked(task, lambda: settle_outside(principal, task, decision), by=principal.username)
    audit.record(principal, f"skip {decision.outcome}", f"task {task.pk}", reason=decision.why)


def settle_outside(principal: Principal, task: ManualTask, decision: Decision) -> Succeeded | None:
    """As `end_outside`, for a task whose run is held; gives the end of its step. The step is the caller's."""
    locked = _hold(task)
    if why := policies.why_excluded(locked.task, principal.username):
        raise NotAllowed(why, code="excluded")
    tally = votes.ended(locked.task, decision.outcome)
    return _write(locked, decider_of(principal), decision, tally, settled_by=OUTSIDE)


def _hold(task: ManualTask) -> LockedTask:
    """An open task that is ended whoever has it. Raises Conflict where somebody was faster."""
    current = queries.task_of(task.tenant_id, task.pk)
    facts = statements.hold_task(task.pk, by=current.assignee or DEADLINE, keys=[], is_handed=False)
    if facts is None:
        raise conflict(current)
    return LockedTask(current, facts | {"on_behalf_of": None}, of_task(current))


def _write(
    locked: LockedTask, by: Decider, decision: Decision, tally: votes.Tally, *, settled_by: str | None = None
) -> Succeeded | None:
    """Write a decision of a locked task down as evidence; the end of its step, where it ends it."""
    task, outcome = locked.task, tally.verdict.outcome
    keys = [key_of(name) for name in (by.username, locked.on_behalf_of) if name]
    link = add_link(locked, by, decision, tally, bars=keys, settled_by=settled_by)
    if outcome is None:
        statements.note_vote(task.pk, keys=keys, link=link)
        return None
    statements.complete_task(
        task.pk,
        keys=keys,
        data=encoded(decision.data),
        comment=decision.comment,
        link=link | {"outcome": outcome},
    )
    output = {"by": link["by"], "outcome": outcome, "comment": decision.comment}
    output |= {"data": decision.data, "at": link["at"], "branch": outcome}
    output |= {} if link["on_behalf_of"] is None else {"on_behalf_of": link["on_behalf_of"]}
    if any(fact.get("may_change") for fact in task.facts):
        output |= {"facts": {fact["label"]: fact["value"] for fact in task.facts}}
    if not needs_several(task.quorum):
        return Succeeded(output)
    decisions = votes.decisions_of(task)
    return Succeeded(output | {"decisions": decisions}, since=min(one["at"] for one in decisions))


def _signature(principal: Principal, task: ManualTask, outcome: str, password: str | None) -> bool:
    """Whether a decision is signed. Raises Invalid at `password` where it must be and is not."""
    if not next(one for one in task.outcomes if one["name"] == outcome).get("sign"):
        return False
    if not password:
        raise Invalid("Give your password to sign this.", code="required", field="password")
    try:
        services.check_login(
            username=principal.username, password=password, place=f"signature {principal.user_id}"
        )
    except services.WrongPassword:
        raise Invalid("This is not your password.", code="wrong_password", field="password") from None
    return True

"""Of a task that several decide, one's vote in somebody else's hands: they decide in one's place, once (R-146, R-149).

One person has one vote, their own or that of one other: "two of three" stays three people. Exclusion beats it, and
whether the task still asks whose vote it is is looked up when it is given.
"""

from accounts import audit
from accounts.names import key_of
from accounts.principal import Principal
from lib.refusals import Conflict, Invalid
from runs.kernel import live
from runs.kernel.unit_of_work import changing
from tasks_inbox.eligibility import policies
from tasks_inbox.eligibility.identity import substitutes_of
from tasks_inbox.eligibility.refusals import conflict, taker
from tasks_inbox.eligibility.standing import Standing, to_decide
from tasks_inbox.mail import outbox
from tasks_inbox.models import DELEGATED, ManualTask
from tasks_inbox.store import queries, statements


def hand_vote(principal: Principal, task: ManualTask, to: str, *, reason: str | None = None) -> ManualTask:
    """Have another member decide in one's place, of whom the task itself wants no vote.

    Raises Invalid at `to` for whom it can't be handed to; Conflict `stands_in` for a vote that is not one's own.
    """
    name = _holder(principal, task, to)
    with changing(task.tenant_id, [str(task.run_id)]):
        # Asked behind the lock: it may be decided, or handed to them by another.
        _is_own(to_decide(principal, task.pk))
        if not statements.hand_vote(task.pk, by=principal.username, to=name, reason=reason or ""):
            raise Conflict(f"{name} already has a vote on this task.", code="voted_already")
        outbox.tell(task.pk, DELEGATED, [name, *substitutes_of(task, [name])])
        audit.record(principal, f"delegate to {name}", f"task {task.pk}", reason=reason)
        live.tell_inboxes([task.tenant_id])
    return queries.task_of(task.tenant_id, task.pk)


def take_back(principal: Principal, task: ManualTask, *, reason: str | None = None) -> ManualTask:
    """Give a vote back to whose it is, by them or by who has it; who has neither changes nothing. Raises Conflict where
    it is given already.
    """
    if policies.holder_of(task, principal.username) or policies.giver_of(task, principal.username):
        with changing(task.tenant_id, [str(task.run_id)]):
            current = queries.task_of(task.tenant_id, task.pk)
            if policies.has_voted(current, principal.username):
                raise Conflict("This vote was already given.", code="voted_already")
            if not statements.take_vote_back(task.pk, key_of(principal.username)):
                raise conflict(current)
            audit.record(principal, "unclaim", f"task {task.pk}", reason=reason)
            live.tell_inboxes([task.tenant_id])
    return queries.task_of(task.tenant_id, task.pk)


def _is_own(stands: Standing) -> None:
    if absent := stands.stands_in_for:
        message = f"You would decide for {absent} here: that vote is not yours to hand on."
        raise Conflict(message, code="stands_in")
    if other := stands.has_vote_of:
        raise Conflict(
            f"You have {other}'s vote here: give it back before you hand on yours.", code="stands_in"
        )


def _holder(principal: Principal, task: ManualTask, to: str) -> str:
    """The username of the member to whom they may hand their vote. Raises Invalid."""
    name, who = taker(principal, task, to)
    if who.is_asked(task):
        message = f"{name} has a vote of their own: give yours to somebody who has none."
        raise Invalid(message, code="has_a_vote", field="to")
    if other := policies.giver_of(task, name):
        raise Invalid(f"{name} already decides for {other}.", code="has_a_vote", field="to")
    return name

"""Deciding a task: what is checked, counted, written down as evidence and told to the run, in one transaction.

While nobody else has the run: task and step end together, or a vote is kept and both stay as they are
(R-142, R-146, R-149, C-17; SECURITY Decision 6, I11).
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from django.conf import settings

from accounts import audit, services
from accounts.names import key_of
from accounts.principal import Principal
from lib.refusals import Conflict, Invalid
from runs.store.attempts import Done
from tasks_inbox.actions.decision import check_decision, encoded
from tasks_inbox.actions.locking import have_alone, held_by
from tasks_inbox.actions.recording import Said, add_link, said_by
from tasks_inbox.eligibility import votes
from tasks_inbox.eligibility.quorum import needs_several
from tasks_inbox.eligibility.refusals import conflict, require_answer, task_to_answer
from tasks_inbox.evidence.ledger import Decider
from tasks_inbox.models import FOR_OPERATORS, HeldDecision, ManualTask
from tasks_inbox.store import queries, statements

Json = Any

DEADLINE = "the deadline"
"""Who decides where nobody has in time: no username has a blank."""


def complete_task(
    principal: Principal,
    task_id: UUID,
    *,
    outcome: str,
    data: Json = None,
    comment: str = "",
    seen: str | None = None,
    password: str | None = None,
    held: HeldDecision | None = None,
    reason: str | None = None,
) -> ManualTask:
    """Decide a task. It is kept as evidence; where it is enough, the step ends with it and the run goes on.

    `seen` is the hash of what was decided upon (`presentation.hash_of`), `password` who decides again, where the
    outcome is signed; `held` a decision that was held back until now, and must not be taken back. Raises Missing;
    NotAllowed for those whom it doesn't ask; Conflict where it is decided, cancelled, changed, somebody else's or of a
    failed compensation; Invalid, with `details.errors`, for what is wrong.
    """
    asked = queries.task_of(principal.tenant_id, task_id)
    require_answer(principal, asked)
    if asked.kind in FOR_OPERATORS:
        message = "This task is no step's question: say by /resolve what is to become of what it is about."
        raise Conflict(message, code="is_a_compensation")
    task = task_to_answer(principal, task_id)
    check_decision(task, outcome, data, comment)
    signed = _signature(principal, task, outcome, password)
    _has_seen(seen)
    said = said_by(principal, outcome, data, comment, signed=signed, seen=seen)

    def cast() -> Done | None:
        task, facts = held_by(principal, task_id, seen)
        was_held = statements.drop_held(task_id, principal.username, held.pk if held else None)
        if held is not None:
            _is_as_held(held, was_held, facts["on_behalf_of"])
        counted = votes.count(task, principal.username, facts["on_behalf_of"], outcome)
        return _write(task, said, counted, facts)

    have_alone(task, cast)
    audit.record(principal, f"decide {outcome}", f"task {task_id}", reason=reason or comment)
    return queries.task_of(principal.tenant_id, task_id)


def _is_as_held(held: HeldDecision, was_held: Mapping[str, Json] | None, on_behalf_of: str | None) -> None:
    """Lets pass a decision that is still held, in whose place it was made. Raises Conflict."""
    if was_held is None:
        raise Conflict("This was taken back.", code="taken_back")
    if held.on_behalf_of != on_behalf_of:
        was, now = held.on_behalf_of or "yourself", on_behalf_of or "yourself"
        message = f"You decided this for {was}, and would decide it for {now} now: decide it again."
        raise Conflict(message, code="task_changed")


def end_at_deadline(task: ManualTask, outcome: str) -> None:
    """Decide an open task whose time is up, as its author said, whoever has it and whatever votes there are.

    Raises Conflict where somebody was faster.
    """
    said = Said(Decider(DEADLINE, DEADLINE, None, "clock", False), outcome, None, "")

    def cast() -> Done | None:
        now = queries.task_of(task.tenant_id, task.pk)
        held = statements.hold_task(task.pk, by=now.assignee or DEADLINE, keys=[], handed=False)
        if held is None or now.next_at is None:
            raise conflict(now)
        return _write(now, said, votes.ended(now, outcome), held | {"on_behalf_of": None})

    have_alone(task, cast)


def _has_seen(seen: str | None) -> None:
    if seen is None and settings.HANDOFF_REQUIRE_SEEN:
        message = "Send the shown_hash of the task as you saw it: here nobody decides unseen."
        raise Invalid(message, code="required", field="seen")


def _write(task: ManualTask, said: Said, counted: votes.Counted, held: Mapping[str, Json]) -> Done | None:
    """Write a decision of a task that is held down as evidence; the end of its step, where it ends it."""
    outcome = counted.verdict.outcome
    keys = [key_of(name) for name in (said.by.username, held["on_behalf_of"]) if name]
    link = add_link(task, said, counted, held, bars=keys)
    if outcome is None:
        statements.note_vote(task.pk, keys=keys, said=link)
        return None
    statements.complete_task(
        task.pk, keys=keys, data=encoded(said.data), comment=said.comment, said=link | {"outcome": outcome}
    )
    output = {"by": link["by"], "outcome": outcome, "comment": said.comment}
    output |= {"data": said.data, "at": link["at"], "branch": outcome}
    output |= {} if link["on_behalf_of"] is None else {"on_behalf_of": link["on_behalf_of"]}
    if any(fact.get("may_change") for fact in task.facts):
        output |= {"facts": {fact["label"]: fact["value"] for fact in task.facts}}
    return Done(output | ({"decisions": votes.decisions_of(task)} if needs_several(task.quorum) else {}))


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

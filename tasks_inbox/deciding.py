"""Deciding a task: what is checked, counted, written down as evidence and told to the run, in one transaction.

While nobody else has the run: task and step end together, or a vote is kept and both stay as they are
(R-142, R-146, R-149, C-17; SECURITY Decision 6, I11).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.conf import settings

from accounts import audit, services
from accounts.names import key_of
from accounts.principal import Principal
from lib.api.errors import join
from lib.refusals import Conflict, Invalid, TooLarge
from lib.strict_json import BadJson, JsonTooLarge, strict_dumps
from lib.uuid7 import uuid7
from runs.kernel import live
from runs.kernel.wake import Waiters, wake
from runs.store.attempts import Done, Ending, Held, Locked
from steps.schema import problems_of
from tasks_inbox import evidence, queries, shown, store, votes
from tasks_inbox.evidence import Decider
from tasks_inbox.forms import files
from tasks_inbox.models import FOR_OPERATORS, HeldDecision, ManualTask
from tasks_inbox.quorum import needs_several
from tasks_inbox.refused import being_decided, conflict, require_answer, task_to_answer
from tasks_inbox.waits import DECIDER

Json = Any

MAX_DATA_BYTES = 1024 * 1024
MAX_COMMENT = 10_000
MOST_FAULTS = 50
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

    `seen` is the hash of what was decided upon (`shown.hash_of`), `password` who decides again, where the
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
        was_held = store.drop_held(task_id, principal.username, held.pk if held else None)
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
        held = store.hold_task(task.pk, by=now.assignee or DEADLINE, keys=[], handed=False)
        if held is None or now.next_at is None:
            raise conflict(now)
        return _write(now, said, votes.ended(now, outcome), held | {"on_behalf_of": None})

    have_alone(task, cast)


@dataclass(frozen=True, slots=True)
class Said:
    """What somebody decides."""

    by: Decider
    outcome: str
    data: Json
    comment: str
    seen: str | None = None


def said_by(
    principal: Principal,
    outcome: str,
    data: Json = None,
    comment: str = "",
    *,
    signed: bool = False,
    seen: str | None = None,
) -> Said:
    """What they decide, under the name that they have now."""
    name = votes.printed_name(principal)
    by = Decider(principal.username, name, principal.user_id, principal.via, signed)
    return Said(by, outcome, data, comment, seen)


def _has_seen(seen: str | None) -> None:
    if seen is None and settings.HANDOFF_REQUIRE_SEEN:
        message = "Send the shown_hash of the task as you saw it: here nobody decides unseen."
        raise Invalid(message, code="required", field="seen")


def held_by(principal: Principal, task_id: UUID, seen: str | None) -> tuple[ManualTask, Mapping[str, Json]]:
    """An open task that they alone have now, and what its record tells of it. Its run must be had alone.

    Raises as `complete_task`: another decision may have barred who decides, or changed what is asked.
    """
    task = task_to_answer(principal, task_id)
    who = queries.who_is(principal)
    absent = who.stands_in_for(task)
    keys = [key_of(name) for name in (principal.username, absent) if name]
    handed = absent is None and not who.is_asked(task)
    held = store.hold_task(task_id, by=principal.username, keys=keys, handed=handed, absent=absent)
    if held is None:
        raise conflict(queries.task_of(principal.tenant_id, task_id))
    # Asked behind the task's lock, which who adds a file or holds a decision back has, too.
    if seen is not None and (changed := shown.changed_since(task, principal.username, seen)):
        raise Conflict(changed, code="task_changed")
    if not needs_several(task.quorum) and (other := store.held_by_another(task_id, principal.username)):
        raise being_decided(task, other)
    return task, held if absent is None else held | {"on_behalf_of": absent}


def have_alone(task: ManualTask, cast: Callable[[], Done | None]) -> None:
    """Cast a vote while nobody else has the run of a task; where it ends the step, that ends with it."""

    def decide(_: Mapping[str, Locked], waiters: Waiters) -> list[tuple[Held, Ending]]:
        waiting = {held.id: held for held, _ in waiters([str(task.run_id)])}
        if (step := waiting.get(str(task.step_id))) is None:
            raise conflict(queries.task_of(task.tenant_id, task.pk))
        done = cast()
        return [] if done is None else [(step, done)]

    wake(task.tenant_id, [str(task.run_id)], "task", decide)
    live.tell_inboxes([task.tenant_id])


def _write(task: ManualTask, said: Said, counted: votes.Counted, held: Mapping[str, Json]) -> Done | None:
    """Write a decision of a task that is held down as evidence; the end of its step, where it ends it."""
    outcome = counted.verdict.outcome
    keys = [key_of(name) for name in (said.by.username, held["on_behalf_of"]) if name]
    link = add_link(task, said, counted, held, bars=keys)
    if outcome is None:
        store.note_vote(task.pk, keys=keys, said=link)
        return None
    store.complete_task(
        task.pk, keys=keys, data=encoded(said.data), comment=said.comment, said=link | {"outcome": outcome}
    )
    output = {"by": link["by"], "outcome": outcome, "comment": said.comment}
    output |= {"data": said.data, "at": link["at"], "branch": outcome}
    output |= {} if link["on_behalf_of"] is None else {"on_behalf_of": link["on_behalf_of"]}
    if any(fact.get("may_change") for fact in task.facts):
        output |= {"facts": {fact["label"]: fact["value"] for fact in task.facts}}
    return Done(output | ({"decisions": votes.decisions_of(task)} if needs_several(task.quorum) else {}))


def add_link(
    task: ManualTask,
    said: Said,
    counted: votes.Counted,
    held: Mapping[str, Json],
    *,
    bars: Sequence[str],
) -> dict[str, Json]:
    """Write what was said of a task that is held as the next link of the chain; gives what history says of it.

    `bars`: the keys of those who may decide nothing else in the run that wants four eyes.
    """
    chain = store.hold_chain(task.tenant_id, evidence.FIRST)
    record = evidence.record_of(
        task,
        held,
        chain,
        votes.told(counted),
        by=said.by,
        outcome=said.outcome,
        data=said.data,
        comment=said.comment,
        files=files.evidence_of(task),
        seen=said.seen,
    )
    link = {
        "outcome": said.outcome,
        "by": said.by.username,
        "on_behalf_of": held["on_behalf_of"],
        "digest": record.digest,
        "at": record.at,
    }
    row = {"id": uuid7(), "task": task.pk, "seq": record.seq, "record": record.text}
    more = {"data": encoded(said.data), "comment": said.comment, "groups": list(counted.groups)}
    ended = {"ended_with": counted.verdict.outcome}
    store.add_decision(row | link | more | ended, keys=list(bars), why=dict.fromkeys(bars, DECIDER))
    return link


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


def encoded(data: Json) -> str | None:
    """What was filled in, as the text of its JSON; None for nothing."""
    return None if data is None else strict_dumps(data, max_bytes=MAX_DATA_BYTES).decode()


def check_decision(task: ManualTask, outcome: str, data: Json, comment: str) -> None:
    """Let pass what may end this task. Raises Invalid naming the first field, all faults in `details.errors`."""
    faults = list(_faults(task, outcome, data, comment))
    if faults:
        errors = [{"field": field, "code": code, "message": text} for field, code, text in faults]
        field, code, text = faults[0]
        kind = TooLarge if code == TooLarge.code else Invalid
        raise kind(text, code=code, field=field, details={"errors": errors})


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
    wanted = (chosen or {}).get("require") or ()
    given = data if isinstance(data, dict) else {}
    # A box that must be filled in must be checked.
    missing = [name for name in wanted if given.get(name) is False or given.get(name) in (None, "", [], {})]
    for name in missing:
        message = f"“{(chosen or {})['label']}” needs this."
        found.append((join("data", name), "required", message))
    return found + data_faults(task, data)


def data_faults(task: ManualTask, data: Json) -> list[tuple[str, str, str]]:
    """What is wrong with the data of a task's form: field, code, sentence."""
    if task.form is None:
        return [] if data is None else [("data", "unknown_field", "This task has no form to fill in.")]
    try:
        strict_dumps(data, max_bytes=MAX_DATA_BYTES)
    except JsonTooLarge as error:
        return [("data", TooLarge.code, error.message)]
    except BadJson as error:
        return [("data", "bad_json", error.message)]
    found = problems_of(task.form, {} if data is None else data, most=MOST_FAULTS)
    return [(_field(path), "invalid", text) for path, text in found] + files.faults_of(task, data)


def _field(path: tuple[str | int, ...]) -> str:
    name = "data"
    for part in path:
        name = f"{name}[{part}]" if isinstance(part, int) else join(name, part)
    return name

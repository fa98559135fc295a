"""The state of a request in words, for whoever asked and may not read its workflow. Pure.

It is derived from what the sentence of a run's page is derived from: the status of the run, why its open steps are
not over (`step_waits.reason_of`, `wait_kinds`), and what people are asked and decided.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Final, Literal

from engine.statuses import RUN_CLOSING, RUN_OPEN, RunStatus
from lib.clock import now_here
from runs.kernel import wait_kinds
from runs.reading.people_asked import OpenTask, Standing
from runs.reading.step_waits import Reason, Waiter, reason_of

Kind = Literal["wait", "good", "bad", "info", "quiet"]

BY_OPERATORS: Final = "Paused by operators"
IN_PROGRESS: Final = "In progress"
WRONG: Final = "Something went wrong; operators see it"
UNDOING: Final = "What was done is being undone"

_OF_STEP: Final[Mapping[Reason, str]] = {
    Reason.STEP_PAUSED: BY_OPERATORS,
    Reason.RUN_PAUSED: BY_OPERATORS,
    Reason.RETRY: "Waiting for another attempt",
    Reason.QUEUE: "Waiting for a system",
    Reason.AT_WORK: IN_PROGRESS,
}
"""What is said of a step that is not over; of one that waits its kind of wait says it (`WaitKind.for_requester`)."""
_FIRST: Final = (
    Reason.WAIT,
    Reason.STEP_PAUSED,
    Reason.AT_WORK,
    Reason.QUEUE,
    Reason.RETRY,
    Reason.RUN_PAUSED,
)
"""Of several open steps the first of these is told of; a wait for an operator before all others."""
_SLOW: Final = ("timer", "signal")
"""Waits that are told of only where nothing else goes on."""
_AFTER: Final[Mapping[RunStatus, str]] = {
    RunStatus.RUNNING: "what is under way is finished first",
    RunStatus.PAUSED: "operators paused what is under way",
    RunStatus.FAILING: "what is under way is finished first",
    RunStatus.COMPENSATING: "what was done is being undone",
    RunStatus.WAITING_FOR_MANUAL_ACTION: "an operator has to act",
    RunStatus.FAILED: "",
    RunStatus.COMPENSATED: "what was done was undone",
}
"""What is said, behind the reason, of a run of this status that has failed."""


@dataclass(frozen=True, slots=True)
class OpenStep:
    """An open step of a request, or of a run below it. `title`: None where the reader may not know it."""

    reason: Reason
    words: str
    is_operators: bool
    is_slow: bool
    title: str | None
    since: datetime | None
    until: datetime | None

    @property
    def rank(self) -> int:
        """Its place among several: the lowest is told of."""
        if self.is_operators:
            return -1
        return _FIRST.index(self.reason) + (len(_FIRST) if self.is_slow else 0)


@dataclass(frozen=True, slots=True)
class Failure:
    """How a run failed. `message`: what the author of a `fail` step says, where one ended it; `is_authored`: whether
    one did.
    """

    is_authored: bool = False
    message: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """What the state of a request is made of. `failure`: None of a run that did not fail; `is_own_end`: whether the
    reader cancelled it.
    """

    status: RunStatus
    is_over: bool
    cancelled: bool = False
    is_own_end: bool = False
    standing: Standing = field(default_factory=Standing)
    steps: Sequence[OpenStep] = ()
    failure: Failure | None = None


@dataclass(frozen=True, slots=True)
class State:
    """A state in words. `holder`: who has it, or the step that does; `task`: the task that is asked about.

    `text`: the whole message of the author, where the words hold it.
    """

    words: str
    kind: Kind
    holder: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    text: str = ""


def open_step(step: Waiter, title: str | None, since: str | None) -> OpenStep | None:
    """An open step as its requester is told of it; None of one that is over."""
    reason = reason_of(step)
    if reason is None:
        return None
    wait = step.waiting or {}
    words = wait_kinds.for_requester(wait) if reason == Reason.WAIT else _OF_STEP[reason]
    until = _moment(wait.get("until")) if reason == Reason.WAIT else None
    if reason == Reason.RETRY and (due := _moment(step.available_at)) and due > now_here():
        words, until = f"{words}, due {wait_kinds.moment(step.available_at)}", due
    is_operators = reason == Reason.WAIT and wait_kinds.asks_operator(wait)
    is_slow = reason == Reason.WAIT and wait.get("kind") in _SLOW
    return OpenStep(reason, words, is_operators, is_slow, title, _moment(since), until)


def failed_undo(title: str | None) -> OpenStep:
    """A step below that could not be undone: its run waits for an operator."""
    return OpenStep(Reason.WAIT, wait_kinds.OPERATOR_HAS_TO_ACT, True, False, title, None, None)


def state_of(facts: Facts) -> State:
    """The state of a request."""
    if facts.cancelled or facts.status in (RunStatus.CANCELLING, RunStatus.CANCELLED):
        return _ended_by_hand(facts)
    if facts.failure is not None or facts.status not in (*RUN_OPEN, RunStatus.COMPLETED, RunStatus.CONTINUED):
        return _failed(facts)
    if facts.status == RunStatus.COMPLETED:
        return _result(facts.standing)
    if facts.status == RunStatus.CONTINUED:
        return State("Continued as another run", "info")
    if facts.status == RunStatus.PAUSED:
        return State(BY_OPERATORS, "wait")
    return _waiting(facts)


def _ended_by_hand(facts: Facts) -> State:
    over, going = ("Withdrawn", "Being withdrawn") if facts.is_own_end else ("Cancelled", "Being cancelled")
    if facts.is_over:
        return State(over, "quiet")
    if facts.status == RunStatus.WAITING_FOR_MANUAL_ACTION:
        return State(f"{going}; an operator has to act", "wait")
    return State(going, "wait")


def _failed(facts: Facts) -> State:
    """A failure that an author foresaw after a decision is an answer; of any other its error is for operators."""
    failure = facts.failure or Failure()
    refused = _refused(facts.standing)
    after = _AFTER[facts.status]
    if failure.is_authored and facts.standing.decided and failure.message:
        answer = f"{refused or 'Not done'}: {_short(failure.message)}"
    elif failure.is_authored:
        answer = refused or "Not done; operators see why"
    elif refused:
        answer = f"{refused}; something went wrong afterwards, operators see it"
    elif facts.status == RunStatus.WAITING_FOR_MANUAL_ACTION:
        return State(wait_kinds.OPERATOR_HAS_TO_ACT, "wait")
    else:
        answer = "Something went wrong" if after else WRONG
    words = f"{answer.rstrip('.')}; {after}" if after else answer
    return State(words, "bad", text=failure.message if facts.standing.decided else "")


def _result(standing: Standing) -> State:
    refused = _refused(standing)
    return State(refused, "bad") if refused else State("Done", "good")


def _refused(standing: Standing) -> str:
    """Whether the decisions that ended the path of a run refused it, in words; empty where none did."""
    if not standing.refused:
        return ""
    if standing.refused >= standing.decided:
        return "Refused"
    return f"{standing.refused} of {standing.decided} refused"


def _waiting(facts: Facts) -> State:
    first = min(facts.steps, key=lambda one: one.rank, default=None)
    if first is not None and first.is_operators and not facts.standing.open_tasks:
        return State(first.words, "wait", first.title, first.since, first.until)
    if facts.standing.open_tasks:
        return _with_person(facts.standing.open_tasks)
    if first is None:
        return State(IN_PROGRESS, "info")
    is_past = first.until is not None and first.until <= now_here()
    if is_past and first.reason == Reason.WAIT:
        return State(IN_PROGRESS, "info", first.title, first.since)
    kind: Kind = "info" if first.words == IN_PROGRESS else "wait"
    return State(first.words, kind, first.title, first.since, first.until)


def _with_person(tasks: Sequence[OpenTask]) -> State:
    first = tasks[0]
    more = f" and {len(tasks) - 1} more" if len(tasks) > 1 else ""
    holder = "you" if first.is_yours else f"{first.holder}{more}"
    words = "Your answer is needed" if first.is_yours else f"Waiting for {holder}"
    if first.until is not None and first.until <= now_here():
        words += "; the deadline has passed"
    return State(words, "wait", holder, first.since, first.until)


MESSAGE_CHARACTERS = 160
"""So many characters of an author's message stand in the state itself; the story has all of them."""


def _short(message: str) -> str:
    text = " ".join(message[: MESSAGE_CHARACTERS * 2].split())
    return text if len(text) <= MESSAGE_CHARACTERS else f"{text[: MESSAGE_CHARACTERS - 1]}…"


def _moment(text: str | None) -> datetime | None:
    return None if text is None else datetime.fromisoformat(text)


def has_failed(status: str, *, has_error: bool) -> bool:
    """Whether a run of this status has failed, or will once what is under way has ended."""
    if status in RUN_OPEN:
        return has_error
    return status in (
        *(RUN_CLOSING - {RunStatus.CANCELLING}),
        RunStatus.FAILED,
        RunStatus.COMPENSATED,
        RunStatus.COMPENSATING,
        RunStatus.WAITING_FOR_MANUAL_ACTION,
    )

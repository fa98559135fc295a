"""What happened to a run, in sentences for people who don't program: an event of its history, a line. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal

from engine.catalogue import Json
from engine.events import EventType
from lib.typed_values import differences_text
from runs.kernel import wait_kinds
from runs.limits import STORY_CHARACTERS
from runs.reading.places import step_in_words

Tone = Literal["", "good", "bad", "wait", "person"]
UNTOLD: Final = (EventType.EDGES_RESOLVED, EventType.STEP_RELEASED, EventType.STEP_MIGRATED)
"""Events that change nothing that a reader of a story would miss."""
TOLD_OF_CHILDREN: Final = (EventType.STEP_FAILED, EventType.ATTEMPT_FAILED)
"""Of a container's children, of which there may be 10,000, what went wrong is told."""


TOLD_OF_BELOW: Final = (
    EventType.TASK_OPENED,
    EventType.TASK_COMPLETED,
    EventType.TASK_VOTED,
    EventType.TASK_DELEGATED,
    EventType.TASK_RETURNED,
    EventType.TASK_RESUBMITTED,
    EventType.TASK_ASKED,
    EventType.TASK_ANSWERED,
    EventType.TASK_ESCALATED,
    EventType.STEP_WAITING,
    EventType.STEP_FAILED,
    EventType.ATTEMPT_FAILED,
    EventType.COMPENSATE_RUN,
    EventType.RUN_WAITING_FOR_MANUAL_ACTION,
    EventType.SLA_WARNING,
    EventType.SLA_BREACHED,
)
"""Of the runs below a run it is told what people decided, what failed, what was undone, and what was waited for."""
WAITS_OF_BELOW: Final = ("timer", "signal", "operator")
"""Waits for these are told of; that people are asked is an event of its own."""


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a run's history, and what its step is called. `place`: where in the tree, for a run below;
    `is_hidden`: what it says of its own may not be read.
    """

    type: str
    title: str
    attempt: int | None
    payload: Mapping[str, Json]
    at: datetime
    node: str | None = None
    place: str = ""
    is_hidden: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A sentence: `by` did what `text` says, which has a subject of its own where nobody is named. `more` explains it:
    a reason, or what an error says. `place`: where in the tree it was, for a run below.
    """

    at: datetime
    text: str
    tone: Tone
    node: str | None
    by: str | None = None
    more: str = ""
    place: str = ""


_Said = tuple[str, str | None, Tone]
"""What is said where nobody is named, what somebody who is did, and how it sounds. `{step}` is the step's title."""

_SENTENCES: Final[Mapping[EventType, _Said]] = {
    EventType.RUN_STARTED: ("The run began.", "started the run.", ""),
    EventType.RUN_PAUSED: ("The run was paused.", "paused the run.", "wait"),
    EventType.RUN_UNPAUSED: ("The run went on.", "let the run go on.", ""),
    EventType.RUN_FAILING: ("A step failed for good; running steps are awaited.", None, "bad"),
    EventType.RUN_CANCELLING: ("The run is being cancelled.", "cancelled the run.", "bad"),
    EventType.RUN_COMPENSATING: ("What was done is being undone, the last step first.", None, "wait"),
    EventType.RUN_WAITING_FOR_MANUAL_ACTION: (
        "Something could not be undone: a person has to handle it.",
        None,
        "wait",
    ),
    EventType.RUN_COMPLETED: ("The run completed.", None, "good"),
    EventType.RUN_CONTINUED: ("The run went on as a new run.", None, ""),
    EventType.RUN_FAILED: ("The run failed.", None, "bad"),
    EventType.RUN_CANCELLED: ("The run was cancelled.", "cancelled the run.", "bad"),
    EventType.RUN_COMPENSATED: ("The run failed, and what it had done was undone.", None, "bad"),
    EventType.RUN_REOPENED: ("The run was resumed.", "resumed the run.", ""),
    EventType.RUN_REPAIRED: ("Handoff repaired the run.", None, "wait"),
    EventType.RUN_NOT_MIGRATED: (
        "The run stays on its version: it does not fit the one that the run above it was moved to.",
        None,
        "bad",
    ),
    EventType.RUN_MIGRATED: (
        "The run moved to {other}.",
        "moved the run to {other}.",
        "",
    ),
    EventType.NEXT_NOT_STARTED: ("{workflow}, which should have followed, was not started.", None, "bad"),
    EventType.STEP_COMPLETED: ("“{step}” completed.", "completed “{step}”.", "good"),
    EventType.STEP_FAILED: ("“{step}” failed.", "let “{step}” fail.", "bad"),
    EventType.STEP_SKIPPED: ("“{step}” was not needed: no branch led to it.", "skipped “{step}”.", ""),
    EventType.STEP_CANCELLED: ("“{step}” was cancelled.", "cancelled “{step}”.", ""),
    EventType.STEP_WAITING: ("“{step}” began to wait{what}.", None, "wait"),
    EventType.STEP_REQUEUED: ("“{step}” is retried.", "retried “{step}”.", ""),
    EventType.STEP_WITHDRAWN: ("“{step}” begins anew.", "restarted “{step}”.", ""),
    EventType.STEP_PAUSED: ("“{step}” was paused.", "paused “{step}”.", "wait"),
    EventType.STEP_UNPAUSED: ("“{step}” goes on.", "let “{step}” go on.", ""),
    EventType.ATTEMPT_FAILED: (
        "“{step}” failed on attempt {attempt}; it is retried{retry}.",
        None,
        "bad",
    ),
    EventType.LEASE_LOST: ("The worker that did “{step}” was lost; another one takes over.", None, "wait"),
    EventType.LATE_RESULT: ("A result for “{step}” came too late and was not used.", None, "wait"),
    EventType.COMPENSATE_RUN: ("“{step}” is to be undone.", None, ""),
    EventType.VARIABLES_SET: ("“{step}” set {variables}.", None, ""),
    EventType.TIMER_FIRED: ("The timer of “{step}” fired.", None, "wait"),
    EventType.SIGNAL_RECEIVED: ("The signal {name} was received.", "sent the signal {name}.", ""),
    EventType.SIGNAL_CONSUMED: ("“{step}” took the signal {name}.", None, ""),
    EventType.SLA_WARNING: ("80 % of the time until the deadline had passed.", None, "wait"),
    EventType.SLA_BREACHED: ("The deadline passed.", None, "bad"),
    EventType.ALERT: ("Operators were alerted.", None, "bad"),
    EventType.TASK_OPENED: ("People were asked: “{step}”.", None, "person"),
    EventType.TASK_COMPLETED: ("“{step}” was decided: {outcome}.", "decided “{step}”: {outcome}.", "person"),
    EventType.TASK_VOTED: ("A vote on “{step}”: {outcome}.", "voted on “{step}”: {outcome}.", "person"),
    EventType.TASK_DELEGATED: ("“{step}” was handed on{to}.", "handed “{step}” on{to}.", "person"),
    EventType.TASK_RETURNED: (
        "“{step}” was returned for changes{to}.",
        "returned “{step}” for changes{to}.",
        "person",
    ),
    EventType.TASK_RESUBMITTED: ("“{step}” came back with changes.", "changed “{step}” as asked.", "person"),
    EventType.TASK_ASKED: (
        "A question was asked about “{step}”.",
        "asked a question about “{step}”.",
        "person",
    ),
    EventType.TASK_ANSWERED: ("The question was answered.", "answered the question.", "person"),
    EventType.TASK_REMINDED: ("People were reminded of “{step}”.", "reminded people of “{step}”.", "wait"),
    EventType.TASK_ESCALATED: (
        "“{step}” was escalated: others are asked, too.",
        "escalated “{step}”.",
        "wait",
    ),
}


def story(events: Iterable[Event]) -> list[Line]:
    """A line for each event, in their order; of a type that this release doesn't know its name."""
    return [_line(event) for event in events]


def _line(event: Event) -> Line:
    sentence = _SENTENCES.get(EventType(event.type)) if event.type in EventType.__members__ else None
    alone, active, tone = sentence or (f"{event.type}.", None, "")
    by, filed_by = event.payload.get("by"), event.payload.get("filed_by")
    if isinstance(filed_by, str):
        by, active = filed_by, "started the run on behalf of {by}."
    actor = by if isinstance(by, str) and active is not None else None
    words = _words(event)
    # A title may have braces: only the sentence is a template.
    text = "".join(_filled(active if actor and active else alone, words))
    # What the error says stands with the step right before.
    more = "" if event.is_hidden or event.type == EventType.RUN_FAILING else _more(event.payload)
    return Line(event.at, text, tone, event.node, actor, more, event.place)


def _filled(sentence: str, words: Mapping[str, str]) -> Iterable[str]:
    for part in sentence.split("{"):
        name, brace, rest = part.partition("}")
        yield words.get(name, "") + rest if brace else part


def _words(event: Event) -> dict[str, str]:
    payload = event.payload
    texts = {key: str(value) for key, value in payload.items() if isinstance(value, str | int | float)}
    index = payload.get("index")
    return texts | {
        "step": step_in_words(event.title, index),
        "attempt": str(event.attempt or 1),
        "other": f"version {payload['version']}"
        if payload.get("version")
        else "the version of the run above it",
        "retry": _retry(payload.get("retry_in")),
        "what": _waits_for(payload.get("kind")),
        "to": f" to {payload['to']}" if isinstance(payload.get("to"), str) else "",
        "variables": _named(payload.get("set")),
        "outcome": str(payload.get("outcome") or "done"),
    }


def _waits_for(kind: Json) -> str:
    short = wait_kinds.in_short(kind)
    return f" for {short}" if short else ""


def _retry(seconds: Json) -> str:
    return f" in {seconds:.0f} s" if isinstance(seconds, int | float) and seconds >= 1 else ""


def _named(variables: Json) -> str:
    if not isinstance(variables, Mapping) or not variables:
        return "variables"
    return ", ".join(sorted(map(str, variables)))


def _more(payload: Mapping[str, Json]) -> str:
    """What explains it: what the error says, a reason; the first that there is."""
    error = payload.get("error")
    message = error.get("message") if isinstance(error, Mapping) else None
    if differences := payload.get("changed"):
        message = differences_text(differences)
    candidates = (message, payload.get("reason"), payload.get("message"), payload.get("detail"))
    text = next((one for one in candidates if isinstance(one, str) and one), "")
    return text if len(text) <= STORY_CHARACTERS else f"{text[: STORY_CHARACTERS - 1]}…"

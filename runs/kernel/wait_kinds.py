"""What a step can wait for: what happens when a step begins to wait and when it waits no more, what wakes it, how that
reads, and what a page shows beside it.

`runs` has timers (in every kind, by SQL), signals, operators, containers' children and child runs. Who adds a kind
registers it in its `AppConfig.ready`, and nothing else has to know of it. `enter` and `leave` run in the transaction
that holds the run alone.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from engine.catalogue import Json
from lib.reader import moment_text
from lib.uuid7 import uuid7
from runs.kernel import children, signals
from runs.store.attempts import AttemptResult, ClaimedStep, Suspended
from runs.store.children import cancel_children, containers_without_children
from runs.store.rows import WaitRow
from runs.store.waits import LostWait

Wait = Mapping[str, Json]
Entered = Sequence[tuple[ClaimedStep, Wait]]


class Moment(NamedTuple):
    """A moment of a step that is another one by another version; None: there was none, or is none."""

    kind: str
    target: str | None
    before: datetime | None
    after: datetime | None


class Retimed(NamedTuple):
    """The moments of a step that are others by another version, what it waits for then, and what else is to be done."""

    moments: Sequence[Moment]
    wait: Wait
    apply: Callable[[], None]


@dataclass(frozen=True, slots=True)
class WaitKind:
    """`enter`: steps that have just begun to wait → those that needn't, each with its ending.

    `in_words`: what goes behind "waits for", in a sentence. `in_short`: the same where only the kind is known, as in
    history. `for_requester`: the state of a request that waits for it, without the names of steps, signals or queues.
    `source`: what wakes it, as `runs_wake_source` names it.
    `leave`: steps of these runs may wait no more, cancelled or out of time. `missing`: of these runs the steps
    that wait for this kind though nothing is there that could end it; `enter` makes it anew.
    `looks_again`: `enter` only looks, so that a repair may ask it while what ends the wait is there. `timed_out`: the
    error of a step whose time is over. `page_part`: a template that a run's page shows beside such a step. `people`:
    the usernames in its words. `names_step`: its words say what the step is called. `asks_operator`: an operator says
    what becomes of the step.
    `for_enter`: what of a wait is not kept with the step, since only `enter` needs it. `prepare`: before steps begin to
    wait → by step, the waits that are others than what the steps gave. `retime`: the step, its wait and what it would
    wait for by another version → the moments that are others then, and what makes them so.
    """

    enter: Callable[[Entered], list[tuple[ClaimedStep, AttemptResult]]]
    in_words: Callable[[Wait], str]
    source: str
    in_short: str
    for_requester: Callable[[Wait], str]
    leave: Callable[[Iterable[str]], None] | None = None
    missing: Callable[[Iterable[str]], list[LostWait]] | None = None
    looks_again: bool = False
    timed_out: Callable[[Wait], dict[str, Json]] | None = None
    page_part: str | None = None
    people: Callable[[Wait], Iterable[str]] | None = None
    names_step: bool = False
    asks_operator: bool = False
    for_enter: frozenset[str] = frozenset()
    prepare: Callable[[Entered], Mapping[str, Wait]] | None = None
    retime: Callable[[ClaimedStep, Wait, Wait], "Retimed | None"] | None = None


def moment(text: str) -> str:
    """A time as sentences have it: on a page as its reader writes it, otherwise in UTC."""
    return moment_text(datetime.fromisoformat(text))


def _at_most(wait: Mapping[str, Json]) -> str:
    return f", at most until {moment(wait['until'])}" if wait.get("until") else ""


def _time_for_requester(wait: Wait) -> str:
    return f"Waiting until {moment(wait['until'])}" if wait.get("until") else "Waiting for a time to come"


def _no_signal(wait: Wait) -> dict[str, Json]:
    message = f"The signal {wait.get('name')!r} did not come in time."
    return {"code": "SignalTimeout", "message": message, "retryable": False}


def _time_in_words(wait: Wait) -> str:
    """Until when, and how that was counted where not all hours count."""
    return ", ".join([moment(wait["until"]), *([wait["counts"]] if wait.get("counts") else [])])


def _children_in_words(wait: Wait) -> str:
    if "rounds" in wait:
        return "its rounds"
    return "its 1 item" if wait["total"] == 1 else f"its {wait['total']} items"


OPERATOR_HAS_TO_ACT = "An operator has to act"
_TIMER = "timer"
_KINDS: dict[str, WaitKind] = {
    _TIMER: WaitKind(
        enter=lambda _: [],
        in_words=_time_in_words,
        source="timer",
        in_short="a time",
        for_requester=_time_for_requester,
    ),
    "signal": WaitKind(
        enter=signals.enter,
        in_words=lambda wait: f"the signal {wait['name']}{_at_most(wait)}",
        source="signal",
        in_short="a signal",
        for_requester=lambda _: "Waiting for an external confirmation",
        looks_again=True,
        timed_out=_no_signal,
        page_part="runs/waits/signal.html",
    ),
    "operator": WaitKind(
        enter=lambda _: [],
        in_words=lambda _: "an operator to decide about its failure",
        source="person",
        in_short="an operator",
        for_requester=lambda _: OPERATOR_HAS_TO_ACT,
        asks_operator=True,
    ),
    "children": WaitKind(
        enter=children.enter,
        in_words=_children_in_words,
        source="children",
        in_short="its items",
        for_requester=lambda _: "In progress",
        leave=cancel_children,
        missing=containers_without_children,
        for_enter=frozenset({"items"}),
    ),
}


def register(kind: str, handler: WaitKind) -> None:
    """Add a kind of wait. Raises ValueError where somebody else owns it."""
    if kind in _KINDS:
        raise ValueError(f"the wait {kind!r} has an owner already")
    _KINDS[kind] = handler


def row_of(step: ClaimedStep, waiting: Suspended) -> WaitRow:
    """What says to the database that a step waits: the wait without its timer, and the timer if it has one."""
    kind = _KINDS[waiting.wait["kind"]]
    wait = {key: value for key, value in waiting.wait.items() if key not in kind.for_enter}
    wait["source"] = kind.source
    timer = wait.pop("timer", None)
    row: WaitRow = {"id": step.id, "epoch": step.epoch, "wait": wait, "usage": waiting.usage}
    if timer:
        row |= {"timer_id": uuid7(), "timer": timer["kind"]}
        if "seconds" in timer:
            row["seconds"] = timer["seconds"]
        if "until" in timer:
            row["until"] = timer["until"]
    return row


def prepared(entering: Sequence[tuple[ClaimedStep, Suspended]]) -> list[tuple[ClaimedStep, Suspended]]:
    """Steps that are about to wait, each with what its owner has it wait for."""
    by_kind: dict[str, list[tuple[ClaimedStep, Wait]]] = {}
    for step, waiting in entering:
        if _KINDS[waiting.wait["kind"]].prepare is not None:
            by_kind.setdefault(waiting.wait["kind"], []).append((step, waiting.wait))
    others: dict[str, Wait] = {}
    for kind, those in by_kind.items():
        if prepare := _KINDS[kind].prepare:
            others |= prepare(those)
    return [
        (step, replace(waiting, wait=others[step.id]) if step.id in others else waiting)
        for step, waiting in entering
    ]


def begin(entered: Entered) -> list[tuple[ClaimedStep, AttemptResult]]:
    """Tell the owners of each kind; gives the steps whose wait is over at once."""
    by_kind: dict[str, list[tuple[ClaimedStep, Mapping[str, Json]]]] = {}
    for step, wait in entered:
        by_kind.setdefault(wait["kind"], []).append((step, wait))
    return [result for kind, those in by_kind.items() for result in _KINDS[kind].enter(those)]


def in_words(wait: Mapping[str, Json]) -> str:
    """What a step waits for, behind "waits for"."""
    return _KINDS[wait["kind"]].in_words(wait)


def in_short(kind: Json) -> str:
    """What a step waits for of which only the kind is known, behind "waits for"; empty where nobody says."""
    owned = _KINDS.get(kind) if isinstance(kind, str) else None
    return owned.in_short if owned is not None else ""


def for_requester(wait: Wait) -> str:
    """The state of a request whose step waits for this, in the words of whoever may not read its workflow."""
    kind = _KINDS.get(wait.get("kind", ""))
    return kind.for_requester(wait) if kind is not None else "In progress"


def kinds() -> Sequence[str]:
    """The kinds that are known here."""
    return [*_KINDS]


def people_in(wait: Wait) -> Iterable[str]:
    """The usernames of those whom the words for a wait name."""
    kind = _KINDS.get(wait.get("kind", ""))
    return kind.people(wait) if kind is not None and kind.people is not None else ()


def names_step(wait: Wait) -> bool:
    """Whether the words for a wait say what its step is called."""
    kind = _KINDS.get(wait.get("kind", ""))
    return kind is not None and kind.names_step


def asks_operator(wait: Wait) -> bool:
    """Whether a step waits for an operator to say what becomes of it."""
    kind = _KINDS.get(wait.get("kind", ""))
    return kind is not None and kind.asks_operator


GONE = "what it waits for is gone"


def is_whole(wait: Wait) -> bool:
    """Whether this is a wait of a kind that somebody owns, and says when it ends if nothing but time ends it."""
    return wait.get("kind") in _KINDS and (wait["kind"] != _TIMER or bool(wait.get("until")))


def ended_meanwhile(
    step: ClaimedStep, wait: Wait, *, is_gone: bool
) -> list[tuple[ClaimedStep, AttemptResult]]:
    """A repair's question: the step with its ending, if what it waits for is there. What `is_gone` is made anew."""
    kind = _KINDS[wait["kind"]]
    return kind.enter([(step, wait)]) if is_gone or kind.looks_again else []


def retimed(step: ClaimedStep, wait: Wait, again: Wait) -> Retimed | None:
    """What its owner makes of a wait whose times are others by another version; None where nothing is."""
    kind = _KINDS.get(wait.get("kind", ""))
    return kind.retime(step, wait, again) if kind is not None and kind.retime is not None else None


def timed_out(wait: Wait) -> dict[str, Json]:
    """The error of a step that waited for as long as it may."""
    kind = _KINDS.get(wait.get("kind", ""))
    if kind is not None and kind.timed_out is not None:
        return kind.timed_out(wait)
    return {"code": "Timeout", "message": "Nobody ended the wait in time.", "retryable": False}


def page_part(wait: Wait) -> str | None:
    """The template that a run's page shows beside a step that waits so."""
    kind = _KINDS.get(wait.get("kind", ""))
    return kind.page_part if kind is not None else None


def missing(runs: Iterable[str]) -> list[LostWait]:
    """The steps of these runs that wait for what is not there."""
    ids = list(runs)
    return [row for kind in _KINDS.values() if kind.missing is not None for row in kind.missing(ids)]


def waits_ended(runs: Iterable[str]) -> None:
    """Tell the owners of each kind that steps of these runs may wait no more."""
    ids = list(runs)
    for kind in _KINDS.values():
        if kind.leave is not None:
            kind.leave(ids)

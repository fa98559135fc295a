"""What a step can wait for: each kind says what happens when a step begins to wait, and when it waits no more.

`runs` has timers (in every kind, by SQL) and signals; who adds a kind registers it in its `AppConfig.ready`. Both
functions run in the transaction that holds the run alone.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from lib.uuid7 import uuid7
from runs.store import waits
from runs.store.attempts import Done, Ending, Held

Json = Any
Entered = Sequence[tuple[Held, Mapping[str, Json]]]


@dataclass(frozen=True, slots=True)
class WaitKind:
    """`enter`: steps that have just begun to wait → those that needn't, each with its ending.

    `in_words`: what goes behind "waits for", in a sentence. `leave`: steps of these runs may wait
    no more, cancelled or out of time. `missing`: of these runs the steps (run, tenant, life, node) that wait for this
    kind though nothing is there that could end it; `enter` makes it anew.
    """

    enter: Callable[[Entered], list[tuple[Held, Ending]]]
    in_words: Callable[[Mapping[str, Json]], str]
    leave: Callable[[Iterable[str]], None] | None = None
    missing: Callable[[Iterable[str]], list[tuple[str, int, int, str]]] | None = None


def _take_signals(entered: Entered) -> list[tuple[Held, Ending]]:
    """A signal that came early is there already (R-130)."""
    taken = waits.take_signals([(held, wait["name"]) for held, wait in entered])
    return [(held, Done(taken[held.id])) for held, _ in entered if held.id in taken]


def moment(text: str) -> str:
    """A time as sentences have it."""
    return f"{datetime.fromisoformat(text).astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def _at_most(wait: Mapping[str, Json]) -> str:
    return f", at most until {moment(wait['until'])}" if wait.get("until") else ""


_KINDS: dict[str, WaitKind] = {
    "timer": WaitKind(enter=lambda _: [], in_words=lambda wait: moment(wait["until"])),
    "signal": WaitKind(
        enter=_take_signals, in_words=lambda wait: f"the signal {wait['name']}{_at_most(wait)}"
    ),
}


def register(kind: str, handler: WaitKind) -> None:
    """Add a kind of wait. Raises ValueError where somebody else owns it."""
    if kind in _KINDS:
        raise ValueError(f"the wait {kind!r} has an owner already")
    _KINDS[kind] = handler


def row_of(held: Held, row: Mapping[str, Json]) -> dict[str, Json]:
    """What says to the database that a step waits: `wait` without its timer, and the timer if it has one."""
    wait = dict(row["wait"])
    found = {"id": held.id, "epoch": held.epoch, "wait": wait, "usage": row.get("usage")}
    if timer := wait.pop("timer", None):
        found |= {"timer_id": uuid7(), "timer": timer["kind"]}
        found |= {key: timer[key] for key in ("seconds", "until") if key in timer}
    return found


def begin(entered: Entered) -> list[tuple[Held, Ending]]:
    """Tell the owners of each kind; gives the steps whose wait is over at once."""
    by_kind: dict[str, list[tuple[Held, Mapping[str, Json]]]] = {}
    for held, wait in entered:
        by_kind.setdefault(wait["kind"], []).append((held, wait))
    return [ending for kind, those in by_kind.items() for ending in _KINDS[kind].enter(those)]


def in_words(wait: Mapping[str, Json]) -> str:
    """What a step waits for, behind "waits for"."""
    return _KINDS[wait["kind"]].in_words(wait)


GONE = "what it waits for is gone"


def is_known(wait: Mapping[str, Json]) -> bool:
    """Whether this is a wait of a kind that somebody owns."""
    return wait.get("kind") in _KINDS


def missing(runs: Iterable[str]) -> list[tuple[str, int, int, str]]:
    """The steps of these runs that wait for what is not there: run, tenant, life, node."""
    asked = list(runs)
    return [row for kind in _KINDS.values() if kind.missing is not None for row in kind.missing(asked)]


def left(runs: Iterable[str]) -> None:
    """Tell the owners of each kind that steps of these runs may wait no more."""
    gone = list(runs)
    for kind in _KINDS.values():
        if kind.leave is not None:
            kind.leave(gone)

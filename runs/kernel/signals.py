"""How signals reach the steps that wait for them, in a run and in the runs below it (docs/engine.md, "Waits").

A root takes signals for its own steps at once. A message carries them to the steps of runs below it, and those ask the
root when they begin to wait: so no transaction has two runs of a tree.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from engine.catalogue import Json
from lib.blobs import BlobError
from runs.kernel import messages, notices
from runs.store import payloads, signals
from runs.store.attempts import AttemptResult, ClaimedStep, Succeeded
from runs.store.signals import CarriedRow, OfferRow, OpenWait, Place, TakerRow

Endings = list[tuple[ClaimedStep, AttemptResult]]


class Chosen(NamedTuple):
    """A step that is to take the signal `signal`; `shared`: other steps take it as well."""

    step: ClaimedStep
    name: str
    signal: str
    shared: bool


class Offered(NamedTuple):
    """A signal for the tree of `root`; `shared`: for all steps that wait for it, not for the oldest."""

    signal: str
    root: str
    shared: bool


class Found(NamedTuple):
    """The waits of roots that end by signals, and by signal the steps that took it or to which it is carried."""

    endings: Endings
    places: Mapping[str, Sequence[Place]]


def enter(entered: Sequence[tuple[ClaimedStep, Mapping[str, Json]]]) -> Endings:
    """How waits end whose signals are there already (R-130); steps of child runs ask the root of their tree.

    Raises BlobAway.
    """
    steps = {step.id: step for step, _ in entered}
    taken = signals.take_signals([_taker(step, wait["name"], None, shared=False) for step, wait in entered])
    if taken.asked:
        notices.after_commit((), [messages.QUEUE])
    return _endings(steps, taken.payloads)


def take(takers: Sequence[Chosen]) -> Endings:
    """How the waits end whose signals are chosen and that nobody else has taken. Raises BlobAway."""
    if not takers:
        return []
    taken = signals.take_signals([_taker(*one[:3], shared=one.shared) for one in takers])
    return _endings({one.step.id: one.step for one in takers}, taken.payloads)


def offer(offered: Sequence[Offered]) -> Found:
    """Give signals to the open waits that they are for; their roots are held FOR UPDATE. Raises BlobAway."""
    waits: dict[str, list[OpenWait]] = {}
    for wait in signals.signal_waits(_rows(offered)):
        waits.setdefault(wait.signal, []).append(wait)
    busy: set[str] = set()
    targets: dict[str, list[OpenWait]] = {}
    for one in sorted(offered):
        free = [wait for wait in waits.get(one.signal, ()) if wait.step.id not in busy]
        targets[one.signal] = free if one.shared else free[:1]
        busy.update(wait.step.id for wait in targets[one.signal])
    shared = {one.signal for one in offered if one.shared}
    reached = [wait for those in targets.values() for wait in those]
    own = [wait for wait in reached if wait.step.run_id == wait.root]
    endings = take([Chosen(wait.step, wait.name, wait.signal, wait.signal in shared) for wait in own])
    carry(
        {
            "signal": wait.signal,
            "step_id": wait.step.id,
            "root": wait.root,
            "shared": wait.signal in shared,
        }
        for wait in reached
        if wait.step.run_id != wait.root
    )
    lost = {wait.step.id for wait in own} - {step.id for step, _ in endings}
    places = {
        signal: [wait.place for wait in those if wait.step.id not in lost]
        for signal, those in targets.items()
    }
    return Found(endings, places)


def carry(carried: Iterable[CarriedRow]) -> None:
    """Have messages take signals to steps below runs that are held FOR UPDATE."""
    rows = list(carried)
    if rows:
        signals.carry_signals(rows)
        notices.after_commit((), [messages.QUEUE])


def _rows(offered: Sequence[Offered]) -> list[OfferRow]:
    """No signal needs more waits to choose from than there are signals for the tree: each takes one at most."""
    count: dict[str, int] = {}
    for one in offered:
        count[one.root] = count.get(one.root, 0) + 1
    return [
        {"id": one.signal, "run_id": one.root, "most": None if one.shared else count[one.root]}
        for one in offered
    ]


def _taker(step: ClaimedStep, name: str, signal: str | None, *, shared: bool) -> TakerRow:
    return {
        "step_id": step.id,
        "run_id": step.run_id,
        "node": step.node,
        "index": step.index,
        "name": name,
        "signal": signal,
        "shared": shared,
    }


def _endings(steps: Mapping[str, ClaimedStep], taken: Mapping[str, Json]) -> Endings:
    return [(step, _brought(step, taken[id])) for id, step in steps.items() if id in taken]


def _brought(step: ClaimedStep, payload: Json) -> AttemptResult:
    try:
        return Succeeded(payloads.whole(step.tenant_id, payload))
    except BlobError as error:
        return payloads.lost(error)

"""Signals: messages to runs. Whoever waits for one goes on with its payload, once; an early one is kept (R-125…).

The root of a tree keeps its signals. Lock the root, insert, look for who waits: three statements, for one snapshot
would miss a step that has just begun to wait (docs/engine.md, "Waits").
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import orjson

from engine.catalogue import Json
from engine.graph import Graph
from engine.statuses import RUN_ENDED, RunStatus
from engine.verbs import why_not
from lib.gathering import Gathered
from lib.refusals import Missing
from lib.uuid7 import uuid7
from runs.kernel import signals as kernel
from runs.kernel.graphs import shown
from runs.kernel.refused import RunRefused, storable
from runs.kernel.wake import Waiters, wake
from runs.limits import SIGNAL_BYTES, SIGNAL_RUNS
from runs.models import Run
from runs.store import payloads
from runs.store import signals as store
from runs.store.attempts import AttemptResult, ClaimedStep, LockedRun
from runs.store.signals import Address, Place, SentRow, SignalRow


@dataclass(frozen=True, slots=True)
class NewSignal:
    """A signal as somebody sends it; the same `signal_id` again is a duplicate.

    It goes to the oldest wait of its name in the tree: of those of the descendant `child` and what that began, and of
    those of an item with this `index`, where they are given; `to_all`: to all of them.
    """

    signal_id: str
    name: str
    payload: Json
    child: str | None = None
    index: int | None = None
    to_all: bool = False


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of a signal: whether it was new, and the steps that took it or to which it is being carried.

    One that is delivered nowhere is kept.
    """

    is_new: bool
    delivered: tuple[Place, ...]

    @property
    def is_kept(self) -> bool:
        """Whether it is there for a step that has not begun to wait."""
        return not self.delivered


def send_signals(
    tenant: int, signals: Sequence[tuple[str, NewSignal]], *, by: str, awaited: bool = False
) -> list[Sent]:
    """Send signals to runs of the tenant (run, signal), in one transaction; gives for each what became of it.

    One that is sent to a child run goes to its tree, for the waits of that child and what it began. With `awaited` it
    is for a step of the run itself that waits for it now, and goes nowhere else.

    A duplicate is dropped, also where the run has ended since. Raises RunRefused for a new one to a run that is not
    open, unless a compensation may still wait for a signal, one whose id was sent with another name or payload,
    one for an item that there is not, or with a payload that can't be kept; then none is sent. So it does with
    `awaited` where no step waits for one now. Raises Missing for a `child` that is no descendant of the run.
    """
    if awaited:
        return _send_awaited(tenant, signals, by)
    addresses = [Address(run, None, None) for run, _ in signals]
    if any(signal.child is not None for _, signal in signals):
        addresses = _addresses(tenant, signals)
    while True:
        try:
            return _Sending(tenant, signals, addresses, by).send()
        except _Elsewhere:
            addresses = _addresses(tenant, signals)


def send_signal(tenant: int, run: str, signal: NewSignal, *, by: str) -> Sent:
    """As `send_signals`, of one: those that come together are sent in one transaction. Raises as that."""
    return _sent_together((tenant, by), (run, signal))


def _send_each(sender: tuple[int, str], signals: Sequence[tuple[str, NewSignal]]) -> list[Sent]:
    tenant, by = sender
    return send_signals(tenant, signals, by=by)


_sent_together = Gathered(_send_each)


class _Elsewhere(Exception):
    """Of these runs one is a child, whose root keeps its signals, or goes on as another one (H-30)."""


class _Sending:
    """Signals that are sent to roots in one transaction."""

    def __init__(
        self,
        tenant: int,
        signals: Sequence[tuple[str, NewSignal]],
        addresses: Sequence[Address],
        by: str,
    ) -> None:
        self.tenant = tenant
        self.by = by
        self.signals = [signal for _, signal in signals]
        self.addresses = addresses
        at_root = [(one.root, signal) for one, signal in zip(addresses, self.signals, strict=True)]
        self.rows = rows_of(tenant, at_root)
        for row, address in zip(self.rows, addresses, strict=True):
            row["child_id"] = address.child
        self.fresh: set[str] = set()
        self.places: dict[str, Sequence[Place]] = {}

    def send(self) -> list[Sent]:
        """Send them; gives what became of each. Raises _Elsewhere and RunRefused."""
        wake(self.tenant, {one.root for one in self.addresses}, "signal", self._deliver)
        return [Sent(row["id"] in self.fresh, tuple(self.places.get(row["id"], ()))) for row in self.rows]

    def _deliver(
        self, locked: Mapping[str, LockedRun], _: Waiters
    ) -> Sequence[tuple[ClaimedStep, AttemptResult]]:
        if any(run.tree for run in locked.values()):
            raise _Elsewhere
        self.fresh = store.insert_signals(self.rows, self.by)
        if repeated := [row for row in self.rows if row["id"] not in self.fresh]:
            self.places |= _places_before(repeated)
        if not self.fresh:
            return []
        new = [place for place, row in enumerate(self.rows) if row["id"] in self.fresh]
        if any(locked[self.addresses[place].root].status == RunStatus.CONTINUED for place in new):
            raise _Elsewhere
        for place in new:
            self._require_taker(place, locked[self.addresses[place].root].status)
        outcome = kernel.offer(
            [
                kernel.Offered(self.rows[place]["id"], self.addresses[place].root, self.signals[place].to_all)
                for place in new
            ]
        )
        self.places |= outcome.places
        for place in new:
            self._require_item(place)
        return outcome.endings

    def _require_taker(self, place: int, status: str) -> None:
        """Raises RunRefused where no step of the tree, or of the descendant, can take a signal any more."""
        address = self.addresses[place]
        if (why := why_not(status, "signal")) and not _may_undo_by_signal(self.tenant, address.root, status):
            raise RunRefused(why.code, why.sentence, conflict=True)
        if address.status is None or not (why := why_not(address.status, "signal")):
            return
        is_over = address.status in RUN_ENDED and why_not(status, "signal") is None
        if is_over or not _may_undo_by_signal(self.tenant, address.root, status):
            field = "child" if self.signals[place].child is not None else None
            raise RunRefused(why.code, why.sentence, conflict=True, field=field)

    def _require_item(self, place: int) -> None:
        """Raises RunRefused where a signal is for an item that is not there and will not come."""
        index, root = self.signals[place].index, self.addresses[place].root
        if index is None or self.places.get(self.rows[place]["id"]):
            return
        comes = store.items_to_come(root, index)
        if comes is None:
            comes = _has_items(self.tenant, root)
        if not comes and not _rounds_have_items(self.tenant, root):
            message = f"No open step of the run has an item with the index {index}."
            raise RunRefused("no_such_item", message, conflict=True, field="index")


def _send_awaited(tenant: int, signals: Sequence[tuple[str, NewSignal]], by: str) -> list[Sent]:
    """Give signals to steps of these runs that wait for them now. They are taken in the transaction that keeps them, so
    a child run needs no root for it.
    """
    rows = rows_of(tenant, signals)
    runs = {run for run, _ in signals}
    places: dict[str, Place] = {}

    def deliver(locked: Mapping[str, LockedRun], waiters: Waiters) -> list[tuple[ClaimedStep, AttemptResult]]:
        store.insert_signals(rows, by)
        for run, held in locked.items():
            why = why_not(held.status, "signal")
            if why and not _may_undo_by_signal(tenant, run, held.status):
                raise RunRefused(why.code, why.sentence, conflict=True)
        waiting = waiters(runs)
        takers: list[kernel.Chosen] = []
        for row in rows:
            busy = {one.step.id for one in takers}
            fits = [step for step, wait in waiting if _fits(step, wait, row) and step.id not in busy]
            takers += [kernel.Chosen(step, row["name"], row["id"], False) for step in fits[:1]]
        endings = kernel.take(takers)
        if len(endings) < len(rows):
            raise RunRefused("not_awaited", "No step of the run waits for this now.", conflict=True)
        places.update({one.signal: Place(one.step.run_id, one.step.node, one.step.index) for one in takers})
        return endings

    wake(tenant, runs, "signal", deliver)
    return [Sent(True, (places[row["id"]],)) for row in rows]


def _fits(step: ClaimedStep, wait: Mapping[str, Json], row: SignalRow) -> bool:
    return (step.run_id, wait["name"]) == (row["run_id"], row["name"])


def _addresses(tenant: int, signals: Sequence[tuple[str, NewSignal]]) -> list[Address]:
    """Which roots keep these signals, and for which descendants. Raises Missing for one that is none."""
    rows: list[SentRow] = [
        {"place": place, "run": run, "child": signal.child} for place, (run, signal) in enumerate(signals)
    ]
    by_place = store.signal_addresses(tenant, rows)
    for place, (_, signal) in enumerate(signals):
        if signal.child is not None and place not in by_place:
            raise Missing("The run has no child run with this id.", field="child")
    return [by_place.get(place, Address(run, None, None)) for place, (run, _) in enumerate(signals)]


def _places_before(repeated: Sequence[SignalRow]) -> dict[str, Sequence[Place]]:
    """Where signals were delivered that were sent before. Raises RunRefused where one of them said something else."""
    there = store.signals_there(repeated)
    if other := next((one for one in there if one.is_other), None):
        message = f"A signal with the id {other.signal_id!r} was sent before, with another name or payload."
        raise RunRefused("signal_mismatch", message, field="signal_id", conflict=True)
    return {one.id: [one.place] for one in there if one.place is not None}


def _may_undo_by_signal(tenant: int, root: str, status: str) -> bool:
    """Whether a run that closes, or undoes what it did, may come to a compensation that waits for a signal: its own, or
    one of the runs below it.
    """
    if status in RUN_ENDED:
        return False
    return any(
        undo.spec.takes_signals for graph in _graphs(tenant, root) for undo in graph.compensations.values()
    )


def _graphs(tenant: int, root: str) -> Iterator[Graph]:
    """The graphs that the runs of a tree follow, of the newest ones below the root."""
    version = Run.objects.for_tenant(tenant).values_list("version_id", flat=True).get(pk=root)
    for each in (version, *store.versions_of_tree(root, SIGNAL_RUNS)):
        yield shown(each).graph


def _rounds_have_items(tenant: int, root: str) -> bool:
    """Whether a loop of the tree has a container in its rounds, so that another round may bring items."""
    return any(
        inner.spec.has_children
        for graph in _graphs(tenant, root)
        for node in graph.nodes.values()
        if node.spec.conditions and node.body and node.body.part
        for inner in node.body.part.nodes.values()
    )


def _has_items(tenant: int, root: str) -> bool:
    """Whether the steps of a run may yet have items, or runs that have some."""
    version = Run.objects.for_tenant(tenant).values_list("version_id", flat=True).get(pk=root)
    return any(node.spec.has_children or node.spec.begins_run for node in shown(version).graph.nodes.values())


def rows_of(tenant: int, signals: Iterable[tuple[str, NewSignal]]) -> list[SignalRow]:
    """Signals to runs as rows. Raises RunRefused for a payload that can't be kept."""
    rows: list[SignalRow] = []
    for run, signal in signals:
        encoded = storable(signal.payload, "payload", max_bytes=SIGNAL_BYTES)
        rows.append(
            {
                "id": uuid7(),
                "run_id": run,
                "child_id": None,
                "index": signal.index,
                "signal_id": signal.signal_id,
                "name": signal.name,
                "payload": orjson.Fragment(payloads.fitted(tenant, run, encoded)),
                "sha256": payloads.digest_of(encoded),
            }
        )
    return rows

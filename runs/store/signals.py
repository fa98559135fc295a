"""The statements of signals as typed functions (SQL in `sql/signals.sql`)."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypedDict

from engine.catalogue import Json
from lib.clock import now_or_none
from runs.store.attempts import ClaimedStep, claimed_of
from runs.store.child_runs import Message
from runs.store.hot import SQL, document


class SignalRow(TypedDict):
    """A signal that came in (`insert_signals`), or came in again (`signals_there`); `sha256` as in `rows.GivenRow`."""

    id: str
    run_id: str
    child_id: str | None
    index: int | None
    signal_id: str
    name: str
    payload: Json
    sha256: str | None


class TakerRow(TypedDict):
    """A step that takes a signal, of its name or the chosen one (`take_signals`)."""

    step_id: str
    run_id: str
    node: str
    index: int | None
    name: str
    signal: str | None
    shared: bool


class OfferRow(TypedDict):
    """A signal for which waits are looked for in the tree of this run, at most so many (`signal_waits`)."""

    id: str
    run_id: str
    most: int | None


class CarriedRow(TypedDict):
    """A signal, the step to which a message is to carry it, and the root that sends it (`carry_signals`)."""

    signal: str
    step_id: str
    root: str
    shared: bool


class ReturnedSignalRow(TypedDict):
    """A signal whose step waits no more (`return_signals`)."""

    signal: str
    step_id: str


class SentRow(TypedDict):
    """A run that is sent a signal, and the descendant that the signal names (`signal_addresses`)."""

    place: int
    run: str
    child: str | None


class PassedOnRow(TypedDict):
    """A message to a run that goes on as another one (`pass_on_messages`)."""

    run_id: str
    kind: str
    from_id: str | None
    step_id: str | None
    payload: Json


class Place(NamedTuple):
    """Where a step stands: its run, its node, and its own index or that of the innermost item it belongs to."""

    run: str
    node: str
    item: int | None


class StoredSignal(NamedTuple):
    """A signal that is there already; `is_other`: with another name or payload. `place`: where it was delivered."""

    id: str
    signal_id: str
    is_other: bool
    place: Place | None


class OpenWait(NamedTuple):
    """An open wait that a signal is for, in the tree of the run `root`; a step of a child run comes without input."""

    step: ClaimedStep
    name: str
    signal: str
    root: str
    place: Place


class Address(NamedTuple):
    """The root that keeps a signal; `child`: the first run of the descendant's chain, and how the newest stands."""

    root: str
    child: str | None
    status: str | None


class Taken(NamedTuple):
    """What steps took, and how many of the steps asked the root of their tree instead."""

    payloads: Mapping[str, Json]
    asked: int


def insert_signals(signals: Sequence[SignalRow], by: str) -> set[str]:
    """Keep signals; gives those that are no duplicates."""
    params = {"signals": document(signals), "by": by, "now": now_or_none()}
    return set(SQL.value("insert_signals", params))


def signals_there(signals: Sequence[SignalRow]) -> list[StoredSignal]:
    """How these signals stand that were sent before, by the ids that they were given now."""
    rows = SQL.value("signals_there", {"signals": document(signals)})
    return [
        StoredSignal(id, signal_id, is_other, Place(*place) if place[0] else None)
        for id, signal_id, is_other, *place in rows
    ]


def signal_addresses(tenant: int, sent: Sequence[SentRow]) -> dict[int, Address]:
    """By `place`, where each signal goes; those to another tenant's run, or to no descendant of it, are left out."""
    rows = SQL.value("signal_addresses", {"tenant": tenant, "sent": document(sent)})
    return {place: Address(*address) for place, *address in rows}


def signal_waits(signals: Sequence[OfferRow]) -> list[OpenWait]:
    """The open waits that these signals are for, the oldest first; their roots are held FOR UPDATE."""
    waits = []
    for row in SQL.value("signal_waits", {"signals": document(signals)}):
        step, (name, signal, root, index) = claimed_of(row)
        waits.append(OpenWait(step, name, signal, root, Place(step.run_id, step.node, index)))
    return waits


def wanted_signals(steps: Iterable[str], most: int) -> list[tuple[str, str]]:
    """(step, signal): what is there for steps of child runs whose root is held FOR UPDATE, at most so many of each."""
    return [
        (step, signal) for step, signal in SQL.value("wanted_signals", {"steps": sorted(steps), "most": most})
    ]


def carry_signals(carried: Sequence[CarriedRow]) -> None:
    """Have messages take signals to steps below runs that are held FOR UPDATE."""
    SQL.execute("carry_signals", {"carried": document(carried), "now": now_or_none()})


def return_signals(returned: Sequence[ReturnedSignalRow]) -> int:
    """Have signals offered to other waits that their steps did not take; gives how many nobody has taken."""
    return int(SQL.value("return_signals", {"returned": document(returned), "now": now_or_none()}))


def release_signals(signals: Iterable[str]) -> None:
    """Have signals that came back be for no step any more; their root is held FOR UPDATE."""
    SQL.execute("release_signals", {"signals": sorted(signals)})


def pass_on_messages(messages: Sequence[Message]) -> None:
    """Send messages that were for the root of a tree to the run as which it goes on."""
    rows: list[PassedOnRow] = [
        {
            "run_id": one.run,
            "kind": one.kind,
            "from_id": one.origin,
            "step_id": one.step,
            "payload": one.payload,
        }
        for one in messages
    ]
    SQL.execute("pass_on_messages", {"messages": document(rows), "now": now_or_none()})


def take_signals(steps: Sequence[TakerRow]) -> Taken:
    """Give waiting steps, whose runs are held FOR UPDATE, their signals; those of child runs for which none is chosen
    ask the root of their tree.
    """
    done = SQL.value("take_signals", {"steps": document(steps), "now": now_or_none()})
    return Taken(dict(done["taken"]), done["asked"])


def items_to_come(root: str, index: int) -> bool | None:
    """Whether an open container in the tree of this root has an item `index` that is not over; None where no container
    is open.
    """
    (comes,) = SQL.column("items_to_come", {"run": root, "index": index})
    return None if comes is None else bool(comes)


def versions_of_tree(root: str, most: int) -> list[int]:
    """The versions of the newest runs below the root of a tree."""
    return [int(version) for version in SQL.column("versions_of_tree", {"run": root, "most": most})]

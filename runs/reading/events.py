"""What happened to a run, as its graph, its timeline and the way back through it take it (`event_replay.py`)."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from lib.refusals import Missing
from runs.limits import READ_EVENTS
from runs.reading.event_replay import Extent, Happened
from runs.store import events


class RunHistory(NamedTuple):
    """What happened to a run, as far as a view of it needs that, how far it goes, the version of the run, and by what
    it is known whether it has changed since (`mark_of`).
    """

    events: Sequence[Happened]
    end: Extent
    version_id: int
    mark: str


def read_history(
    tenant: int, run_id: UUID | str, most: int = READ_EVENTS, *, is_marked: bool = False
) -> RunHistory:
    """What happened to a run, in the order in which it did; of very much, the first that did. The mark is empty unless
    it `is_marked`: it takes a look at each step.

    What happened to containers' children is left out. Raises Missing where the tenant has no such run.
    """
    read = events.read_events(tenant, str(run_id), most, is_marked=is_marked)
    if read is None:
        raise Missing("There is no such run.")
    happened = [
        Happened(
            id_,
            type_,
            node,
            attempt,
            datetime.fromisoformat(started) if started else None,
            datetime.fromisoformat(at),
            tuple(targets) if targets is not None else None,
        )
        for id_, type_, node, attempt, started, at, targets in read.events
    ]
    last = (happened[-1].id, happened[-1].at) if happened else (None, None)
    return RunHistory(happened, Extent(len(happened), *last), read.version_id, read.mark)


def extent_of(tenant: int, run_id: UUID | str, most: int = READ_EVENTS) -> RunHistory:
    """As `read_history`, without the events themselves."""
    read = events.measure_events(tenant, str(run_id), most)
    if read is None:
        raise Missing("There is no such run.")
    return RunHistory([], Extent(read.events, read.last, read.at), read.version_id, read.mark)


def mark_of(tenant: int, run_id: UUID | str) -> str:
    """What a run is known by as it stands: another text where it has changed, but for what others say of it (names,
    tasks, versions); empty where that can't be told.
    """
    return events.mark_run(tenant, str(run_id))

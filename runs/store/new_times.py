"""The statements by which times of open steps become others, as typed functions (SQL in `sql/new_times.sql`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, TypedDict

from engine.catalogue import Json
from lib.clock import now_or_none
from runs.store.hot import SQL, document

Counted = Mapping[str, int]
"""By which calendar a time was counted: its `id` and `revision`."""


class PendingTimer(NamedTuple):
    """A timer of a step that has not fired."""

    id: str
    kind: str
    target: str | None
    interrupting: bool
    fire_at: datetime


class TimedStep(NamedTuple):
    """An open step with its pending timers: since when it waits, and when it was queued again last."""

    id: str
    node: str
    status: str
    queued_at: datetime
    waiting: Mapping[str, Json] | None
    since: datetime | None
    requeued_at: datetime | None
    timers: Sequence[PendingTimer]

    @property
    def began(self) -> datetime:
        """From when its boundary timers count."""
        return max(self.queued_at, self.requeued_at or self.queued_at)


class NewTimerRow(TypedDict, total=False):
    """A timer that fires at another moment, or, without one, not at all; `is_new`: it was not there."""

    id: str
    step_id: str
    kind: str
    target: str | None
    interrupting: bool
    fire_at: str | None
    is_new: bool
    calendar: Counted | None


class NewWaitRow(TypedDict):
    """What a step waits for from now on."""

    step_id: str
    wait: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class OpenPart:
    """An open run that does the steps of an item."""

    run: str
    node: str
    index: int | None
    version: int


def timed_steps(run: str) -> dict[str, TimedStep]:
    """The open steps of a run by their nodes."""
    steps = {}
    for id_, node, status, queued_at, waiting, since, requeued_at, timers in SQL.value(
        "timed_steps", {"run": run}
    ):
        pending = [PendingTimer(id, kind, to, stops, _time(at)) for id, kind, to, stops, at in timers]
        moments = _time(queued_at), since and _time(since), requeued_at and _time(requeued_at)
        steps[node] = TimedStep(id_, node, status, moments[0], waiting, *moments[1:], pending)
    return steps


def set_times(run: str, timers: Sequence[NewTimerRow], waits: Sequence[NewWaitRow]) -> None:
    """Have timers of a run, which is held FOR UPDATE, fire at other moments, and its steps wait until then."""
    params = {"run": run, "timers": document(timers), "waits": document(waits), "now": now_or_none()}
    SQL.execute("set_times", params)


def set_deadline(
    run: str,
    *,
    deadline: datetime | None,
    near: datetime | None,
    counts: str | None,
    calendar: Counted | None,
) -> None:
    """Have a run, which is held FOR UPDATE, be due at another time; `near`: when that is to be said before."""
    params = {"run": run, "deadline": deadline, "near": near, "counts": counts, "now": now_or_none()}
    SQL.execute("set_deadline", params | {"calendar": document(calendar) if calendar else None})


def parts_of(run: str, limit: int) -> list[OpenPart]:
    """The open runs that do the steps of a run's items, up to so many."""
    return [OpenPart(*row) for row in SQL.value("parts_of", {"run": run, "limit": limit})]


def tell_parts(run: str, versions: Mapping[str, int], payload: Mapping[str, Json]) -> int:
    """Tell the open runs of items, by node, with which version they go on; gives how many there are."""
    params = {
        "run": run,
        "versions": document(versions),
        "payload": document(payload),
        "now": now_or_none(),
    }
    return len(SQL.column("tell_parts", params))


def tell_part_again(run: str, payload: Mapping[str, Json]) -> None:
    """Tell a run the same a little later."""
    SQL.execute("tell_part_again", {"run": run, "payload": document(payload), "now": now_or_none()})


def note_not_migrated(run: str, payload: Mapping[str, Json]) -> None:
    """Keep in history why an open run stays on its version."""
    SQL.execute("note_not_migrated", {"run": run, "payload": document(payload), "now": now_or_none()})


def _time(text: str) -> datetime:
    return datetime.fromisoformat(text)

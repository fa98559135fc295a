"""The statements over the runs of a tree as typed functions (SQL in `sql/trees.sql`)."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

import orjson

from engine.catalogue import Json
from runs.store.hot import SQL, workers_known


class OpenStep(NamedTuple):
    """An open step of the run `top` or of an open run below it.

    `via`: the step that waits for its run. `item`: which one of a container it is. `is_near`: its workflow is in the
    folder of that of `top`. `place`: that of its run. `counts`: how many items of a container have begun and ended.
    """

    top: str
    id: str
    via: str | None
    run: str
    version_id: int
    folder: int
    is_near: bool
    place: Sequence[tuple[str, int | None]]
    node: str
    item: int | None
    status: str
    attempt: int
    held: bool
    queue: str
    worker: str | None
    has_error: bool
    available_at: str
    lease_expires_at: str | None
    queued_at: str
    started_at: str | None
    waiting: Json
    is_listened: bool | None
    counts: tuple[int, int] | None


def open_steps_below(tenant: int, runs: Sequence[str], *, most: int, each: int) -> list[OpenStep]:
    """The open steps of the tenant's runs and of the open runs below them, at most `most` of each of these runs, and
    at most `each` waiting items of each run; by run, place, node and index.
    """
    params = {"tenant": tenant, "runs": list(runs), "most": most, "each": each, **workers_known()}
    return [OpenStep(*row) for row in SQL.value("open_steps_below", params)]


class Ancestor(NamedTuple):
    """A run on the way from a root down to another run; `node` and `item`: the step of the one before that began it."""

    run: str
    version_id: int
    folder: int
    node: str | None
    item: int | None


def ancestors(tenant: int, run: str) -> list[Ancestor]:
    """The root of the tenant's run, and the runs from there down to the run itself."""
    return [Ancestor(*row) for row in SQL.value("ancestors", {"tenant": tenant, "run": run})]


class StepBelow(NamedTuple):
    """A step in a run below another one, from when until when it was at work or waited; `place`: that of its run."""

    type: str
    started_at: datetime
    completed_at: datetime | None
    node: str
    status: str
    version_id: int
    folder: int
    place: Sequence[tuple[str, int | None]]


def spans_below(tenant: int, run: str, *, types: Sequence[str], most: int) -> list[StepBelow]:
    """The steps of these types in the runs below the tenant's run, of at most `most` runs."""
    params = {"tenant": tenant, "run": run, "types": list(types), "most": most}
    rows = SQL.execute("spans_below", params).fetchall()
    return [StepBelow._make((*row[:-1], _place(row[-1]))) for row in rows]


def _place(read: Any) -> Sequence[tuple[str, int | None]]:
    place: Sequence[tuple[str, int | None]] = orjson.loads(read) if isinstance(read, str) else read
    return place


class EventBelow(NamedTuple):
    """An event of a run below another one; `place`: that of its run."""

    id: int
    version_id: int
    folder: int
    place: Sequence[tuple[str, int | None]]


def events_below(
    tenant: int, run: str, *, types: Sequence[str], kinds: Sequence[str], most: int, most_runs: int
) -> list[EventBelow]:
    """The first `most` events of these types in the runs below the tenant's run; of waits those of these kinds."""
    params = {
        "tenant": tenant,
        "run": run,
        "types": list(types),
        "kinds": list(kinds),
        "most": most,
        "most_runs": most_runs,
    }
    rows = SQL.execute("events_below", params).fetchall()
    return [EventBelow._make((*row[:-1], _place(row[-1]))) for row in rows]


def watched_above(runs: Sequence[str], watched: Sequence[str]) -> list[tuple[int, str]]:
    """Those of the `watched` runs that are above one of these runs, each with its tenant."""
    params = {"runs": list(runs), "watched": list(watched)}
    return [(tenant, run) for tenant, run in SQL.execute("watched_above", params).fetchall()]

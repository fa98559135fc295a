"""The statements of forecasts as typed functions (SQL in `sql/forecasts.sql`)."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypedDict

import orjson

from lib.clock import now_or_none
from runs.store.hot import SQL

WEEKS = 13
"""What ended in so many weeks, and in the one that goes on, counts; all of it the same."""


class Completed(NamedTuple):
    """A run that completed, in seconds since 1970: when it began and ended, and of each step when its turn came and
    when it was over.
    """

    tenant_id: int
    workflow_id: int
    version_id: int
    began: float
    ended: float
    steps: list[tuple[str, float, float]]


class OpenRun(NamedTuple):
    """A run that goes on: when it began, its deadline, and of its open steps since when they are due and before when
    they can't end, where that is known.
    """

    id: str
    tenant_id: int
    workflow_id: int
    version_id: int
    began: float
    deadline: float | None
    steps: list[tuple[str, float, float | None]]


@dataclass(frozen=True, slots=True)
class Changed:
    """Runs to which something has happened: those that are open, in the order of that, and those that completed."""

    open: list[str]
    completed: list[Completed]


class RestRow(TypedDict):
    """So many times that fell into a bucket."""

    tenant_id: int
    workflow_id: int
    node: str
    week: str
    version_id: int
    is_working: bool
    lasted: int
    bucket: int
    times: int


class WantedRow(TypedDict):
    """Whose times are asked for: those of a node of a version, or without a node of its runs."""

    tenant_id: int
    workflow_id: int
    version_id: int
    node: str


class ForecastRow(TypedDict):
    """When a run is probably done, in seconds since 1970, and how likely it misses its deadline."""

    run_id: str
    p50: float
    p90: float
    risk: float | None


Counts = dict[tuple[int, int], int]
"""How often a time was, by the coarse bucket of how long the step took and its own bucket."""


class Rests(NamedTuple):
    """How often each time was of a version, and of all versions of its workflow together."""

    own: Counts
    all: Counts


def lock() -> tuple[int, int] | None:
    """Have the cursor, in a transaction: events behind the first id up to the second one are to be learned from.

    None where there are none, or where somebody else is at it.
    """
    row = SQL.value("lock_forecasts", {})
    return (row[0], row[1]) if row else None


def changed(after: int, last: int) -> Changed:
    """To which runs something has happened behind the id `after` up to the id `last`; what is foretold of those that
    are over is forgotten.
    """
    found = SQL.value("runs_changed", {"after": after, "last": last, "weeks": WEEKS, "now": now_or_none()})
    completed = [
        Completed(tenant, workflow, version, began, ended, [(node, due, over) for node, due, over in steps])
        for tenant, workflow, version, began, ended, steps in found["completed"]
    ]
    return Changed(found["open"], completed)


def learn(rows: Iterable[RestRow], last: int) -> None:
    """Count these times, and note that events are learned from up to the id `last`."""
    SQL.execute("learn_rest_times", {"rests": orjson.dumps(list(rows)).decode(), "last": last})


def next_runs(limit: int) -> list[str]:
    """The next open runs in turn, and fewer than `limit` at their end, after which it begins anew."""
    runs: list[str] = SQL.value("next_to_forecast", {"limit": limit})
    return runs


def open_runs(runs: Sequence[str]) -> tuple[float, list[OpenRun]]:
    """The database's time, and those of these runs that go on."""
    found = SQL.value("open_to_forecast", {"runs": list(runs), "now": now_or_none()})
    rows = [
        OpenRun(
            run,
            tenant,
            workflow,
            version,
            began,
            deadline,
            [(node, due, least) for node, due, least in steps],
        )
        for run, tenant, workflow, version, began, deadline, steps in found["runs"]
    ]
    return found["now"], rows


def rest_times(wanted: Sequence[WantedRow]) -> dict[tuple[int, str, bool], Rests]:
    """By version, node and whether working hours count: how often each time was."""
    params = {"wanted": orjson.dumps(list(wanted)).decode(), "weeks": WEEKS, "now": now_or_none()}
    return {
        (version, node, is_working): Rests(
            {(lasted, bucket): int(own) for lasted, bucket, own, _ in buckets if own},
            {(lasted, bucket): int(all_) for lasted, bucket, _, all_ in buckets},
        )
        for version, node, is_working, buckets in SQL.value("rest_times", params)
    }


def keep(runs: Sequence[str], forecasts: Sequence[ForecastRow]) -> None:
    """Keep the forecasts of these runs; those of them that have none now have none any more."""
    params = {"runs": list(runs), "forecasts": orjson.dumps(list(forecasts)).decode(), "now": now_or_none()}
    SQL.execute("keep_forecasts", params)


def forget(limit: int) -> int:
    """Delete up to `limit` counts of weeks that count no more; gives how many."""
    return int(SQL.value("forget_rest_times", {"limit": limit, "weeks": WEEKS, "now": now_or_none()}))

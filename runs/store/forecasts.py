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


@dataclass(frozen=True, slots=True)
class Found:
    """At the database's time `now`, in seconds since 1970: runs that go on, and by id what is told of runs."""

    now: float
    open: list[OpenRun]
    told: dict[str, ForecastRow]


Of = tuple[int, str]
"""A run, behind its tenant."""
Counts = dict[tuple[int, int], int]
"""How often a time was, by the coarse bucket of how long the step took and its own bucket."""


class Rests(NamedTuple):
    """How often each time was of a version, and of all versions of its workflow together."""

    own: Counts
    all: Counts


def to_learn() -> tuple[int, int]:
    """Behind which id of history it is yet to be learned from, and up to which one that can be."""
    after, upto = SQL.value("forecast_cursor", {}) or (0, 0)
    return after, upto


def changed(after: int, last: int) -> Changed:
    """To which runs something has happened behind the id `after` up to the id `last`; the forecasts of those that
    are over is forgotten.
    """
    changes = SQL.value("runs_changed", {"after": after, "last": last, "weeks": WEEKS, "now": now_or_none()})
    completed = [
        Completed(tenant, workflow, version, began, ended, [(node, due, over) for node, due, over in steps])
        for tenant, workflow, version, began, ended, steps in changes["completed"]
    ]
    return Changed(changes["open"], completed)


def learn(rows: Iterable[RestRow], after: int, last: int) -> bool:
    """Count these times, and note that events are learned from up to the id `last`, where that was `after` until now:
    gives whether it was.
    """
    params = {"rests": orjson.dumps(list(rows)).decode(), "after": after, "last": last}
    return bool(SQL.value("learn_rest_times", params))


def next_runs(limit: int) -> list[str]:
    """The next open runs in turn, and fewer than `limit` at their end, after which it begins anew."""
    runs: list[str] = SQL.value("next_to_forecast", {"limit": limit})
    return runs


def runs_to_forecast(runs: Sequence[str]) -> Found:
    """Those of these runs that go on, and what is told of any of them."""
    state = SQL.value("open_to_forecast", {"runs": list(runs), "now": now_or_none()})
    open_ones = [
        OpenRun(
            run,
            tenant,
            workflow,
            version,
            began,
            deadline,
            [(node, due, least) for node, due, least in steps],
        )
        for run, tenant, workflow, version, began, deadline, steps in state["runs"]
    ]
    forecasts: dict[str, ForecastRow] = {
        run: {"run_id": run, "p50": p50, "p90": p90, "risk": risk} for run, p50, p90, risk in state["told"]
    }
    return Found(state["now"], open_ones, forecasts)


def rest_times(rows: Sequence[WantedRow]) -> dict[tuple[int, str, bool], Rests]:
    """By version, node and whether working hours count: how often each time was."""
    params = {"wanted": orjson.dumps(list(rows)).decode(), "weeks": WEEKS, "now": now_or_none()}
    return {
        (version, node, is_working): Rests(
            {(lasted, bucket): int(own) for lasted, bucket, own, _ in buckets if own},
            {(lasted, bucket): int(all_) for lasted, bucket, _, all_ in buckets},
        )
        for version, node, is_working, buckets in SQL.value("rest_times", params)
    }


def keep(forecasts: Sequence[ForecastRow], over: Sequence[str]) -> list[Of]:
    """Keep these forecasts of runs that go on, and forget those of the runs that are `over`; gives the runs of which
    one was kept or forgotten.
    """
    params = {"forecasts": orjson.dumps(list(forecasts)).decode(), "over": list(over), "now": now_or_none()}
    return [(tenant, run) for tenant, run in SQL.value("keep_forecasts", params)]


def forget(limit: int) -> int:
    """Delete up to `limit` counts of weeks that count no more; gives how many."""
    return int(SQL.value("forget_rest_times", {"limit": limit, "weeks": WEEKS, "now": now_or_none()}))

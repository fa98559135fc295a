"""The statements of telemetry as typed functions (SQL in `sql/telemetry.sql`)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Literal

from engine.bodies import PART
from lib.clock import now_or_none
from lib.named_sql import Statements
from operations.telemetry.models import SPANS
from runs.store.hot import SQL_FOLDER as SQL_OF_RUNS

SQL = Statements(Path(__file__).parent / "sql", SQL_OF_RUNS)

HOURS_KEPT_DAYS = 35
"""Older than that a period is told by whole days."""
PER_OCTAVE = 5
"""So many buckets double a time, as `count_telemetry` puts times into them."""


@dataclass(frozen=True, slots=True)
class Spans:
    """A period: its whole days, and the hours before (`since` to `head`) and behind them (`tail` to `until`)."""

    since: datetime
    head: datetime
    first_day: datetime
    last_day: datetime
    tail: datetime
    until: datetime


@dataclass(frozen=True, slots=True)
class Scope:
    """What is asked for: of a tenant all workflows or some, of one version or of all, in a period."""

    tenant: int
    workflows: Collection[int] | None
    version: int | None
    spans: Spans

    def params(self) -> dict[str, object]:
        """As the statements take them."""
        spans = self.spans
        return {
            "tenant": self.tenant,
            "workflows": None if self.workflows is None else list(self.workflows),
            "version": self.version,
            "since": spans.since,
            "head": spans.head,
            "first_day": spans.first_day,
            "last_day": spans.last_day,
            "tail": spans.tail,
            "until": spans.until,
        }


@dataclass(frozen=True, slots=True)
class RunCounts:
    """Runs of a workflow or version (`key`; None: of all): how they ended, and buckets of how long they took.

    `resumed`: endings after which the run went on; they are in no other count. `timed`: of how many `duration_ms` is.
    """

    key: int | None
    started: int
    completed: int
    failed: int
    cancelled: int
    resumed: int
    interventions: int
    duration_ms: int
    timed: int
    p50: int | None
    p95: int | None


@dataclass(frozen=True, slots=True)
class Moment:
    """Runs of an hour or of a day."""

    at: datetime
    started: int
    completed: int
    failed: int
    cancelled: int
    resumed: int
    interventions: int


@dataclass(frozen=True, slots=True)
class StepCounts:
    """Steps of a type, or of a node and type: how they ended, milliseconds, by measure the buckets of p50 and p95."""

    ends: Mapping[str, tuple[int, int]]
    node: str
    type: str
    completed: int
    failed: int
    skipped: int
    cancelled: int
    retried: int
    queue_ms: int
    machine_ms: int
    human_ms: int
    waiting_ms: int
    lost_ms: int


@dataclass(frozen=True, slots=True)
class Standing:
    """When the last event was that is counted, and whether others are known that are not."""

    counted_at: datetime | None
    is_behind: bool


def settle() -> None:
    """Find out up to where history is complete: what is the newest event now is so two looks later."""
    SQL.execute("settle_telemetry", {})


def lock() -> tuple[int, int] | None:
    """Have the cursor, in a transaction: events behind the first id up to the second one are to be counted.

    None where there are none, or where somebody else is at it.
    """
    row = SQL.value("lock_telemetry", {})
    return (row[0], row[1]) if row else None


def count(after: int, last: int, *, people: Sequence[str], waits: Sequence[str]) -> int:
    """Count the events behind the id `after` up to the id `last`; gives how many there were.

    `people`, `waits`: the step types whose time is with people, and those that wait for something else.
    """
    params = {
        "after": after,
        "last": last,
        "people": list(people),
        "waits": list(waits),
        "part": PART,
        "spans": list(SPANS),
    }
    return int(SQL.value("count_telemetry", params))


def forget(limit: int) -> int:
    """Delete up to `limit` hours of each table that nobody asks for any more; gives how many, of the largest."""
    params = {"limit": limit, "days": HOURS_KEPT_DAYS, "now": now_or_none()}
    return int(SQL.value("forget_telemetry", params))


def runs_in(
    scope: Scope, *, by: Literal["workflow", "version"], step: Literal["hour", "day"]
) -> tuple[list[RunCounts], list[Moment]]:
    """Runs of the scope, of all together (key None) and of each workflow or version; and by the hour or day.

    One statement.
    """
    row = SQL.value("runs_in_period", {**scope.params(), "by": by, "step": step})
    groups = [RunCounts(key, *(n or 0 for n in counts[:8]), *counts[8:]) for key, *counts in row["groups"]]
    return groups, [Moment(datetime.fromisoformat(at), *counts) for at, *counts in row["moments"]]


def steps_in(scope: Scope, *, by: Literal["type", "node"], limit: int) -> list[StepCounts]:
    """Steps of the scope by type, or by node and type; those that took most come first. One statement."""
    rows = SQL.value("steps_in_period", {**scope.params(), "by": by, "limit": limit})
    return [
        StepCounts({measure: (p50, p95) for measure, (p50, p95) in row[-1].items()}, *row[:-1])
        for row in rows
    ]


def standing() -> Standing:
    """How far history is counted."""
    row = SQL.value("telemetry_standing", {})
    if row is None:
        return Standing(None, is_behind=False)
    return Standing(row[0] and datetime.fromisoformat(row[0]), is_behind=bool(row[1]))


def milliseconds(bucket: int | None) -> float | None:
    """The middle of a bucket: within a twelfth of whatever is in it."""
    if bucket is None:
        return None
    return 0.0 if bucket == 0 else float(2 ** ((bucket - 0.5) / PER_OCTAVE))


def bounds(bucket: int | None) -> tuple[float, float] | None:
    """The milliseconds that a bucket begins and ends with."""
    if bucket is None:
        return None
    return (0.0, 1.0) if bucket == 0 else (2 ** ((bucket - 1) / PER_OCTAVE), 2 ** (bucket / PER_OCTAVE))

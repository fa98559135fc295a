"""The traces that runs are of, and what is told of runs that have ended (SQL in `sql/traces.sql`)."""

from collections.abc import Collection
from typing import NamedTuple

from lib import trace_context
from lib.trace_context import Trace
from runs.store.hot import SQL


class EndedRun(NamedTuple):
    """A run that has ended: `code` of its error, times in nanoseconds since 1970, its steps and attempts."""

    id: str
    workflow: str
    version: int
    status: str
    life: int
    business_key: str | None
    code: str | None
    traceparent: str | None
    tracestate: str | None
    began: int
    ended: int
    steps: int
    attempts: int


def read_traces(runs: Collection[str]) -> dict[str, Trace]:
    """The traces that these runs are of, by run; without those that are of none."""
    found: dict[str, list[str | None]] = SQL.value("read_traces", {"runs": sorted(runs)})
    return {run: trace for run, headers in found.items() if (trace := trace_context.parse(*headers))}


def ended_runs(runs: Collection[str]) -> list[EndedRun]:
    """What is told of those of these runs that have ended and are no tests, nor parts of others."""
    return [EndedRun(*row) for row in SQL.value("ended_runs", {"runs": sorted(runs)})]

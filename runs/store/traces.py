"""The traces that runs are of, and what is told of runs that have ended (SQL in `sql/traces.sql`)."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from lib.trace_context import Trace, begun_by, first_span, parse
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


Headers = Sequence[str | None]
"""A run's `traceparent` and `tracestate`, as its row has them."""


NONE: Headers = (None, None)


def trace_of(run: str, headers: Headers) -> Trace:
    """The trace that a run is of: that of whoever had it started, or, if they said none, the one that it begins, which
    has the run's own id.
    """
    return parse(*headers) or begun_by(run)


def trace_within(run: str, headers: Headers) -> Trace:
    """The trace as whatever this run calls is told it: the run is what calls."""
    return trace_of(run, headers).within(first_span(run))


def read_traces(runs: Collection[str]) -> dict[str, Headers]:
    """What the rows of these runs say of their traces, by run; without those that say nothing."""
    headers: dict[str, Headers] = SQL.value("read_traces", {"runs": sorted(runs)})
    return headers


def ended_runs(runs: Collection[str]) -> list[EndedRun]:
    """What is told of those of these runs that have ended and are no tests, nor parts of others."""
    return [EndedRun(*row) for row in SQL.value("ended_runs", {"runs": sorted(runs)})]

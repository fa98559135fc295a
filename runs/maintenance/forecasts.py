"""Forecasts: what completes teaches how long runs take, by which it is told when those that are open are done.

Nothing on the way of a run knows of it. What is learned and how far that is are written in one statement, so whoever
dies in the middle has learned nothing, and two at once learn once. It is learned from what telemetry has counted.
"""

import threading
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import chain

from lib.batches import in_bounded_batches
from lib.rest_times import bucket_of, coarse_of
from runs.kernel import live
from runs.limits import FORECAST_RUNS
from runs.maintenance.clocks import WHOLE, Clocks
from runs.maintenance.forecasting import forecast_runs
from runs.maintenance.past import Past, week_of
from runs.store import forecasts as store
from runs.store.forecasts import Completed, Of, RestRow

EVENTS = 2_000
RUNS = 500
FORGOTTEN = 2_000
TICK_SECONDS = 1.5
LEARNING_SECONDS = 0.5
IN_TURN_SECONDS = 0.4
"""So long at most those are looked at to which nothing has happened."""

_past = Past()
_is_at_it = threading.Lock()
"""Held by the thread of this process that makes forecasts: what is known of the past is its own then."""


def make(seconds: float = TICK_SECONDS) -> int:
    """Learn from what has completed, then forecast the runs to which something has happened, the last first, and of
    the others in turn, in bounded batches for at most `seconds`; gives of how many.
    """
    if not _is_at_it.acquire(blocking=False):
        return 0
    try:
        return _make(seconds)
    finally:
        _is_at_it.release()


def _make(seconds: float) -> int:
    until = time.monotonic() + seconds
    clocks, done, updates = Clocks(), 0, list[Of]()
    changed = learn(_past, clocks, min(seconds, LEARNING_SECONDS))
    for runs in chain(_batches(changed), _in_turn(min(seconds, IN_TURN_SECONDS))):
        updates += forecast_runs(runs, _past, clocks)
        done += len(runs)
        if time.monotonic() >= until:
            break
    live.tell(live.Change(tenant, run) for tenant, run in updates)
    return done


def learn(past: Past, clocks: Clocks, seconds: float) -> list[str]:
    """Learn from what history has got since; gives the open runs to which something has happened, the last first."""
    changed: dict[str, None] = {}

    def some(limit: int) -> int:
        after, upto = store.to_learn()
        past.is_learned_up_to(after)
        last = min(upto, after + limit)
        if last <= after:
            return 0
        changes = store.changed(after, last)
        clocks.read({(run.tenant_id, run.version_id) for run in changes.completed})
        rows = rest_rows(changes.completed, clocks)
        if not store.learn(rows, after, last):
            return 0
        past.add(rows, last)
        for run in changes.open:
            changed.pop(run, None)
            changed[run] = None
        return last - after

    in_bounded_batches(some, EVENTS, seconds)
    return [*reversed(changed)][:FORECAST_RUNS]


def rest_rows(completed: Iterable[Completed], clocks: Clocks) -> list[RestRow]:
    """How long these runs went on from each of their steps and from their beginning, counted by week and bucket."""
    counts: Counter[tuple[int, int, str, str, int, bool, int, int]] = Counter()
    for run in completed:
        week = week_of(run.ended)
        # A whole run is at itself until its end.
        for node, due, over in (*run.steps, (WHOLE, run.began, run.began)):
            clock, is_working = clocks.of(run.tenant_id, run.version_id, node)
            start = clock.place(due)
            lasted = coarse_of(max(0.0, clock.place(over) - start))
            bucket = bucket_of(max(0.0, clock.place(run.ended) - start))
            of = (run.tenant_id, run.workflow_id, node, week, run.version_id, is_working)
            counts[*of, lasted, bucket] += 1
    return [
        {
            "tenant_id": tenant,
            "workflow_id": workflow,
            "node": node,
            "week": week,
            "version_id": version,
            "is_working": is_working,
            "lasted": lasted,
            "bucket": bucket,
            "times": times,
        }
        for (tenant, workflow, node, week, version, is_working, lasted, bucket), times in counts.items()
    ]


def forget(seconds: float = TICK_SECONDS) -> int:
    """Delete times of weeks that count no more; gives how many."""
    return in_bounded_batches(store.forget, FORGOTTEN, seconds)


def _batches(runs: Sequence[str]) -> Iterable[Sequence[str]]:
    return (runs[first : first + RUNS] for first in range(0, len(runs), RUNS))


def _in_turn(seconds: float) -> Iterable[Sequence[str]]:
    """The open runs in turn, in batches, until their end or until so many seconds are over."""
    until = time.monotonic() + seconds
    while runs := store.next_runs(RUNS):
        yield runs
        if len(runs) < RUNS or time.monotonic() >= until:
            return

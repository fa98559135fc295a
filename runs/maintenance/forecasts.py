"""Forecasts: what completes teaches how long runs take, by which it is told when those that are open are done.

Nothing on the way of a run knows of it. What is learned and how far that is are written in one transaction, so whoever
dies in the middle has learned nothing, and two at once learn once. It is learned from what telemetry has counted.
"""

import time
from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import chain

from django.db import transaction

from lib.batches import in_bounded_batches
from lib.rest_times import bucket_of, coarse_of
from runs.maintenance.foretelling import WHOLE, Clocks, Past, foretell
from runs.store import forecasts as store
from runs.store.forecasts import Completed, RestRow

EVENTS = 2_000
RUNS = 200
MOST_CHANGED = 2_000
"""Of so many runs at most that have changed a forecast is made at once; the others have their turn."""
FORGOTTEN = 2_000
TICK_SECONDS = 1.5
LEARNING_SECONDS = 0.5


def make(seconds: float = TICK_SECONDS) -> int:
    """Learn from what has completed, then foretell of the runs to which something has happened, the last first, and of
    the others in turn, in bounded batches for at most `seconds`; gives of how many.
    """
    until = time.monotonic() + seconds
    clocks = Clocks()
    changed = learn(clocks, min(seconds, LEARNING_SECONDS))
    past, done = Past(clocks), 0
    for runs in chain(_batches(changed), _in_turn()):
        foretell(runs, past)
        done += len(runs)
        if time.monotonic() >= until:
            break
    return done


def learn(clocks: Clocks, seconds: float) -> list[str]:
    """Learn from what history has got since; gives the open runs to which something has happened, the last first."""
    changed: dict[str, None] = {}

    def some(limit: int) -> int:
        with transaction.atomic():
            ids = store.lock()
            if ids is None:
                return 0
            after, upto = ids
            last = min(upto, after + limit)
            found = store.changed(after, last)
            store.learn(rest_rows(found.completed, clocks), last)
        for run in found.open:
            changed.pop(run, None)
            changed[run] = None
        return last - after

    in_bounded_batches(some, EVENTS, seconds)
    return [*reversed(changed)][:MOST_CHANGED]


def rest_rows(completed: Iterable[Completed], clocks: Clocks) -> list[RestRow]:
    """How long these runs went on from each of their steps and from their beginning, counted by week and bucket."""
    counts: Counter[tuple[int, int, str, str, int, bool, int, int]] = Counter()
    for run in completed:
        week = _monday(run.ended)
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


def _monday(moment: float) -> str:
    day = datetime.fromtimestamp(moment, UTC).date()
    return (day - timedelta(days=day.weekday())).isoformat()


def _batches(runs: Sequence[str]) -> Iterable[Sequence[str]]:
    return (runs[first : first + RUNS] for first in range(0, len(runs), RUNS))


def _in_turn() -> Iterable[Sequence[str]]:
    """The open runs in turn, in batches, until their end."""
    while runs := store.next_runs(RUNS):
        yield runs
        if len(runs) < RUNS:
            return

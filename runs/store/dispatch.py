"""Samples of how things stand with workers and locks, as typed functions (SQL in `sql/dispatch.sql`)."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from lib.clock import now_or_none
from runs.store.hot import SQL, workers_known
from runs.store.meters import Totals

KEPT_DAYS = 1
APART_SECONDS = 30.0
"""Whoever comes so soon after a sample keeps none: a duty that is done twice counts once."""
MOST_AT_WORK = 10_000
"""Among so many jobs that are at work external workers are looked for."""
MOST_READY = 10_000
"""Ready steps are counted up to so many."""
MOST_SAMPLES = 100


class Sample(NamedTuple):
    """A sample, with the fields of `runs.models.DispatchSample`."""

    at: datetime
    host: str
    lock_waits: int
    hidden_sessions: int
    processes: int
    processes_here: int
    outside: int
    ready: int
    finished: int | None
    claims: int | None
    contended: int | None


def keep(*, host: str, queues: Sequence[str], stale: float, ready: int, totals: Totals | None) -> int:
    """Keep how things stand now; gives 0 where somebody did so just before, else 1.

    `queues`: those whose workers claim. An external worker is one that polled or beat in the last `stale` seconds.
    """
    counted = totals._asdict() if totals else dict.fromkeys(Totals._fields)
    params = {
        **counted,
        "host": host,
        "queues": list(queues),
        **workers_known(),
        "stale": stale,
        "most": MOST_AT_WORK,
        "ready": ready,
        "apart": APART_SECONDS,
        "now": now_or_none(),
    }
    return SQL.execute("keep_dispatch_sample", params).rowcount


def forget(limit: int) -> int:
    """Delete up to `limit` samples that are too old; gives how many."""
    params = {"days": KEPT_DAYS, "limit": limit, "now": now_or_none()}
    return SQL.execute("forget_dispatch_samples", params).rowcount


def samples_since(since: datetime) -> list[Sample]:
    """The samples since a moment, the oldest first; the newest of too many."""
    rows = SQL.value("dispatch_samples", {"since": since, "most": MOST_SAMPLES})
    return [Sample(datetime.fromtimestamp(row[0], UTC), *row[1:]) for row in rows]

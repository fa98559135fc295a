"""Queues, and samples of workers and locks, as typed functions (SQL in `sql/`)."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

from lib.clock import now_or_none
from lib.named_sql import Statements
from lib.uuid7 import least_at, moment_of
from operations.dispatch.limits import LEASED_JOBS, QUEUE_ROWS, SAMPLES
from runs.store.hot import SQL_FOLDER as SQL_OF_RUNS
from runs.store.hot import workers_known
from runs.store.meters import Totals

SQL = Statements(Path(__file__).parent / "sql", SQL_OF_RUNS)

KEPT_DAYS = 1
APART_SECONDS = 30.0
"""Whoever comes so soon after a sample keeps none: a duty that is done twice counts once."""


class Sample(NamedTuple):
    """A sample, with the fields of `DispatchSample`."""

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
    empty: int | None


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
        "most": LEASED_JOBS,
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
    rows = SQL.value("dispatch_samples", {"since": since, "most": SAMPLES})
    return [Sample(datetime.fromtimestamp(row[0], UTC), *row[1:]) for row in rows]


class QueueState(NamedTuple):
    """What a tenant has in a queue; `oldest_seconds` of what is ready, `workers` that were heard of lately."""

    queue: str
    ready: int
    waiting: int
    running: int
    oldest_seconds: float | None
    workers: int
    polled_at: str | None


def queues_of(tenant: int, *, built_in: Sequence[str], stale: float, most: int) -> list[QueueState]:
    """The queues in which the tenant has steps or for which a worker of it
    has polled in the last day, and those that are built in.

    An external worker is one that polled or beat in the last `stale` seconds. Counts go up to `most`.
    """
    params = {
        "tenant": tenant,
        "built_in": list(built_in),
        "stale": stale,
        **workers_known(),
        "most": most,
        "most_queues": QUEUE_ROWS,
        "now": now_or_none(),
    }
    return [QueueState(*row) for row in SQL.value("queues_of", params)]


class Flow(NamedTuple):
    """How many steps come to a queue and end there, a minute."""

    came: float
    ended: float


def flow_of(tenant: int, *, span: timedelta, most: int) -> dict[str, Flow]:
    """What came to each queue and ended there in this time until now; where more than `most` steps or events of all
    tenants lie in it, in the time that so many of the newest take.
    """
    # What the clock of a test says is in no id.
    now = datetime.now(UTC)
    since = now - span
    params = {"tenant": tenant, "since": since, "since_id": least_at(since), "most": most}
    first_step, first_event, rows = SQL.value("queue_flow", params)
    steps_since = moment_of(UUID(first_step)) if first_step else since
    events_since = max(since, datetime.fromtimestamp(first_event, UTC)) if first_event else since
    return {
        queue: Flow(came / _minutes(now - steps_since), ended / _minutes(now - events_since))
        for queue, came, ended in rows
    }


def _minutes(span: timedelta) -> float:
    return max(span.total_seconds(), 1.0) / 60

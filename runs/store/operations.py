"""What operators look at, as typed functions (SQL in `sql/operations.sql`)."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from lib.clock import now_or_none
from lib.uuid7 import least_at, moment_of
from runs.store.hot import SQL, workers_known

MOST_QUEUES = 1_000
"""In the order of their names so many are looked at, those of all tenants together."""


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
        "most_queues": MOST_QUEUES,
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


def keys_begun(tenant: int, workflows: Sequence[int], begun: str, most: int) -> list[tuple[str, int]]:
    """The first business keys of these workflows that begin so, at most so many, each with its workflow."""
    params = {"tenant": tenant, "workflows": list(workflows), "begun": begun, "most": most}
    return [(key, workflow) for key, workflow in SQL.value("keys_begun", params)]


def _minutes(span: timedelta) -> float:
    return max(span.total_seconds(), 1.0) / 60

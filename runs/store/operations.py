"""What operators look at, as typed functions (SQL in `sql/operations.sql`)."""

from collections.abc import Sequence
from typing import NamedTuple

from lib.clock import now_or_none
from runs.store.hot import SQL, WORKER_SECONDS

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
        "silent": WORKER_SECONDS,
        "most": most,
        "most_queues": MOST_QUEUES,
        "now": now_or_none(),
    }
    return [QueueState(*row) for row in SQL.value("queues_of", params)]

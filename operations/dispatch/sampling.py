"""A sample a minute of how things stand with workers and locks: what the gauges of dispatch are made of (R-175)."""

import socket

from operations.dispatch import store
from operations.dispatch.limits import READY_STEPS
from runs.kernel.dispatch import BUILT_IN_QUEUES
from runs.reading.workers import STALE
from runs.store import meters, metrics

FORGOTTEN = 500


def sample() -> int:
    """Keep a sample, and delete some of those that are too old; gives how many rows that were. Three statements."""
    queues = metrics.count_queues(BUILT_IN_QUEUES, READY_STEPS)
    count = store.keep(
        host=socket.gethostname(),
        queues=BUILT_IN_QUEUES,
        stale=STALE.total_seconds(),
        ready=min(READY_STEPS, sum(queue.ready for queue in queues.values())),
        totals=meters.totals(),
    )
    return count + store.forget(FORGOTTEN)

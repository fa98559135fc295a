"""How much there is of what is open, for `/metrics`: few statements, each bounded (`sql/metrics.sql`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lib.clock import now_or_none
from runs.limits import COUNTED_ROWS, COUNTED_TIMERS, METRIC_QUEUES
from runs.store.hot import SQL, WORKER_SECONDS


class QueueCounts(NamedTuple):
    """Steps of a queue that could be claimed now, and that run."""

    ready: int
    running: int


@dataclass(frozen=True, slots=True)
class State:
    """What is open: runs by status, timers, dead letters; repairs that were made; the workers seen lately by queue, and
    the seconds since each duty was done.
    """

    runs: Mapping[str, int]
    pending_timers: int
    overdue_timers: int
    open_letters: int
    repairs: int
    workers: Mapping[str, int]
    duties: Mapping[str, float]


def count_queues(queues: Sequence[str], most: int = COUNTED_ROWS) -> dict[str, QueueCounts]:
    """The counts of these queues, and of others that have steps, by name, each up to `most`."""
    params = {"queues": list(queues), "most": most, "most_queues": METRIC_QUEUES, "now": now_or_none()}
    return {queue: QueueCounts(*counts) for queue, counts in SQL.value("count_queues", params).items()}


def count_state() -> State:
    """All other counts; one statement."""
    params = {
        "most": COUNTED_ROWS,
        "most_overdue": COUNTED_TIMERS,
        "worker_seconds": WORKER_SECONDS,
        "now": now_or_none(),
    }
    row = SQL.value("count_state", params)
    return State(
        runs=row["runs"],
        pending_timers=row["pending"],
        overdue_timers=row["overdue"],
        open_letters=row["letters"],
        repairs=row["repairs"],
        workers=row["workers"],
        duties=row["duties"],
    )


def oldest_of(queues: Sequence[str]) -> tuple[dict[str, float], float]:
    """The age of the oldest claimable step of each of these queues that has one, and how late the oldest timer is."""
    row = SQL.value("standing", {"queues": list(queues)})
    ages = {queue: facts["oldest"] for queue, facts in row["queues"].items() if facts["oldest"] is not None}
    return ages, max(0.0, row["timer"] or 0.0)

"""Where a worker hears of jobs instead of polling: a broker tells of each, and the worker claims it by its id.

`handoff_sdk.kafka` and `handoff_sdk.redis_streams` are such brokers; each needs its extra.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

JOB_ID = "job-id"
LONGEST_ID = 200


class JobEvent(NamedTuple):
    """An event: the id of the job, as it is claimed, and where the event stands."""

    job: str
    place: Any


class Line(Protocol):
    """What tells of the jobs of one queue. Its methods block, and are called one at a time, from any thread; each may
    raise what its broker's client does.
    """

    def take(self, most: int, seconds: float) -> list[JobEvent]:
        """Up to so many events that nobody else is told of meanwhile; it waits so long for the first."""

    def rest(self) -> None:
        """The worker has no room just now: it is still there, and takes nothing."""

    def done(self, events: Sequence[JobEvent]) -> None:
        """Nobody needs to be told of these again."""

    def close(self, events: Sequence[JobEvent]) -> None:
        """The worker ends; these were taken, and are for others."""


class Events(Protocol):
    """A broker that tells of jobs."""

    def line(self, queue: str, worker: str) -> Line:
        """What tells this worker of a queue's jobs. It needs not be reached yet."""


def topic_of(queue: str, tenant: str = "") -> str:
    """The topic or stream of a queue; the tenant `default`, or none, has no name of its own in it."""
    return f"{_prefix(tenant)}workflow.jobs.{queue}"


def group_of(queue: str, tenant: str = "") -> str:
    """The group that all workers of a queue are in: each event is for one of them."""
    return f"{_prefix(tenant)}workflow.workers.{queue}"


def is_id(text: str) -> bool:
    """Whether this may be the id of a job; what is none is no event of Handoff's."""
    return 0 < len(text) <= LONGEST_ID and text.isascii() and text.isprintable()


def _prefix(tenant: str) -> str:
    return f"{tenant}." if tenant not in ("", "default") else ""

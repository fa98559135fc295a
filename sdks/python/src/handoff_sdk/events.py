"""Job events from a broker, for workers that do not poll: a worker claims each job by its id.

`handoff_sdk.kafka` and `handoff_sdk.redis_streams` are such brokers; each needs its extra.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

JOB_ID = "job-id"
LONGEST_ID = 200


class JobEvent(NamedTuple):
    """An event: the id of the job, and the position of the event in its topic or stream."""

    job_id: str
    position: Any


class Subscription(Protocol):
    """The job events of one queue. Its methods block, and are called one at a time, from any thread; each may raise
    the errors of its broker's client.
    """

    def take(self, most: int, seconds: float) -> list[JobEvent]:
        """Take up to `most` events, which no other worker gets; waits up to `seconds` for the first."""

    def pause(self) -> None:
        """The worker is alive but has no free slot: it takes nothing."""

    def acknowledge(self, events: Sequence[JobEvent]) -> None:
        """These events are handled: they are not delivered again."""

    def close(self, events: Sequence[JobEvent]) -> None:
        """The worker stops; these events were taken but not handled: other workers get them."""


class Events(Protocol):
    """A broker with job events."""

    def subscribe(self, queue: str, worker: str) -> Subscription:
        """Subscribe this worker to a queue. The broker need not be reachable yet."""


def topic_of(queue: str, tenant: str = "") -> str:
    """The topic or stream of a queue; the tenant `default`, or none, has no name of its own in it."""
    return f"{_prefix(tenant)}workflow.jobs.{queue}"


def group_of(queue: str, tenant: str = "") -> str:
    """The consumer group of a queue's workers: each event goes to one of them."""
    return f"{_prefix(tenant)}workflow.workers.{queue}"


def is_job_id(text: str) -> bool:
    """Whether this can be the id of a job."""
    return 0 < len(text) <= LONGEST_ID and text.isascii() and text.isprintable()


def _prefix(tenant: str) -> str:
    return f"{tenant}." if tenant not in ("", "default") else ""

"""Job events through Redis Streams; needs `handoff-sdk[redis]`."""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Sequence
from typing import Any

import redis

from handoff_sdk.events import JOB_ID, JobEvent, group_of, is_job_id, topic_of

IDLE_SECONDS = 60.0
"""What a worker took so long ago and did not claim, another one takes."""
LOOK_SECONDS = 15.0
"""How often is looked for it."""
ANSWER_SECONDS = 10.0
NOBODY = "nobody"
"""The consumer that is given what a worker took and did not claim before it ended."""
log = logging.getLogger("handoff_sdk")


class RedisEvents:
    """`Worker(events=RedisEvents("redis://:password@127.0.0.1:6379/0"))`."""

    def __init__(self, url: str, *, tenant: str = "") -> None:
        """`url`: of the Redis that Handoff publishes to. `tenant`: the slug of the token's tenant, where it isn't
        `default`.
        """
        self._url, self._tenant = url, tenant

    def subscribe(self, queue: str, worker: str) -> RedisSubscription:
        """As `Events.subscribe`."""
        client = redis.Redis.from_url(
            self._url, socket_timeout=ANSWER_SECONDS, socket_connect_timeout=ANSWER_SECONDS / 2
        )
        # Two processes may have a name in common; what one of them takes is not the other's.
        consumer = f"{worker}-{secrets.token_hex(4)}"
        return RedisSubscription(
            client, topic_of(queue, self._tenant), group_of(queue, self._tenant), consumer
        )


class RedisSubscription:
    """A consumer of one stream. What was claimed is taken out of the stream."""

    def __init__(self, client: Any, stream: str, group: str, worker: str) -> None:
        self._redis, self._stream, self._group, self._worker = client, stream, group, worker
        self._looks_at = 0.0
        self._is_ready = False

    def take(self, most: int, seconds: float) -> list[JobEvent]:
        """As `Subscription.take`. Raises redis.RedisError."""
        if not self._is_ready:
            self._make_group()
        try:
            entries = self._abandoned(most) or self._new(most, seconds)
        except redis.ResponseError as error:
            # The stream is gone, as where Redis has started empty.
            self._is_ready = not str(error).startswith("NOGROUP")
            raise
        events: list[JobEvent] = []
        strange: list[JobEvent] = []
        for place, fields in entries:
            job = (fields or {}).get(JOB_ID.encode(), b"").decode(errors="replace")
            (events if is_job_id(job) else strange).append(JobEvent(job, place))
        if strange:
            log.warning("%d events on %s have no id of a job; they are left out", len(strange), self._stream)
            self.acknowledge(strange)
        return events

    def pause(self) -> None:
        """As `Subscription.pause`: nothing is on its way to a worker that doesn't ask."""

    def acknowledge(self, events: Sequence[JobEvent]) -> None:
        """As `Subscription.acknowledge`. Raises redis.RedisError."""
        places = [event.position for event in events]
        with self._redis.pipeline(transaction=True) as pipe:
            pipe.xack(self._stream, self._group, *places)
            pipe.xdel(self._stream, *places)
            pipe.execute()

    def close(self, events: Sequence[JobEvent]) -> None:
        """As `Subscription.close`: others take these at once. Raises redis.RedisError."""
        try:
            if events:
                long_ago = int(IDLE_SECONDS * 1_000)
                places = [event.position for event in events]
                self._redis.xclaim(self._stream, self._group, NOBODY, 0, places, idle=long_ago, justid=True)
            if self._is_ready and not self._redis.xpending_range(
                self._stream, self._group, "-", "+", 1, self._worker
            ):
                # Or every worker that ever was is in the group's list.
                self._redis.xgroup_delconsumer(self._stream, self._group, self._worker)
        finally:
            self._redis.close()

    def _new(self, most: int, seconds: float) -> list[tuple[bytes, dict[bytes, bytes] | None]]:
        wait = max(int(seconds * 1_000), 1)
        answer = self._redis.xreadgroup(self._group, self._worker, {self._stream: ">"}, most, wait)
        return [entry for _, entries in answer or () for entry in entries]

    def _abandoned(self, most: int) -> list[tuple[bytes, dict[bytes, bytes] | None]]:
        """What a worker took that has died meanwhile; looked for now and then."""
        if time.monotonic() < self._looks_at:
            return []
        idle = int(IDLE_SECONDS * 1_000)
        answer = self._redis.xautoclaim(self._stream, self._group, self._worker, idle, count=most)
        entries: list[tuple[bytes, dict[bytes, bytes] | None]] = answer[1]
        if len(entries) < most:
            self._looks_at = time.monotonic() + LOOK_SECONDS
        return entries

    def _make_group(self) -> None:
        try:
            self._redis.xgroup_create(self._stream, self._group, id="0", mkstream=True)
        except redis.ResponseError as error:
            if not str(error).startswith("BUSYGROUP"):
                raise
        self._is_ready = True

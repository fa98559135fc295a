"""Consumes job events of a broker and claims their jobs by id, in batches, while there are free slots."""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeVar

import httpx

from handoff_sdk.calls import Call, Retries
from handoff_sdk.errors import ApiError, NoResponse
from handoff_sdk.events import Events, JobEvent, Subscription
from handoff_sdk.sender import AsyncSender
from handoff_sdk.threads import Threads
from handoff_sdk.watcher import Watcher

MOST_AT_ONCE = 100
MOST_QUEUES = 50
TAKE_SECONDS = 1.0
LAST_EVENTS_SECONDS = 3.0
"""How long the consumer may take to stop after the worker was stopped; events that it took are handed back."""
REST_SECONDS = 5.0
"""How often a worker without room says that it is still there."""
SHOW_SECONDS = 30.0
"""How often a worker that claims nothing tells Handoff that it is there."""
PAUSES = Retries(first=0.5, longest=5.0)
T = TypeVar("T")
log = logging.getLogger("handoff_sdk")


class _Stopped(Exception):
    """The worker ends while Handoff is away; what was taken is for others."""


@dataclass(frozen=True)
class Receiver:
    """The worker that gets the jobs: `begin` takes each job and the response's date, `free` counts free slots."""

    name: str
    version: str | None
    slots: int
    queues: Sequence[str]
    stopping: threading.Event
    slot_event: asyncio.Event
    free: Callable[[], int]
    begin: Callable[[Mapping[str, Any], str | None], None]


@dataclass(eq=False)
class _Reader:
    """The subscription of one queue, and events whose jobs are not claimed yet."""

    subscription: Subscription
    events: list[JobEvent] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def run(self, do: Callable[[], T]) -> T:
        """Clients of brokers take one call at a time; one that nobody waits for any more still goes on."""
        with self.lock:
            return do()


class Consumer:
    """Takes events of each queue and claims their jobs until the worker is stopped."""

    def __init__(
        self, events: Events, receiver: Receiver, sender: AsyncSender, threads: Threads, watcher: Watcher
    ) -> None:
        self._receiver, self._sender, self._threads, self._watcher = receiver, sender, threads, watcher
        self._readers = [_Reader(events.subscribe(queue, receiver.name)) for queue in receiver.queues]
        self._claiming = 0
        self._has_claimed = False
        self._claimed_at = 0.0

    async def work(self) -> None:
        """Raises ApiError that no other try would change."""
        try:
            # Whoever is refused hears of it at once, not with the first event.
            await self._claim([])
        except _Stopped:
            return
        tasks = [asyncio.create_task(self._read(reader)) for reader in self._readers]
        tasks.append(asyncio.create_task(self._show()))
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
            for task in tasks:
                if task.done() and not task.cancelled():
                    task.result()
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.wait(tasks, timeout=LAST_EVENTS_SECONDS)

    @property
    def _free(self) -> int:
        return self._receiver.free() - self._claiming

    async def _read(self, reader: _Reader) -> None:
        tries = 0
        try:
            while not self._receiver.stopping.is_set():
                if not await self._has_room(reader):
                    continue
                most = min(self._free, MOST_AT_ONCE)
                try:
                    if not reader.events:
                        reader.events += await self._do(
                            reader, partial(reader.subscription.take, most, TAKE_SECONDS)
                        )
                    tries = 0
                except Exception as error:
                    # Whatever a broker's client raises: it comes back, or somebody reads this.
                    log.warning("no job events, trying again: %s", error)
                    self._watcher.poll_failed()
                    await self._pause(PAUSES.pause(tries))
                    tries += 1
                    continue
                if reader.events and not self._receiver.stopping.is_set():
                    await self._claim_of(reader)
        except _Stopped:
            pass
        finally:
            await asyncio.shield(self._leave(reader))

    async def _has_room(self, reader: _Reader) -> bool:
        """Whether there is room for a job; it waits for a while."""
        if self._free > 0:
            return True
        self._receiver.slot_event.clear()
        try:
            await asyncio.wait_for(self._receiver.slot_event.wait(), REST_SECONDS)
        except TimeoutError:
            await self._idle(reader)
        return False

    async def _claim_of(self, reader: _Reader) -> None:
        """Claim as many of what was taken as there is room for; what is refused is somebody else's, or nobody's."""
        part = reader.events[: max(min(self._free, MOST_AT_ONCE), 0)]
        if not part:
            return
        self._claiming += len(part)
        try:
            await self._claim(list(dict.fromkeys(event.job_id for event in part)), reader)
        finally:
            self._claiming -= len(part)
            self._receiver.slot_event.set()
        del reader.events[: len(part)]
        try:
            await self._do(reader, partial(reader.subscription.acknowledge, part))
        except Exception as error:
            # They may be told again, and are refused then.
            log.warning("claimed events could not be acknowledged: %s", error)

    async def _claim(self, ids: Sequence[str], reader: _Reader | None = None) -> None:
        """Try until there is an answer. Raises ApiError that no other try would change."""
        tries = 0
        while True:
            began = time.monotonic()
            try:
                answer = await self._sender.send_raw(self._call(ids))
            except (ApiError, NoResponse) as error:
                if isinstance(error, ApiError) and not (
                    error.is_retryable and (self._has_claimed or error.is_from_handoff)
                ):
                    raise
                log.warning("no jobs, trying again: %s", error)
                least = error.retry_after if isinstance(error, ApiError) else None
            else:
                self._begin(ids, answer, time.monotonic() - began)
                return
            self._watcher.poll_failed()
            if reader is not None:
                await self._idle(reader)
            await self._pause(PAUSES.pause(tries, least))
            tries += 1
            if self._receiver.stopping.is_set():
                raise _Stopped

    def _begin(self, ids: Sequence[str], answer: httpx.Response, seconds: float) -> None:
        self._has_claimed, self._claimed_at = True, time.monotonic()
        payload = answer.json()
        if ids:
            self._watcher.poll_succeeded(len(payload["jobs"]), seconds)
        for job in payload["jobs"]:
            self._receiver.begin(job, answer.headers.get("Date"))
        for one in payload["refused"]:
            log.debug("job %s is not to be had: %s", one["id"].partition(".")[0], one["reason"])

    def _call(self, ids: Sequence[str]) -> Call[Any]:
        body = {
            "worker_id": self._receiver.name,
            "version": self._receiver.version,
            "slots": self._receiver.slots,
            "queues": list(self._receiver.queues)[:MOST_QUEUES],
            "ids": list(ids),
        }
        payload = {name: value for name, value in body.items() if value is not None}
        return Call("POST", "/jobs/claim", body=payload)

    async def _show(self) -> None:
        """Handoff lists who is there, also while there is nothing to do."""
        while not self._receiver.stopping.is_set():
            await self._pause(max(self._claimed_at + SHOW_SECONDS - time.monotonic(), 1.0))
            if time.monotonic() - self._claimed_at >= SHOW_SECONDS:
                with suppress(_Stopped):
                    await self._claim([])

    async def _do(self, reader: _Reader, do: Callable[[], Any]) -> Any:
        return await self._threads.run(partial(reader.run, do))

    async def _idle(self, reader: _Reader) -> None:
        try:
            await self._do(reader, reader.subscription.pause)
        except Exception as error:
            log.warning("the broker does not know that this worker is still there: %s", error)

    async def _leave(self, reader: _Reader) -> None:
        try:
            await self._do(reader, partial(reader.subscription.close, reader.events))
        except Exception as error:
            log.warning("the broker does not know that this worker has gone: %s", error)

    async def _pause(self, seconds: float) -> None:
        """Wait, but not for longer than the worker goes on."""
        until = time.monotonic() + seconds
        while not self._receiver.stopping.is_set() and (left := until - time.monotonic()) > 0:
            await asyncio.sleep(min(left, 0.5))

"""Hearing of jobs through a broker: what was told is claimed by its id, in batches, while there are slots."""

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
from handoff_sdk.errors import ApiError, NoAnswer
from handoff_sdk.events import Events, JobEvent, Line
from handoff_sdk.sending import AsyncSender
from handoff_sdk.threads import Threads
from handoff_sdk.watching import Watcher

MOST_AT_ONCE = 100
MOST_QUEUES = 50
TAKE_SECONDS = 1.0
LAST_EVENTS_SECONDS = 3.0
"""What hearing of jobs has to end once the worker is stopped: what was taken goes back."""
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
class Hearer:
    """Who hears: `begin` is given each job with the time of the answer, `free` says for how many there is room."""

    name: str
    version: str | None
    slots: int
    queues: Sequence[str]
    stopping: threading.Event
    freed: asyncio.Event
    free: Callable[[], int]
    begin: Callable[[Mapping[str, Any], str | None], None]


@dataclass(eq=False)
class _Ear:
    """What is heard of one queue."""

    line: Line
    taken: list[JobEvent] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def alone(self, do: Callable[[], T]) -> T:
        """Clients of brokers take one call at a time; one that nobody waits for any more still goes on."""
        with self.lock:
            return do()


class Hearing:
    """Takes events of each queue and claims their jobs, until the worker is stopped."""

    def __init__(
        self, events: Events, hearer: Hearer, sender: AsyncSender, threads: Threads, watcher: Watcher
    ) -> None:
        self._hearer, self._sender, self._threads, self._watcher = hearer, sender, threads, watcher
        self._ears = [_Ear(events.line(queue, hearer.name)) for queue in hearer.queues]
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
        tasks = [asyncio.create_task(self._hear(ear)) for ear in self._ears]
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
        return self._hearer.free() - self._claiming

    async def _hear(self, ear: _Ear) -> None:
        tries = 0
        try:
            while not self._hearer.stopping.is_set():
                if not await self._has_room(ear):
                    continue
                most = min(self._free, MOST_AT_ONCE)
                try:
                    if not ear.taken:
                        ear.taken += await self._do(ear, partial(ear.line.take, most, TAKE_SECONDS))
                    tries = 0
                except Exception as error:
                    # Whatever a broker's client raises: it comes back, or somebody reads this.
                    log.warning("nothing is heard of jobs, trying again: %s", error)
                    self._watcher.not_polled()
                    await self._pause(PAUSES.pause(tries))
                    tries += 1
                    continue
                if ear.taken and not self._hearer.stopping.is_set():
                    await self._claim_of(ear)
        except _Stopped:
            pass
        finally:
            await asyncio.shield(self._leave(ear))

    async def _has_room(self, ear: _Ear) -> bool:
        """Whether there is room for a job; it waits for a while."""
        if self._free > 0:
            return True
        self._hearer.freed.clear()
        try:
            await asyncio.wait_for(self._hearer.freed.wait(), REST_SECONDS)
        except TimeoutError:
            await self._rest(ear)
        return False

    async def _claim_of(self, ear: _Ear) -> None:
        """Claim as many of what was taken as there is room for; what is refused is somebody else's, or nobody's."""
        part = ear.taken[: max(min(self._free, MOST_AT_ONCE), 0)]
        if not part:
            return
        self._claiming += len(part)
        try:
            await self._claim(list(dict.fromkeys(one.job for one in part)), ear)
        finally:
            self._claiming -= len(part)
            self._hearer.freed.set()
        del ear.taken[: len(part)]
        try:
            await self._do(ear, partial(ear.line.done, part))
        except Exception as error:
            # They may be told again, and are refused then.
            log.warning("the broker was not told what was claimed: %s", error)

    async def _claim(self, ids: Sequence[str], ear: _Ear | None = None) -> None:
        """Try until there is an answer. Raises ApiError that no other try would change."""
        tries = 0
        while True:
            began = time.monotonic()
            try:
                answer = await self._sender.answer(self._call(ids))
            except (ApiError, NoAnswer) as error:
                if isinstance(error, ApiError) and not (
                    error.may_go_better and (self._has_claimed or error.is_handoffs)
                ):
                    raise
                log.warning("no jobs, trying again: %s", error)
                least = error.retry_after if isinstance(error, ApiError) else None
            else:
                self._hear_of(ids, answer, time.monotonic() - began)
                return
            self._watcher.not_polled()
            if ear is not None:
                await self._rest(ear)
            await self._pause(PAUSES.pause(tries, least))
            tries += 1
            if self._hearer.stopping.is_set():
                raise _Stopped

    def _hear_of(self, ids: Sequence[str], answer: httpx.Response, seconds: float) -> None:
        self._has_claimed, self._claimed_at = True, time.monotonic()
        payload = answer.json()
        if ids:
            self._watcher.polled(len(payload["jobs"]), seconds)
        for job in payload["jobs"]:
            self._hearer.begin(job, answer.headers.get("Date"))
        for one in payload["refused"]:
            log.debug("job %s is not to be had: %s", one["id"].partition(".")[0], one["reason"])

    def _call(self, ids: Sequence[str]) -> Call[Any]:
        body = {
            "worker_id": self._hearer.name,
            "version": self._hearer.version,
            "slots": self._hearer.slots,
            "queues": list(self._hearer.queues)[:MOST_QUEUES],
            "ids": list(ids),
        }
        payload = {name: value for name, value in body.items() if value is not None}
        return Call("POST", "/jobs/claim", body=payload)

    async def _show(self) -> None:
        """Handoff lists who is there, also while there is nothing to do."""
        while not self._hearer.stopping.is_set():
            await self._pause(max(self._claimed_at + SHOW_SECONDS - time.monotonic(), 1.0))
            if time.monotonic() - self._claimed_at >= SHOW_SECONDS:
                with suppress(_Stopped):
                    await self._claim([])

    async def _do(self, ear: _Ear, do: Callable[[], Any]) -> Any:
        return await self._threads.run(partial(ear.alone, do))

    async def _rest(self, ear: _Ear) -> None:
        try:
            await self._do(ear, ear.line.rest)
        except Exception as error:
            log.warning("the broker does not know that this worker is still there: %s", error)

    async def _leave(self, ear: _Ear) -> None:
        try:
            await self._do(ear, partial(ear.line.close, ear.taken))
        except Exception as error:
            log.warning("the broker does not know that this worker has gone: %s", error)

    async def _pause(self, seconds: float) -> None:
        """Wait, but not for longer than the worker goes on."""
        until = time.monotonic() + seconds
        while not self._hearer.stopping.is_set() and (left := until - time.monotonic()) > 0:
            await asyncio.sleep(min(left, 0.5))

"""A worker: polls queues for jobs or consumes events of them, runs their steps, and reports the results."""

from __future__ import annotations

import asyncio
import inspect
import logging
import os
import random
import signal
import socket
import threading
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from typing import Any, TypeVar

from handoff_sdk.calls import Call, Retries
from handoff_sdk.consumer import LAST_EVENTS_SECONDS, Consumer, Receiver
from handoff_sdk.errors import ApiError, NoResponse
from handoff_sdk.events import Events
from handoff_sdk.heartbeats import Heartbeats
from handoff_sdk.jobs import (
    Claim,
    Completion,
    Context,
    Failure,
    Release,
    StepError,
    completion,
    failure,
    failure_of,
)
from handoff_sdk.reports import Reports, Result, Unreported
from handoff_sdk.sender import AsyncSender
from handoff_sdk.threads import Threads
from handoff_sdk.watcher import Watcher

Step = Callable[[Context], Any]
S = TypeVar("S", bound=Step)
MOST_JOBS = 100
MOST_QUEUES = 50
TELL_SECONDS = 300.0
"""So long a result is told again and again, also after its lease: it counts while nobody else was given the step."""
LEAVE_SECONDS = 2.0
"""What a step that was told to end too late has to do so."""
LAST_ANSWER_SECONDS = 0.3
"""So long the answer to the last poll is waited for."""
GONE = ("stale_token", "not_found")
log = logging.getLogger("handoff_sdk")


class Worker:
    """Steps by the ids of their nodes, and `run`, which does the jobs of their queues until it is stopped."""

    def __init__(
        self,
        url: str | None = None,
        token: str | None = None,
        *,
        slots: int = 10,
        name: str | None = None,
        poll_wait_seconds: float = 20.0,
        drain_seconds: float = 30.0,
        version: str | None = None,
        watcher: Watcher | None = None,
        events: Events | None = None,
    ) -> None:
        """`slots`: how many jobs it does at once; `name`, `version`: what Handoff calls it, and its code.
        `poll_wait_seconds`: how long a poll waits.

        `drain_seconds`: how long held jobs may take after it is stopped. `watcher`: receives its events,
        such as `handoff_sdk.metrics.Metrics`. `events`: a broker with job events, instead of polling:
        `handoff_sdk.kafka.KafkaEvents` or `handoff_sdk.redis_streams.RedisEvents`. `url` and `token` as for a client.
        """
        self._url, self._token, self._slots = url, token, slots
        self._name, self._version = name or f"{socket.gethostname()}-{os.getpid()}", version
        self._wait_seconds, self._drain_seconds = poll_wait_seconds, drain_seconds
        self._watcher, self._events = watcher or Watcher(), events
        self._steps: dict[str, Step] = {}
        self._queues: set[str] = set()
        self._stopping = threading.Event()
        self._wake: Callable[[], None] = lambda: None

    def step(self, node: str, *, queue: str | None = None) -> Callable[[S], S]:
        """The function does the jobs of this node; `queue` is the node's, where it is not called like it.

        It is given a `Context`; what it gives is the output of the step. A coroutine runs on the event loop, any other
        function in a thread. Raises ValueError for a node that has one.
        """

        def register(function: S) -> S:
            if node in self._steps:
                raise ValueError(f"There are two steps for {node}.")
            self._steps[node] = function
            self._queues.add(node if queue is None else queue)
            return function

        return register

    def run(self) -> None:
        """Work until `stop`, SIGTERM or SIGINT, and then until what is in hand has ended.

        Raises ApiError where Handoff refuses the worker: its token is not valid, or a queue.
        """
        asyncio.run(self._run())

    async def _run(self) -> None:
        loop = asyncio.get_running_loop()
        for signum in (signal.SIGTERM, signal.SIGINT):
            # Only the main thread has signals, and not every system has these.
            with suppress(NotImplementedError, RuntimeError, ValueError):
                loop.add_signal_handler(signum, self.stop)
        await self.serve()

    def stop(self) -> None:
        """Take no more jobs, and end when those in hand are done. From any thread; once is enough."""
        self._stopping.set()
        self._wake()

    async def serve(self) -> None:
        """As `run`, on the event loop that runs, whose signals stay its own: `stop` ends it."""
        if not self._steps:
            raise ValueError("A worker needs a step.")
        loop = asyncio.get_running_loop()
        stopped = asyncio.Event()

        def wake() -> None:
            # The loop has gone where the worker has stopped already.
            with suppress(RuntimeError):
                loop.call_soon_threadsafe(stopped.set)

        self._wake = wake
        if self._stopping.is_set():
            return
        async with AsyncSender(self._url, self._token, retries=Retries(limit=0)) as sender:
            does = "polls" if self._events is None else "subscribes to"
            log.info("%s %s the queues %s", self._name, does, ", ".join(sorted(self._queues)))
            await _Shift(self, sender, stopped).work()
        log.info("stopped")


class _Shift:
    """One time that a worker works: what it holds, and what it has to tell."""

    def __init__(self, worker: Worker, sender: AsyncSender, stop_event: asyncio.Event) -> None:
        self._worker, self._sender, self._stop_event = worker, sender, stop_event
        self._held: dict[str, Claim] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._slot_event = asyncio.Event()
        self._polls_no_more = asyncio.Event()
        self._threads = Threads()
        self._heartbeats = Heartbeats(sender, self._held, worker._watcher)
        self._watcher = worker._watcher
        self._completions = Reports(sender, "complete", self._watcher)
        self._failures = Reports(sender, "fail", self._watcher)
        self._loop = asyncio.get_running_loop()

    async def work(self) -> None:
        """Until it is stopped, or refused. Raises ApiError."""
        others: list[asyncio.Task[Any]] = [
            asyncio.create_task(each.work()) for each in (self._heartbeats, self._completions, self._failures)
        ]
        events = self._worker._events
        polling: asyncio.Task[Any] = asyncio.create_task(
            self._poll() if events is None else self._consumer(events).work()
        )
        patience = LAST_ANSWER_SECONDS if events is None else LAST_EVENTS_SECONDS
        stop: asyncio.Task[Any] = asyncio.create_task(self._stop_event.wait())
        try:
            await asyncio.wait({polling, stop, *others}, return_when=asyncio.FIRST_COMPLETED)
            self._worker._stopping.set()
            # The answer to a poll may be under way: its jobs are given back, and not left until their leases end.
            await asyncio.wait({polling}, timeout=patience)
            polling.cancel()
            await asyncio.wait({polling})
            self._polls_no_more.set()
            await self._drain()
            for each in (polling, *others):
                if each.done() and not each.cancelled():
                    each.result()
        finally:
            # Also where somebody has cancelled all of it: nothing goes on behind the back of who runs it.
            for each in (polling, stop, *others, *self._tasks):
                each.cancel()
            self._threads.close()

    async def _poll(self) -> None:
        """Take jobs while there are slots. Raises ApiError that no other try would change."""
        tries, has_polled = 0, False
        while not self._worker._stopping.is_set():
            free = self._worker._slots - len(self._held)
            if free < 1:
                self._slot_event.clear()
                await self._slot_event.wait()
                continue
            began = time.monotonic()
            try:
                answer = await self._sender.send_raw(self._call(free))
            except (ApiError, NoResponse) as error:
                if isinstance(error, ApiError) and not (
                    error.is_retryable and (has_polled or error.is_from_handoff)
                ):
                    raise
                log.warning("no jobs, trying again: %s", error)
                self._watcher.poll_failed()
                least = error.retry_after if isinstance(error, ApiError) else None
                await asyncio.sleep(Retries(first=0.5, longest=5.0).pause(tries, least))
                tries += 1
                continue
            tries, has_polled = 0, True
            jobs = answer.json()["jobs"]
            took = time.monotonic() - began
            self._watcher.poll_succeeded(len(jobs), took)
            for job in jobs:
                self._begin(job, answer.headers.get("Date"))
            if not jobs and took < 1.0:
                # All that wait are answered at once when a server ends, or has too many.
                await asyncio.sleep(random.uniform(0.5, 1.5))  # noqa: S311

    def _consumer(self, events: Events) -> Consumer:
        worker = self._worker
        receiver = Receiver(
            name=worker._name,
            version=worker._version,
            slots=worker._slots,
            queues=sorted(worker._queues),
            stopping=worker._stopping,
            slot_event=self._slot_event,
            free=lambda: worker._slots - len(self._held),
            begin=self._begin,
        )
        return Consumer(events, receiver, self._sender, self._threads, self._watcher)

    def _call(self, free: int) -> Call[Any]:
        queues = sorted(self._worker._queues)
        if len(queues) > MOST_QUEUES:
            queues = random.sample(queues, MOST_QUEUES)
        # Those that began together must not come together for ever.
        wait = self._worker._wait_seconds * random.uniform(0.75, 1.0)  # noqa: S311
        body = {
            "worker_id": self._worker._name,
            "version": self._worker._version,
            "slots": self._worker._slots,
            "queues": queues,
            # No queue waits for all that another one has.
            "weights": dict.fromkeys(queues, 1),
            "max_jobs": min(free, MOST_JOBS),
            "wait_seconds": round(wait, 3),
        }
        payload = {name: value for name, value in body.items() if value is not None}
        return Call("POST", "/jobs/poll", body=payload, wait=wait)

    def _begin(self, job: Mapping[str, Any], date: str | None) -> None:
        claim = Claim(job, 0.0, 0.0)
        claim.renew(job["lease_expires_at"], date)
        self._held[claim.token] = claim
        log.info("%s: begun", claim)
        self._watcher.job_started(str(job["node"]))
        task = asyncio.create_task(self._process(claim))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self._heartbeats.wake()

    async def _process(self, claim: Claim) -> None:
        began, result = time.monotonic(), "unreported"
        try:
            try:
                outcome = await self._do(claim)
                result = await self._tell(claim, outcome)
            except Release:
                result = await self._release(claim)
        except Unreported:
            log.error("%s: its result could not be reported", claim)
        except ApiError as error:
            log.error("%s: refused: %s", claim, error)
        except Exception:
            log.exception("%s: its result could not be reported", claim)
        finally:
            del self._held[claim.token]
            self._watcher.job_ended(str(claim.job["node"]), result, time.monotonic() - began)
            self._slot_event.set()

    async def _do(self, claim: Claim) -> Completion | Failure:
        """What became of the step. Raises Release."""
        step = self._worker._steps.get(str(claim.job["node"]))
        if step is None:
            message = f"The worker {self._worker._name} has no step {claim.job['node']}."
            return failure(claim, "UnknownStep", message, retryable=False)
        if self._worker._stopping.is_set():
            raise Release
        context = Context(claim, self._worker._stopping, lambda: self._beat(claim))
        try:
            output = await self._call_step(step, context)
        except Release:
            raise
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            return failure_of(claim, error)
        except GeneratorExit:
            raise
        except BaseException as error:
            # Also SystemExit: a step ends its attempt, never the worker and the other jobs in hand.
            log.info("%s: an error", claim, exc_info=not isinstance(error, StepError))
            return failure_of(claim, error)
        try:
            return completion(claim, output, context.variables)
        except (TypeError, ValueError) as error:
            return failure(claim, "NotJson", str(error), retryable=False)

    async def _call_step(self, step: Step, context: Context) -> Any:
        if inspect.iscoroutinefunction(step):
            return await step(context)
        output = await self._threads.run(lambda: step(context))
        return await output if isinstance(output, Awaitable) else output

    def _beat(self, claim: Claim) -> None:
        # Steps are in threads, too.
        self._loop.call_soon_threadsafe(self._heartbeats.schedule, claim)

    async def _tell(self, claim: Claim, outcome: Completion | Failure) -> str:
        """How it is counted. Raises Unreported, and ApiError where not even a failure is taken."""
        until = max(claim.ends, time.monotonic() + TELL_SECONDS)
        if isinstance(outcome, Completion):
            try:
                result = await self._completions.submit(outcome.body, until)
            except ApiError as error:
                if error.status in (401, 403):
                    raise
                outcome = failure(
                    claim, error.code, f"The output is refused: {error.message}", retryable=False
                )
            else:
                if not _is_refused(result):
                    return _noted(claim, "completed", "completed", result)
                message = f"The output is refused: {result['message']}"
                outcome = failure(claim, str(result["reason"]), message, retryable=False)
        try:
            result = await self._failures.submit(outcome.body, until)
        except ApiError as error:
            if error.status in (401, 403):
                raise
            outcome = failure(claim, outcome.code, f"Its error is refused: {error.message}", retryable=False)
            result = await self._failures.submit(outcome.body, until)
        return _noted(claim, "failed", f"failed ({outcome.code}: {outcome.message})", result)

    async def _release(self, claim: Claim) -> str:
        """Give it back, as often as it takes while the lease lasts: one that ends costs an attempt."""
        if self._worker._stopping.is_set():
            # The last poll, which nobody may hear the answer of any more, would be given it again.
            await self._polls_no_more.wait()
        call: Call[Any] = Call("POST", f"/jobs/{claim.id}/release", body={"lease_token": claim.token})
        tries = 0
        while True:
            try:
                return _noted(claim, "released", "given back", await self._sender.send(call))
            except (ApiError, NoResponse) as error:
                is_final = isinstance(error, ApiError) and not error.is_retryable
                if is_final or time.monotonic() >= claim.ends:
                    log.warning("%s: could not be given back, its lease will end: %s", claim, error)
                    return "unreported"
            await asyncio.sleep(Retries(first=0.2, longest=2.0).pause(tries))
            tries += 1

    async def _drain(self) -> None:
        """Let jobs in hand end, and tell what became of them; those that don't are left."""
        until = time.monotonic() + self._worker._drain_seconds
        for reports in (self._completions, self._failures):
            reports.set_deadline(until)
        if self._tasks:
            log.info("%d jobs are in hand", len(self._tasks))
            await asyncio.wait(self._tasks, timeout=self._worker._drain_seconds)
        for claim in self._held.values():
            claim.cancellation.set()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=LEAVE_SECONDS)
        for claim in self._held.values():
            log.error("%s: left, since it has not ended in time", claim)
        left = set(self._tasks)
        for task in left:
            task.cancel()
        if left:
            await asyncio.wait(left, timeout=LEAVE_SECONDS)


def _is_refused(result: Result) -> bool:
    """Whether the output can't be kept, though the lease goes on; the rest has no message or is about the lease."""
    return not result["applied"] and bool(result.get("message")) and result.get("reason") not in GONE


def _noted(claim: Claim, result: str, what: str, answer: Result) -> str:
    """How it is counted: `result` where it counts."""
    if answer["applied"]:
        log.info("%s: %s", claim, what)
        return result
    log.warning("%s: %s, too late (%s)", claim, what, answer.get("reason"))
    return "late"

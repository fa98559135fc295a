"""`WatchRun`: the history of a run as it is written, from behind any event of it until the run has ended."""

import asyncio
import logging
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

import grpc
from grpc.aio import ServicerContext

from accounts.principal import Principal
from accounts.roles import RUNS_READ
from integrations.grpc.calls import Call, admitted, id_in, require_run
from integrations.grpc.contract import RUNS, message_class, methods
from integrations.grpc.news import News
from integrations.grpc.places import place
from integrations.grpc.problems import STOPPING, problem_of, refuse, told
from integrations.grpc.rows import filled, given, parsed
from integrations.grpc.runs import NO_RUN
from integrations.grpc.strangers import let_in
from integrations.grpc.threads import Threads
from lib.api.errors import Problem
from lib.refusals import Invalid, TooMany
from runs.api.run_calls import find_run
from runs.kernel import live
from runs.kernel.live import Topic
from runs.reading.queries import history_row
from runs.reading.watched import events_behind, is_told_to_its_end
from runs.web.hub import hub

log = logging.getLogger(__name__)

AT_ONCE = 200
PAUSE_SECONDS = 0.1
# By then every process knows of a new watcher; a notice that was lost costs the second at most.
CAUGHT_UP_SECONDS, LOOK_SECONDS = 1.5 * live.KNOWN_SECONDS, 5.0


@dataclass(frozen=True, slots=True)
class _Read:
    """What there is to send, and how it goes on."""

    principal: Principal
    messages: list[bytes]
    last: int
    is_over: bool


class _Watcher:
    """One stream, as the hub knows it."""

    def __init__(self) -> None:
        self.is_told = asyncio.Event()

    def told(self, changed: Iterable[str], nodes: Mapping[str, str], status: str | None) -> None:
        """Something about its run changed."""
        self.is_told.set()


class RunStreams:
    """The streams of runs of this process."""

    def __init__(self, threads: Threads, news: News) -> None:
        self._threads, self._stopping = threads, news.stopping
        method = methods(RUNS)["WatchRun"]
        self._takes = message_class(method.input_type.full_name)
        self._gives = message_class(method.output_type.full_name)
        self._watchers: set[_Watcher] = set()

    def handler(self) -> "grpc.RpcMethodHandler[Any, Any]":
        """The handler of the call."""
        return grpc.unary_stream_rpc_method_handler(self._handle)

    def stop(self) -> None:
        """Nobody waits any longer."""
        for watcher in self._watchers:
            watcher.is_told.set()

    async def _handle(self, raw: bytes, context: "ServicerContext[Any, Any]") -> None:
        call = Call.of(context)
        request = await self._threads.do(partial(told, call, partial(self._read_request, raw)))
        if isinstance(request, Problem):
            await refuse(context, call, request)
        run_id, after = request
        first = await self._read(call, run_id, after)
        if isinstance(first, Problem):
            await refuse(context, call, first)
        let_in()
        try:
            with place(first.principal):
                await context.send_initial_metadata(())
                problem = await self._serve(call, run_id, first, context)
        except TooMany as refusal:
            problem = problem_of(refusal)
        if problem is not None:
            await refuse(context, call, problem)

    async def _serve(
        self, call: Call, run_id: UUID, read: _Read, context: "ServicerContext[Any, Any]"
    ) -> Problem | None:
        """Send events until the run has ended (None), or something is wrong."""
        topic, watcher = Topic(read.principal.tenant_id, str(run_id)), _Watcher()
        self._watchers.add(watcher)
        wait_seconds = CAUGHT_UP_SECONDS
        try:
            while not self._stopping.is_set():
                for message in read.messages:
                    await context.write(message)
                if read.is_over:
                    return None
                if len(read.messages) < AT_ONCE:
                    await self._untiltold(topic, watcher, wait_seconds)
                    wait_seconds = LOOK_SECONDS
                again = await self._read(call, run_id, read.last)
                if isinstance(again, Problem):
                    return again
                read = again
            return STOPPING
        finally:
            self._watchers.discard(watcher)
            hub.leave(topic, watcher)

    async def _untiltold(self, topic: Topic, watcher: _Watcher, seconds: float) -> None:
        try:
            await hub.join(topic, watcher)
            await live.watch(topic)
        except Exception as error:
            # Whatever is wrong with the notices: it is looked at every so often.
            log.warning("A stream of a run can't be told of changes: %r", error)
            seconds = CAUGHT_UP_SECONDS
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await watcher.is_told.wait()
        await asyncio.sleep(PAUSE_SECONDS)
        watcher.is_told.clear()

    def _read_request(self, raw: bytes) -> tuple[UUID, int]:
        payload = given(parsed(self._takes, raw))
        after = payload.pop("after", 0)
        if after < 0:
            raise Invalid("This must be 0 or more.", code="min_value", field="after")
        return id_in(payload, "run_id", NO_RUN), after

    async def _read(self, call: Call, run_id: UUID, after: int) -> _Read | Problem:
        """What there is behind an event, for who may read it now."""
        read: _Read | Problem = await self._threads.do(
            partial(told, call, partial(self._read_now, call, run_id, after), is_first=False)
        )
        return read

    def _read_now(self, call: Call, run_id: UUID, after: int) -> _Read:
        principal = admitted(call, RUNS_READ)
        require_run(principal, RUNS_READ, run_id)
        run = find_run(principal, run_id)
        events = events_behind(run, after, AT_ONCE)
        last = events[-1].id if events else after
        is_over = len(events) < AT_ONCE and is_told_to_its_end(run, last)
        messages = [filled(self._gives, history_row(event)).SerializeToString() for event in events]
        return _Read(principal, messages, last, is_over)

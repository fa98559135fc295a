"""`StreamJobs`: jobs as they come, as many as a worker has room for.

What a stream has handed out counts until the worker has completed, failed or released it (this process hears of it at
once where it was said here) or its lease is over (asked of the database, each second, while there is no room). A stream
that ends gives back what it has claimed and not sent; each claim asks anew who its token is.
"""

import asyncio
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import grpc
from grpc.aio import ServicerContext

from accounts.principal import Principal
from accounts.roles import JOBS_WORK
from engine.statuses import StepStatus
from integrations.grpc.calls import Call, admitted
from integrations.grpc.contract import JOBS, message_class, methods
from integrations.grpc.limits import STREAMED_JOBS
from integrations.grpc.news import News
from integrations.grpc.places import place
from integrations.grpc.problems import STOPPING, problem_of, refuse, told
from integrations.grpc.rows import filled, given, parsed
from integrations.grpc.strangers import let_in
from integrations.grpc.threads import Threads
from lib.api.errors import Problem
from lib.api.serializers import Parsed, validated
from lib.refusals import TooMany
from runs.api import job_calls, polls
from runs.api.job_serializers import StreamJobs
from runs.commands import jobs
from runs.models import StepExecution

FULL_SECONDS, IDLE_SECONDS = 1.0, 15.0


@dataclass(slots=True)
class _Stream:
    """`held`: the epochs of the jobs that its worker has in hand, by their ids."""

    call: Call
    principal: Principal
    payload: Parsed
    held: dict[str, int] = field(default_factory=dict)
    has_room: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def room(self) -> int:
        return int(self.payload["max_jobs"]) - len(self.held)


@dataclass(slots=True)
class _Claimed:
    """Jobs that are leased and not sent yet, each with its message."""

    unsent: deque[tuple[jobs.Job, bytes]] = field(default_factory=deque)
    wait_seconds: float = 0.0

    def give_back(self) -> None:
        jobs.take_back([job for job, _ in self.unsent])


class JobStreams:
    """The streams of jobs of this process."""

    def __init__(self, threads: Threads, news: News) -> None:
        self._threads, self._news = threads, news
        self._stream_of: dict[str, _Stream] = {}
        method = methods(JOBS)["StreamJobs"]
        self._takes = message_class(method.input_type.full_name)
        self._gives = message_class(method.output_type.full_name)

    def handler(self) -> "grpc.RpcMethodHandler[Any, Any]":
        """The handler of the call."""
        return grpc.unary_stream_rpc_method_handler(self._handle)

    def ended(self, job_id: str) -> None:
        """A worker has a job less in hand."""
        if (stream := self._stream_of.pop(job_id, None)) is not None:
            stream.held.pop(job_id, None)
            stream.has_room.set()

    async def _handle(self, raw: bytes, context: "ServicerContext[Any, Any]") -> None:
        call = Call.of(context)
        opened = await self._threads.do(partial(told, call, partial(self._open, call, raw)))
        if isinstance(opened, Problem):
            await refuse(context, call, opened)
        let_in()
        try:
            with place(opened.principal):
                await context.send_initial_metadata(())
                problem = await self._serve(opened, context)
        except TooMany as refusal:
            problem = problem_of(refusal)
        finally:
            for job_id in opened.held:
                self._stream_of.pop(job_id, None)
        await refuse(context, call, problem)

    async def _serve(self, stream: _Stream, context: "ServicerContext[Any, Any]") -> Problem:
        """Send jobs until something is wrong; gives what."""
        topics = polls.topics(stream.principal, stream.payload["queues"])
        while not self._news.stopping.is_set():
            if stream.room <= 0:
                if (problem := await self._until_there_is_room(stream)) is not None:
                    return problem
                continue
            limit, claimed = min(stream.room, STREAMED_JOBS), _Claimed()
            claim = partial(told, stream.call, partial(self._claim, stream, limit, claimed), is_first=False)
            if (problem := await self._threads.do(claim, claimed.give_back)) is not None:
                return problem
            count = len(claimed.unsent)
            await self._send(stream, claimed, context)
            if claimed.wait_seconds:
                await self._news.come(frozenset(), claimed.wait_seconds)
            elif count < limit:
                await self._news.come(topics, IDLE_SECONDS)
        return STOPPING

    async def _send(self, stream: _Stream, claimed: _Claimed, context: "ServicerContext[Any, Any]") -> None:
        try:
            while claimed.unsent:
                job, message = claimed.unsent[0]
                stream.held[job.step.id] = job.step.epoch
                self._stream_of[job.step.id] = stream
                await context.write(message)
                claimed.unsent.popleft()
        except BaseException:
            # The client has left: what it may have been told of just now is given back, too.
            self._threads.later(claimed.give_back)
            raise

    async def _until_there_is_room(self, stream: _Stream) -> Problem | None:
        stream.has_room.clear()
        if stream.room > 0:
            return None
        with suppress(TimeoutError):
            async with asyncio.timeout(FULL_SECONDS):
                await stream.has_room.wait()
                return None
        look = partial(told, stream.call, partial(_lost, stream, dict(stream.held)), is_first=False)
        lost = await self._threads.do(look)
        if isinstance(lost, Problem):
            return lost
        for job_id in lost:
            self.ended(job_id)
        return None

    def _open(self, call: Call, raw: bytes) -> _Stream:
        principal = admitted(call, JOBS_WORK)
        payload = validated(StreamJobs, given(parsed(self._takes, raw)))
        job_calls.require_queues(principal, payload)
        polls.let_in(principal.tenant_id)
        return _Stream(call, principal, payload)

    def _claim(self, stream: _Stream, limit: int, claimed: _Claimed) -> None:
        principal = admitted(stream.call, JOBS_WORK)
        try:
            polls.let_in(principal.tenant_id)
        except TooMany as refusal:
            claimed.wait_seconds = refusal.retry_after or 1
            return
        # In one piece: what is undone must be all that was leased.
        leased = job_calls.claim(principal, stream.payload, limit)
        claimed.unsent.extend((job, b"") for job in leased)
        messages = [filled(self._gives, job_calls.job_row(job)).SerializeToString() for job in leased]
        claimed.unsent = deque(zip(leased, messages, strict=True))


def _lost(stream: _Stream, epoch_by_job: dict[str, int]) -> Sequence[str]:
    """Which of these jobs the worker has no more."""
    principal = admitted(stream.call, JOBS_WORK)
    steps = StepExecution.objects.for_tenant(principal.tenant_id).filter(
        pk__in=list(epoch_by_job), status=StepStatus.RUNNING
    )
    epochs = {str(step): epoch for step, epoch in steps.values_list("pk", "epoch")}
    return [job_id for job_id, epoch in epoch_by_job.items() if epochs.get(job_id) != epoch]

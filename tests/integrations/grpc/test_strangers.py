"""Whoever shows no good token fills a part of the calls at most, with messages or without, and keeps nobody out."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from types import SimpleNamespace

import grpc
import pytest

from integrations.grpc import strangers
from integrations.grpc.limits import ADDRESS_CALLS
from integrations.grpc.strangers import Door, let_in
from tests.integrations.grpc.speaking import JOBS, told

POLL = {"worker_id": "w", "queues": ["card"], "max_jobs": 1}
CALL = f"/{JOBS}/PollJobs"


class Ended(Exception):
    pass


class Context:
    """A call from an address, with a token or none."""

    def __init__(self, token: str = "", peer: str = "ipv4:10.0.0.1:555") -> None:
        self.token, self.of = token, peer

    def peer(self):
        return self.of

    def time_remaining(self):
        return None

    def invocation_metadata(self):
        return (("authorization", f"Bearer {self.token}"),) if self.token else ()

    async def abort(self, code, details, metadata=()):
        raise Ended(code)


async def said(*messages: bytes) -> AsyncIterator[bytes]:
    for message in messages:
        yield message


async def nothing() -> AsyncIterator[bytes]:
    await asyncio.Event().wait()
    yield b""


async def called(door: Door, inner, messages: AsyncIterator[bytes], context: Context):
    """What comes of a call whose handler this is."""

    async def continuation(details):
        return grpc.unary_unary_rpc_method_handler(inner)

    details = SimpleNamespace(invocation_metadata=context.invocation_metadata())
    handler = await door.intercept_service(continuation, details)
    if handler.request_streaming:
        return await handler.stream_unary(messages, context)
    # As gRPC does it for who is known.
    return await handler.unary_unary(await anext(messages), context)


async def waiting(call, context, count: int) -> list[asyncio.Task[None]]:
    """So many calls whose messages don't come."""
    tasks = [asyncio.create_task(call(nothing(), context)) for _ in range(count)]
    await asyncio.wait(tasks, timeout=0.05)
    return tasks


def test_a_call_has_its_place_before_its_message_and_until_it_is_answered_well():
    async def good(message, context):
        let_in()
        return message

    async def play():
        call = partial(called, Door(), good)
        stranger = Context("theirs")
        tasks = await waiting(call, stranger, ADDRESS_CALLS - 1)
        assert await call(said(b"one"), Context("ours")) == b"one"
        await waiting(call, stranger, 1)
        with pytest.raises(Ended, match="RESOURCE_EXHAUSTED"):
            await call(said(b"two"), Context("another"))
        # Who is known, who comes from elsewhere, and this process itself.
        assert await call(said(b"two"), Context("ours")) == b"two"
        assert await call(said(b"three"), Context("another", "ipv4:10.0.0.2:555")) == b"three"
        assert await call(said(b"four"), Context("", "unix-abstract:handoff-grpc-1")) == b"four"
        for task in tasks:
            task.cancel()
        await asyncio.wait(tasks)
        assert await call(said(b"five"), Context("new")) == b"five"

    asyncio.run(play())


def test_who_is_refused_is_not_known():
    async def bad(message, context):
        await context.abort(grpc.StatusCode.UNAUTHENTICATED, "")

    async def play():
        call = partial(called, Door(), bad)
        with pytest.raises(Ended, match="UNAUTHENTICATED"):
            await call(said(b""), Context("bad"))
        await waiting(call, Context(), ADDRESS_CALLS)
        with pytest.raises(Ended, match="RESOURCE_EXHAUSTED"):
            await call(said(b""), Context("bad"))

    asyncio.run(play())


def test_a_message_that_does_not_come_is_awaited_for_a_while(monkeypatch):
    monkeypatch.setattr(strangers, "MESSAGE_SECONDS", 0.01)

    async def play():
        call = partial(called, Door(), None)
        with pytest.raises(Ended, match="DEADLINE_EXCEEDED"):
            await call(nothing(), Context())
        with pytest.raises(Ended, match="INVALID_ARGUMENT"):
            await call(said(), Context())

    asyncio.run(play())


def test_a_flood_of_calls_without_a_token_keeps_nobody_out_who_is_known(grpc_site, speak):
    known, strange = speak("admin"), speak(None)
    known.jobs("PollJobs", **POLL)

    async def flood():
        private = [("grpc.use_local_subchannel_pool", 1)]
        channels = [grpc.aio.insecure_channel(grpc_site, options=private) for _ in range(12)]
        calls = [channel.stream_unary(CALL)(nothing()) for channel in channels for _ in range(200)]
        codes = [asyncio.create_task(call.code()) for call in calls]
        pending = set(codes)
        async with asyncio.timeout(30):
            while len(pending) > ADDRESS_CALLS:
                _, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
        with pytest.raises(grpc.RpcError) as caught:
            await asyncio.to_thread(strange.jobs, "PollJobs", **POLL)
        assert told(caught.value) == {
            "status": "RESOURCE_EXHAUSTED",
            "code": "throttled",
            "field": None,
        }
        await asyncio.to_thread(known.jobs, "PollJobs", **POLL)
        for channel in channels:
            await channel.close()

    asyncio.run(flood())

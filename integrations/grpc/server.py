"""The process that answers gRPC (R-152): what it serves, within which bounds, and how it begins and ends."""

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import grpc
from django.conf import settings
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection, reflection_pb2_grpc

from accounts.roles import JOBS_WORK
from integrations.grpc import jobs, runs, services
from integrations.grpc.calls import Call
from integrations.grpc.contract import JOBS, RUNS, methods, pool
from integrations.grpc.job_streams import JobStreams
from integrations.grpc.limits import ANSWER_BYTES, CALLS, CONNECTION_CALLS
from integrations.grpc.meters import Meter
from integrations.grpc.news import News
from integrations.grpc.run_streams import RunStreams
from integrations.grpc.standard import Health, Reflection, StrangersPlaces
from integrations.grpc.strangers import Door
from integrations.grpc.threads import Threads
from integrations.grpc.unary import Answering, Unary, native
from lib import pulse, tracing
from lib.waiting import Attempt
from runs.kernel import live

log = logging.getLogger(__name__)

GRACE_SECONDS: Final = 10.0
_THREADS = 32
_BEAT_SECONDS, _ANSWER_SECONDS = 1.0, 2.0
_METADATA_BYTES = 16 * 1024

Handlers = dict[str, "grpc.RpcMethodHandler[Any, Any]"]


def options() -> list[tuple[str, int]]:
    """Bounds of what clients send; who pings more often than every ten seconds is let go."""
    return [
        ("grpc.max_receive_message_length", settings.HANDOFF_MAX_BODY_BYTES),
        ("grpc.max_send_message_length", ANSWER_BYTES),
        ("grpc.max_concurrent_streams", CONNECTION_CALLS),
        ("grpc.max_metadata_size", _METADATA_BYTES),
        ("grpc.absolute_max_metadata_size", _METADATA_BYTES),
        # A client that vanished without a word gives its jobs back after this.
        ("grpc.keepalive_time_ms", 30_000),
        ("grpc.keepalive_timeout_ms", 10_000),
        ("grpc.http2.min_recv_ping_interval_without_data_ms", 10_000),
        ("grpc.http2.max_ping_strikes", 2),
        # Who finds the port taken says so, and doesn't share it with a stranger.
        ("grpc.so_reuseport", 0),
    ]


class Server:
    """gRPC on a port of a host: `await start()`, `await stop()`."""

    def __init__(self, host: str, port: int, credentials: "grpc.ServerCredentials | None" = None) -> None:
        self._address, self._credentials = (
            f"[{host}]:{port}" if ":" in host else f"{host}:{port}",
            credentials,
        )
        self._threads = Threads(_THREADS, "grpc")
        self._news = News(self._threads)
        self._jobs, self._runs = JobStreams(self._threads, self._news), RunStreams(self._threads, self._news)
        self._offered = services.offered()
        self._services = (JOBS, RUNS, *self._offered)
        self._server = grpc.aio.server(
            interceptors=[Meter(_streams(self._services)), Door()],
            options=options(),
            maximum_concurrent_rpcs=CALLS,
        )
        self._strangers = StrangersPlaces()
        self._health = Health(self._strangers)
        self.port = port

    async def start(self) -> str | None:
        """Bind and serve; gives the address at which this process alone asks itself, where the system has such.

        Raises RuntimeError where the port is taken.
        """
        unary = Unary(self._threads, self._news)
        for service, handlers in (
            (JOBS, dict(self._jobs_of(unary))),
            (RUNS, dict(self._runs_of(unary))),
            *((service, handlers_of(unary)) for service, handlers_of in self._offered.items()),
        ):
            self._server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, handlers),))
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        if settings.HANDOFF_GRPC_REFLECTION:
            names = (*self._services, health.SERVICE_NAME, reflection.SERVICE_NAME)
            servicer = Reflection(names, self._strangers, pool())
            reflection_pb2_grpc.add_ServerReflectionServicer_to_server(servicer, self._server)
        if self._credentials is None:
            self.port = self._server.add_insecure_port(self._address)
        else:
            self.port = self._server.add_secure_port(self._address, self._credentials)
        own = f"unix-abstract:handoff-grpc-{os.getpid()}" if sys.platform == "linux" else None
        if own is not None:
            self._server.add_insecure_port(own)
        await self._server.start()
        for name in ("", *self._services):
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)
        return own

    async def stop(self, seconds: float = GRACE_SECONDS) -> None:
        """Say that it serves no more, end what waits, let what is done be done within these seconds."""
        await self._health.enter_graceful_shutdown()
        self._news.stop()
        self._runs.stop()
        await self._server.stop(seconds)
        await asyncio.to_thread(self._threads.end)

    def _jobs_of(self, unary: Unary) -> Iterator[tuple[str, "grpc.RpcMethodHandler[Any, Any]"]]:
        loop = asyncio.get_running_loop()
        for name, method in methods(JOBS).items():
            if name not in jobs.CALLS:
                yield name, self._jobs.handler()
                continue
            answer = native(method, JOBS_WORK, jobs.CALLS[name])
            if name in jobs.ENDS:
                answer = partial(_then_room, loop, self._jobs, jobs.job_in(method), answer)
            yield name, unary.handler(answer)

    def _runs_of(self, unary: Unary) -> Iterator[tuple[str, "grpc.RpcMethodHandler[Any, Any]"]]:
        for name, method in methods(RUNS).items():
            if name in runs.CALLS:
                yield name, unary.handler(native(method, *runs.CALLS[name]))
            else:
                yield name, self._runs.handler()


def _streams(services: Iterable[str]) -> tuple[str, ...]:
    """The methods of these services that answer by a stream."""
    every = ((service, methods(service)) for service in services)
    return tuple(
        f"{service}/{name}" for service, of in every for name, one in of.items() if one.server_streaming
    )


def _then_room(
    loop: asyncio.AbstractEventLoop,
    streams: JobStreams,
    job_in: jobs.JobIn,
    answer: Answering,
    call: Call,
    raw: bytes,
    attempt: Attempt,
) -> bytes:
    """Answer, and have the stream that handed out the job know that its worker has room for another one."""
    response = answer(call, raw, attempt)
    loop.call_soon_threadsafe(streams.ended, job_in(raw))
    return response


def serve() -> None:
    """Serve as the settings say, until SIGTERM or SIGINT."""
    tracing.start("handoff")
    try:
        asyncio.run(_serve())
    finally:
        live.settle()
        tracing.stop()


async def _serve() -> None:
    server = Server(settings.HANDOFF_GRPC_HOST, settings.HANDOFF_GRPC_PORT, _credentials())
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    try:
        own = await server.start()
    except RuntimeError:
        address = f"{settings.HANDOFF_GRPC_HOST}, port {settings.HANDOFF_GRPC_PORT}"
        sys.exit(
            f"gRPC can't be served at {address}: stop what uses it, or set HANDOFF_GRPC_PORT to another."
        )
    beating = asyncio.create_task(_beat(own))
    await stop.wait()
    beating.cancel()
    stopping = asyncio.create_task(server.stop())
    while not stopping.done():
        pulse.beat()
        await asyncio.wait({stopping}, timeout=_BEAT_SECONDS)
    stopping.result()


async def _beat(own: str | None) -> None:
    """Say that this process makes progress, as long as it answers itself."""
    if own is None:
        while True:
            pulse.beat()
            await asyncio.sleep(_BEAT_SECONDS)
    async with grpc.aio.insecure_channel(own) as channel:
        check = health_pb2_grpc.HealthStub(channel).Check
        while True:
            if await answers(check):
                pulse.beat()
            await asyncio.sleep(_BEAT_SECONDS)


async def answers(check: Callable[..., Awaitable[Any]]) -> bool:
    """Whether the health service gives a sign of life. To have too much to do is one: who fills this process with calls
    must not get it ended.
    """
    try:
        await check(health_pb2.HealthCheckRequest(), timeout=_ANSWER_SECONDS)
        return True
    except grpc.aio.AioRpcError as error:
        log.warning("gRPC does not answer itself: %s", error.details())
        return error.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


def _credentials() -> "grpc.ServerCredentials | None":
    """TLS, where there is a certificate."""
    if not settings.HANDOFF_GRPC_CERT:
        return None
    try:
        pair = (Path(settings.HANDOFF_GRPC_KEY).read_bytes(), Path(settings.HANDOFF_GRPC_CERT).read_bytes())
        return grpc.ssl_server_credentials([pair])
    except OSError as error:
        sys.exit(f"HANDOFF_GRPC_CERT and HANDOFF_GRPC_KEY can't be read: {error}.")

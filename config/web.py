"""A web process: uvicorn on a socket that the supervisor bound, and that several of them may share."""

import asyncio
import logging
import resource
import socket
import sys
import threading
from types import FrameType
from typing import Any, cast

import uvicorn

from config.asgi_types import App
from config.http_protocol import BoundedHttp, BoundedWebSocket
from config.loads import Loads
from lib import pulse

log = logging.getLogger(__name__)

_BACKLOG = 2048
# Without a descriptor for one more connection, those that come wait until others have gone.
_FULL_SECONDS = 1.0
# So long a connection waits at most for a process that has fewer: that one may hang.
_COURTESY_SECONDS = 0.002
# Ticks of uvicorn, which are a tenth of a second.
_TICKS_PER_BEAT = 10

stopping = threading.Event()
"""Set when this process was told to end: who waits for something that may come is answered now."""


def serve(application: App, descriptor: int, loads: Loads | None = None) -> None:
    """Serve on the bound socket `descriptor` until SIGTERM; requests in flight get ten seconds to end.

    Several processes that have the same socket have the same `loads`, too.
    """
    # A connection is a descriptor, and the usual limit of a shell is a thousand.
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    # The loop must not wait 5 ms for a thread that computes to hand over its answer: a tenth of a POST's time.
    sys.setswitchinterval(0.0005)
    config = uvicorn.Config(
        cast(Any, application),  # its own shapes of ASGI are narrower than ours
        lifespan="on",
        http=BoundedHttp,
        ws=BoundedWebSocket,
        # Clients have nothing to say but `ping`, and what they are told is too short to be compressed.
        ws_max_size=1024,
        ws_per_message_deflate=False,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=10,
    )
    listener = socket.socket(fileno=descriptor)
    listener.listen(_BACKLOG)
    listener.setblocking(False)
    _Server(config, listener, loads).run(sockets=[])


class _Server(uvicorn.Server):
    """Takes one connection at a time, and leaves it to others that have fewer: none of them may have all. (An event
    loop's own server takes what waits.) As they share the socket, one that hangs keeps none waiting.

    Says through `lib.pulse` that its event loop goes on.
    """

    def __init__(self, config: uvicorn.Config, listener: socket.socket, loads: Loads | None) -> None:
        super().__init__(config)
        self._listener, self._loads = listener, loads
        self._accepting: set[asyncio.Task[Any]] = set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._listen()

    async def on_tick(self, counter: int) -> bool:
        if counter % _TICKS_PER_BEAT == 0:
            pulse.beat()
        self._note_load()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        asyncio.get_running_loop().remove_reader(self._listener)
        self._listener.close()
        if self._loads is not None:
            self._loads.leave()
        await super().shutdown(sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        stopping.set()
        super().handle_exit(sig, frame)

    def _listen(self) -> None:
        if self._listener.fileno() >= 0:
            asyncio.get_running_loop().add_reader(self._listener, self._offered)

    def _offered(self) -> None:
        """Somebody wants to connect."""
        self._note_load()
        if self._loads is not None and self._loads.has_more_than_another():
            self._pause(_COURTESY_SECONDS)
            asyncio.get_running_loop().call_later(_COURTESY_SECONDS, self._accept)
        else:
            self._accept()

    def _note_load(self) -> None:
        if self._loads is not None:
            self._loads.note(len(self.server_state.connections) + len(self._accepting))

    def _pause(self, seconds: float) -> None:
        loop = asyncio.get_running_loop()
        loop.remove_reader(self._listener)
        loop.call_later(seconds, self._listen)

    def _accept(self) -> None:
        if self._listener.fileno() < 0:
            return
        try:
            connection, _ = self._listener.accept()
        except (BlockingIOError, InterruptedError, ConnectionAbortedError):
            # Another process has it, or its client left.
            return
        except OSError as error:
            log.warning("No connection can be taken for %g s: %s", _FULL_SECONDS, error)
            self._pause(_FULL_SECONDS)
            return
        connection.setblocking(False)
        task = asyncio.get_running_loop().create_task(self._begin(connection))
        self._accepting.add(task)
        task.add_done_callback(self._accepting.discard)

    async def _begin(self, connection: socket.socket) -> None:
        try:
            await asyncio.get_running_loop().connect_accepted_socket(self._protocol, connection)
        except OSError:
            connection.close()

    def _protocol(self) -> asyncio.Protocol:
        return BoundedHttp(config=self.config, server_state=self.server_state, app_state=self.lifespan.state)

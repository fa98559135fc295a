"""The web process: uvicorn on a socket that the supervisor bound."""

import resource
import socket
import sys
import threading
from types import FrameType
from typing import Any, cast

import uvicorn

from config.asgi_types import App
from config.http_protocol import BoundedHttp, BoundedWebSocket

stopping = threading.Event()
"""Set when this process was told to end: who waits for something that may come is answered now."""


def serve(application: App, descriptor: int) -> None:
    """Serve on the bound socket `descriptor` until SIGTERM; requests in flight get ten seconds to end."""
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
    _Server(config).run(sockets=[socket.socket(fileno=descriptor)])


class _Server(uvicorn.Server):
    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        stopping.set()
        super().handle_exit(sig, frame)

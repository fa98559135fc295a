"""The web process: uvicorn on a socket that the supervisor bound."""

import socket
from typing import Any, cast

import uvicorn

from config.asgi_types import App


def serve(application: App, descriptor: int) -> None:
    """Serve on the bound socket `descriptor` until SIGTERM; requests in flight get ten seconds to end."""
    config = uvicorn.Config(
        cast(Any, application),  # its own shapes of ASGI are narrower than ours
        lifespan="on",
        ws="websockets-sansio",
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=10,
    )
    uvicorn.Server(config).run(sockets=[socket.socket(fileno=descriptor)])

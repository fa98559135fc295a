"""The one port: http goes to Django's WSGI app on threads (twice as fast as its ASGI one), websockets to Channels."""

import asyncio
from importlib import import_module

from django.conf import settings

from config import websockets
from config.asgi_types import Receive, Scope, Send
from config.environment import connections_of_web
from config.long_polls import LongPolls
from config.request_body import LimitedBody
from config.threads import OnThreads
from config.wsgi import application as django
from lib import quiet_store, tracing
from lib.load.admission import Admission
from lib.noticeboard import board

# More than connections to the database: a request that waits for its body's end or for its reader needs none.
_THREADS = 32
# Of a process' connections, as each request in work has one.
_ONE_CALLER = 0.8

_admission = Admission(settings.HANDOFF_REQUESTS_PER_MINUTE, settings.HANDOFF_WEB_PROCESSES)
_http = LimitedBody(
    LongPolls(
        OnThreads(
            django,
            _THREADS,
            _admission,
            seconds=settings.HANDOFF_REQUEST_CPU_SECONDS,
            most_of_one=max(1, int(_ONE_CALLER * connections_of_web())),
        )
    ),
    settings.HANDOFF_MAX_BODY_BYTES,
    max_form_bytes=settings.HANDOFF_MAX_FORM_BYTES,
)


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Route one connection by its kind."""
    if scope["type"] == "lifespan":
        await _lifespan(receive, send)
    elif scope["type"] == "websocket":
        await websockets.application(scope, receive, send)
    elif scope["path"] == "/healthz":
        await _healthz(send)
    else:
        await _http(scope, receive, send)


async def _healthz(send: Send) -> None:
    """Answered here, so that busy threads never make a living process look dead."""
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": b"ok\n"})


async def _lifespan(receive: Receive, send: Send) -> None:
    while True:
        message = await receive()
        if message["type"] == "lifespan.startup":
            if reasons := await asyncio.to_thread(_reasons_to_end):
                await send({"type": "lifespan.startup.failed", "message": " ".join(reasons)})
                return
            # Jobs of external workers end here.
            await asyncio.to_thread(tracing.start, "handoff")
            await asyncio.to_thread(quiet_store.begin)
        else:
            await asyncio.to_thread(tracing.stop)
            await asyncio.to_thread(board.settle)
        await send({"type": f"{message['type']}.complete"})
        if message["type"] == "lifespan.shutdown":
            return


def _reasons_to_end() -> list[str]:
    # It needs Django, which is set up by what is imported last above.
    reasons: list[str] = import_module("config.belonging").reasons_to_end()
    return reasons

"""Django's WSGI app behind ASGI: a request is handed to a thread once, and its answer comes back once.

Not a2wsgi, which takes a hop between thread and event loop for each piece of a body and an answer: 5 ms a call, where a
run of three steps is to take less than 20 from end to end.
"""

import asyncio
import io
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from config.asgi_types import Message, Receive, Scope, Send

Environ = dict[str, Any]
WsgiApp = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]

PIECE_BYTES = 256 * 1024


class OnThreads:
    """An ASGI app over a WSGI one; bodies must come in one piece (`LimitedBody`)."""

    def __init__(self, app: WsgiApp, threads: int) -> None:
        self._app = app
        self._threads = ThreadPoolExecutor(threads, "request")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        body = (await receive()).get("body", b"")
        loop = asyncio.get_running_loop()

        def push(message: Message) -> None:
            asyncio.run_coroutine_threadsafe(_sent(send, message), loop).result()

        rest = await loop.run_in_executor(self._threads, _answer, self._app, scope, body, push)
        for message in rest:
            await send(message)


async def _sent(send: Send, message: Message) -> None:
    await send(message)


def _answer(app: WsgiApp, scope: Scope, body: bytes, push: Callable[[Message], None]) -> list[Message]:
    """What is to be sent in the end; of a long answer all but the end was pushed, as fast as its reader reads.

    Opened and closed on one thread: what Django keeps for a request is the thread's.
    """
    head: list[Message] = []

    def start_response(status: str, headers: list[tuple[str, str]], *_: object) -> None:
        pairs = [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]
        head[:] = [{"type": "http.response.start", "status": int(status[:3]), "headers": pairs}]

    chunks = app(_environ(scope, body), start_response)
    piece = bytearray()
    try:
        for chunk in chunks:
            piece += chunk
            if len(piece) >= PIECE_BYTES:
                for message in (*head, _body(piece, more=True)):
                    push(message)
                head.clear()
                piece.clear()
    finally:
        if (close := getattr(chunks, "close", None)) is not None:
            close()
    return [*head, _body(piece, more=False)]


def _body(piece: bytearray, *, more: bool) -> Message:
    return {"type": "http.response.body", "body": bytes(piece), "more_body": more}


def _environ(scope: Scope, body: bytes) -> Environ:
    server, client = scope.get("server") or ("localhost", 80), scope.get("client") or ("", 0)
    environ: Environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": scope.get("root_path", "").encode().decode("latin-1"),
        "PATH_INFO": scope["path"].encode().decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": server[0],
        "SERVER_PORT": str(server[1] or 0),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": client[0],
        "REMOTE_PORT": str(client[1]),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.get("scheme", "http"),
        "wsgi.input": io.BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
        "asgi.scope": scope,
    }
    lines: dict[str, list[str]] = {}
    for raw_name, raw_value in scope.get("headers", ()):
        # `X_Real_Ip` would become the same key as `X-Real-Ip`, which a proxy has checked.
        if b"_" in raw_name:
            continue
        name, value = raw_name.decode("latin-1").upper().replace("-", "_"), raw_value.decode("latin-1")
        key = name if name in ("CONTENT_LENGTH", "CONTENT_TYPE") else f"HTTP_{name}"
        lines.setdefault(key, []).append(value)
    environ.update((key, ",".join(values)) for key, values in lines.items())
    return environ

"""Django's WSGI app behind ASGI: a request is handed to a thread once, and its answer comes back once.

Not a2wsgi, which takes a hop between thread and event loop for each piece of a body and an answer: 5 ms a call, where a
run of three steps is to take less than 20 from end to end.
"""

import asyncio
import io
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

from django.conf import settings
from django.http import parse_cookie

from accounts.token_format import token_in
from config import early_answers
from config.asgi_types import Message, Receive, Scope, Send
from config.places import Places
from lib.client_address import client_address, neighbourhood
from lib.load.admission import Admission, Credentials, Entry, Refused
from lib.load.ceilings import Ceilings, Request
from lib.refusals import TooMuchWork
from lib.waiting import attempt_of

Environ = dict[str, Any]
WsgiApp = Callable[[Environ, Callable[..., Any]], Iterable[bytes]]

PIECE_BYTES = 256 * 1024


PROBES = frozenset({"/readyz", "/metrics"})
"""What an orchestrator or a monitor asks: what others of its network do is no reason to end a healthy process.
`/healthz` is answered before a request gets here.
"""


COMPUTING = ("/validate", "/evaluate")
"""Routes that do nothing but compute what somebody has just written."""


class Unfinished(Exception):
    """An answer was ended after its beginning was sent."""


class OnThreads:
    """An ASGI app over a WSGI one; bodies must come in one piece (`LimitedBody`).

    `admission` may refuse a request; one that has computed for `seconds` is ended. Of one caller `most_of_one` are done
    at once, so that others find a thread, and a connection to the database; of those who compute much, few.
    """

    def __init__(
        self, app: WsgiApp, threads: int, admission: Admission, *, seconds: float, most_of_one: int
    ) -> None:
        self._app, self._admission, self._seconds = app, admission, seconds
        self._places = Places(most_of_one)
        self._threads = ThreadPoolExecutor(threads, "request")
        self._ceilings = Ceilings(admission.charge)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        body = (await receive()).get("body", b"")
        loop = asyncio.get_running_loop()
        is_first = attempt_of({"asgi.scope": scope}).is_first
        credentials, network, path = _credentials(scope), _network(scope), scope["path"]
        if path in PROBES:
            entry: Entry | Refused = self._admission.enter_probe(network)
        else:
            is_counted = not path.startswith(settings.STATIC_URL)
            entry = self._admission.enter(credentials, network, is_first=is_first, is_counted=is_counted)
        if isinstance(entry, Refused):
            for message in _throttled(scope, entry):
                await send(message)
            return
        request = Request(f"{scope['method']} {scope['path']}", self._seconds, entry.names)
        has_begun = False

        def push(message: Message) -> None:
            nonlocal has_begun
            has_begun = True
            # Who reads slowly keeps nobody waiting.
            self._admission.leave(entry, request.names)
            loop.call_soon_threadsafe(let_go)
            asyncio.run_coroutine_threadsafe(_sent(send, message), loop).result()

        def answer() -> list[Message]:
            try:
                return self._ceilings.run(partial(_answer, self._app, scope, body, push), request)
            except TooMuchWork as refusal:
                if has_begun:
                    # The server closes the connection, so that nobody takes the answer for whole.
                    raise Unfinished(request.what) from None
                return _too_much(scope, refusal)

        try:
            name = entry.names[0]
            is_heavy, computes = partial(self._admission.is_heavy, name), path.endswith(COMPUTING)
            async with self._places.place(name, is_heavy, computes=computes) as let_go:
                rest = await loop.run_in_executor(self._threads, answer)
        finally:
            self._admission.leave(entry, request.names)
        for message in rest:
            await send(message)


def _throttled(scope: Scope, refused: Refused) -> list[Message]:
    return early_answers.error(scope, 429, "throttled", refused.message, retry_after=refused.retry_after)


def _too_much(scope: Scope, refusal: TooMuchWork) -> list[Message]:
    """The answer to a request that has computed for too long."""
    return early_answers.error(scope, 400, refusal.code, refusal.message, details=refusal.details)


def _credentials(scope: Scope) -> Credentials:
    """What the caller shows of who it is, read as those read it who let it in."""
    session = parse_cookie(_values(scope, b"cookie")).get(settings.SESSION_COOKIE_NAME, "")
    return Credentials(token_in(_values(scope, b"authorization")), session)


def _network(scope: Scope) -> str:
    remote, *_ = scope.get("client") or ("",)
    forwarded = _values(scope, b"x-forwarded-for")
    return neighbourhood(client_address(remote, forwarded, settings.HANDOFF_TRUSTED_PROXIES))


def _values(scope: Scope, key: bytes) -> str:
    """All lines of a header as one, as Django reads them."""
    return ",".join(
        value.decode("latin-1") for name, value in scope.get("headers", ()) if name.lower() == key
    )


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

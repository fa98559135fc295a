"""A hard cap on request bodies in front of Django (docs/security.md, "Hardening": Django's own was once bypassed)."""

import asyncio
import re
from contextlib import suppress

from config import early_answers
from config.asgi_types import App, Message, Receive, Scope, Send
from config.early_answers import header
from lib.api import PREFIXES

# A sender of too much is heard out up to here, so that it reads the answer and not a broken pipe.
_PATIENCE_BYTES = 32 * 1024 * 1024
_SECONDS = 60.0
_ON_A_PAGE = {408: "This took too long to arrive.", 413: "This is too large to be sent at once."}
# A file may be larger than JSON; the view says by how much (`max_body_bytes`).
_FILES = re.compile(r"/api/v1/(?:tasks/[^/]+/)?files")
_API = (*PREFIXES, "/hooks/")


class LimitedBody:
    """Reads a body whole, at most `max_bytes` (for forms of pages `max_form_bytes`) in at most `seconds`, before a
    thread of `app` is taken for it.
    """

    def __init__(
        self, app: App, max_bytes: int, seconds: float = _SECONDS, *, max_form_bytes: int | None = None
    ) -> None:
        self._app, self._seconds = app, seconds
        self._max_bytes, self._max_form_bytes = max_bytes, max_form_bytes or max_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its body, or answer 413 (too large) or 408 (too slow)."""
        path = scope.get("path", "")
        is_api = path.startswith(_API) and not _FILES.fullmatch(path)
        most = self._max_bytes if is_api else self._max_form_bytes
        if _declared_length(scope) > most:
            await self._refuse_at_once(scope, receive, send, most)
            return
        try:
            async with asyncio.timeout(self._seconds):
                body = await _read(receive, most)
        except TimeoutError:
            message = f"The body did not arrive within {self._seconds:g} s."
            await _refuse(scope, send, 408, "body_too_slow", message)
            return
        if body is None:
            return
        if len(body) > most:
            await _refuse(scope, send, 413, "too_large", _too_large(most))
            return
        await self._app(_with_length(scope, len(body)), _replay(body, receive), send)

    async def _refuse_at_once(self, scope: Scope, receive: Receive, send: Send, most: int) -> None:
        """Answer before the body comes; who sends it nevertheless is heard out, after the answer, unless it waits."""
        await _refuse(scope, send, 413, "too_large", _too_large(most), more=True)
        if not header(scope, b"expect"):
            with suppress(TimeoutError):
                async with asyncio.timeout(self._seconds):
                    await _read(receive, most)
        await send({"type": "http.response.body", "body": b""})


async def _read(receive: Receive, most: int) -> bytes | None:
    """The body; None when the client left. Of one that is larger than `most` only the first bytes are kept."""
    content, size = bytearray(), 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        chunk = message.get("body", b"")
        size += len(chunk)
        if len(content) <= most:
            content += chunk
        if not message.get("more_body", False) or size > _PATIENCE_BYTES:
            return bytes(content)


def _too_large(most: int) -> str:
    return f"A body has at most {most} bytes."


def _declared_length(scope: Scope) -> int:
    length = header(scope, b"content-length")
    return int(length) if length.isdigit() and len(length) < 20 else 0


def _with_length(scope: Scope, length: int) -> Scope:
    """The scope of a request whose body is all there: without its length WSGI would take a chunked one for empty."""
    others = [
        (name, value)
        for name, value in scope.get("headers", ())
        if name.lower() not in (b"content-length", b"transfer-encoding")
    ]
    return {**scope, "headers": [*others, (b"content-length", str(length).encode())]}


def _replay(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives the body in one piece and then what really comes."""
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay


async def _refuse(
    scope: Scope, send: Send, status: int, code: str, message: str, *, more: bool = False
) -> None:
    """Answer with an error; with `more` the end of the answer is still to be sent."""
    text = _ON_A_PAGE[status]
    for part in early_answers.error(scope, status, code, message, on_a_page=text, closes=True, more=more):
        await send(part)

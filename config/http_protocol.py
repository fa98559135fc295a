"""HTTP/1.1 and websockets as uvicorn speaks them, but no request is more work than a small one in the event loop.

What is too much is refused while it arrives: by then a parser without bounds would have kept all of it. Who never
ends a request, or never reads an answer, is not waited for: connections are few.
"""

import asyncio
from typing import NoReturn

import httptools
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol
from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

from config.early_answers import error_body
from config.limits import (
    BODY_PIECES,
    FRAME_BYTES,
    HEAD_BYTES,
    HEADER_LINE_BYTES,
    HEADER_LINES,
    PIPELINED_REQUESTS,
    TARGET_BYTES,
)

HEAD_SECONDS = 20.0
"""From the connection, or the first byte of a further request, to the end of its head."""
STALL_SECONDS = 30.0
"""Without a byte of the answer being read. How long a body may take is `request_body`'s."""
LOOK_SECONDS = 5.0

# Who sends too much is heard out for a while, so that it reads the answer and not a broken pipe.
_PATIENCE_BYTES = 32 * 1024 * 1024
_PATIENCE_SECONDS = 5.0

_HEADERS_TOO_LARGE = (
    431,
    "headers_too_large",
    f"A request has at most {HEADER_LINES} header lines of {HEADER_LINE_BYTES} bytes, {HEAD_BYTES} in all.",
)
_TARGET_TOO_LONG = (414, "target_too_long", f"The path and query have at most {TARGET_BYTES} bytes.")
_TOO_MANY_PIECES = (413, "too_many_pieces", f"A body comes in at most {BODY_PIECES} pieces.")
_NO_TUNNELS = (405, "method_not_allowed", "This server is not a proxy.")
_PIPELINE_FULL = (503, "pipeline_full", f"At most {PIPELINED_REQUESTS} requests wait on a connection.")
_TOO_SLOW = (408, "head_too_slow", f"The head of a request must arrive within {HEAD_SECONDS:g} s.")
_ONE_HOST = (400, "invalid_request", "A request has exactly one Host header.")
_INVALID = (400, "invalid_request", "This is not an HTTP request.")

_OFFER = (b"upgrade", b"http2-settings")


class BoundedHttp(HttpToolsProtocol):
    """One connection. It ends with the first request that is refused here."""

    _phase = "between"
    _lines = _bytes = _pieces = _silent = 0
    _moved = False
    _offer = False
    _refusal = _INVALID
    _patience: int | None = None
    # Since when a head is awaited, None while none is; what of the answer is unread, and since when.
    _waits_since: float | None = None
    _unread, _unread_since = 0, 0.0
    _watch: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client is there: it has the word."""
        super().connection_made(transport)
        self._waits_since = self.loop.time()
        self._look_later()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        self._look_no_more()
        super().connection_lost(exc)

    def handle_websocket_upgrade(self) -> None:
        """The connection is another protocol's from here."""
        self._look_no_more()
        super().handle_websocket_upgrade()

    def _look_later(self) -> None:
        self._watch = self.loop.call_later(LOOK_SECONDS, self._look)

    def _look_no_more(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None

    def _look(self) -> None:
        """End the connection of a client that holds it and does nothing."""
        self._look_later()
        now = self.loop.time()
        unread = self.transport.get_write_buffer_size()
        if not unread or unread != self._unread:
            self._unread, self._unread_since = unread, now
        elif now - self._unread_since > STALL_SECONDS:
            self.transport.abort()
        if self._waits_since is None or now - self._waits_since <= HEAD_SECONDS or self._patience is not None:
            return
        if self._phase == "between":
            # Browsers open connections on suspicion.
            self.transport.close()
        else:
            self._refusal = _TOO_SLOW
            self._refuse()

    def data_received(self, data: bytes) -> None:
        """Take what has arrived; nothing more once a request was refused."""
        if self._patience is not None:
            self._hear_out(len(data))
            return
        self._unset_keepalive_if_required()
        self._moved = False
        try:
            self._feed(data)
        except httptools.HttpParserError:
            self._refuse()
            return
        self._silent = 0 if self._moved else self._silent + len(data)
        if self._waits_since is None and not self._moved:
            self._waits_since = self.loop.time()
        if self._silent > HEAD_BYTES:
            self._refusal = _HEADERS_TOO_LARGE
            self._refuse()

    def _feed(self, data: bytes) -> None:
        while data:
            try:
                self.parser.feed_data(data)
            except httptools.HttpParserUpgrade as upgrade:
                if not self._offer:
                    self.handle_websocket_upgrade()
                    return
                data = self._without_offer() + data[upgrade.args[0] :]
            else:
                return

    def _without_offer(self) -> bytes:
        """The head again for a new parser: the old one takes what follows an offer for another protocol's, the body
        too. A server may ignore an offer (RFC 9110 7.8).
        """
        request = b"%s %s HTTP/%s" % (
            self.parser.get_method(),
            self.url,
            self.parser.get_http_version().encode(),
        )
        lines = [request]
        for name, value in self.headers:
            if name == b"connection":
                tokens = [token.strip() for token in value.split(b",")]
                value = b", ".join(token for token in tokens if token.lower() not in _OFFER)
            if name not in _OFFER and (value or name != b"connection"):
                lines.append(b"%s: %s" % (name, value))
        self.parser = httptools.HttpRequestParser(self)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)
        self._offer = False
        return b"\r\n".join(lines) + b"\r\n\r\n"

    # Called by the parser, per request in this order.

    def on_message_begin(self) -> None:
        """A request begins."""
        self._phase = "head"
        self._moved = True
        self._waits_since = self.loop.time()
        self._lines = self._bytes = self._pieces = 0
        super().on_message_begin()

    def on_url(self, url: bytes) -> None:
        """A piece of the request's target."""
        self.url += url
        if len(self.url) > TARGET_BYTES:
            self._give_up(_TARGET_TOO_LONG)

    def on_header(self, name: bytes, value: bytes) -> None:
        """A header line, or a trailer after a body in chunks."""
        size = len(name) + len(value)
        self._lines += 1
        self._bytes += size
        if self._lines > HEADER_LINES or size > HEADER_LINE_BYTES or self._bytes > HEAD_BYTES:
            self._give_up(_HEADERS_TOO_LARGE)
        # Kept, a trailer would pass for a header that no proxy has checked.
        if self._phase == "head":
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        """The head is complete: a task begins to answer, unless this is the offer of another protocol."""
        self._moved = True
        if self.parser.get_method() == b"CONNECT":
            self._give_up(_NO_TUNNELS)
        if self.parser.get_http_version() == "1.1" and sum(name == b"host" for name, _ in self.headers) != 1:
            # RFC 9112 3.2: whoever is in front of us may have believed another of them.
            self._give_up(_ONE_HOST)
        if len(self.pipeline) >= PIPELINED_REQUESTS:
            self._give_up(_PIPELINE_FULL)
        self._offer = self.parser.should_upgrade() and not self._should_upgrade()
        if not self._offer:
            super().on_headers_complete()
            self._phase = "body"
            self._waits_since = None

    def on_body(self, body: bytes) -> None:
        """A piece of the body. Called for each byte of one in chunks of a byte."""
        self._moved = True
        self._pieces += 1
        if self._pieces > BODY_PIECES:
            self._give_up(_TOO_MANY_PIECES)
        cycle = self.cycle
        if not cycle.response_complete:
            cycle.body += body
            if len(cycle.body) > HIGH_WATER_LIMIT:
                self.flow.pause_reading()
            cycle.message_event.set()

    def on_message_complete(self) -> None:
        """The request is complete."""
        self._moved = True
        if not self._offer:
            super().on_message_complete()
            self._phase = "between"

    def _should_upgrade(self) -> bool:
        return self.parser.get_method() == b"GET" and super()._should_upgrade()

    def _give_up(self, refusal: tuple[int, str, str]) -> NoReturn:
        """End the parser's work from inside of it."""
        self._refusal = refusal
        raise ValueError(refusal[1])

    def _refuse(self) -> None:
        """Answer what could not be read, in its turn, and hear no more of this connection."""
        self._patience = _PATIENCE_BYTES
        self.flow.resume_reading()
        cycle = self.cycle
        if cycle is not None and not cycle.response_complete:
            if self._phase != "body":
                # The requests before it are answered; its sender sees the connection end.
                cycle.keep_alive = False
                return
            cycle.disconnected = True
            cycle.message_event.set()
            if cycle.response_started or self.pipeline:
                self.transport.close()
                return
        self.transport.write(_answer(*self._refusal))
        self.loop.call_later(_PATIENCE_SECONDS, self.transport.close)

    def _hear_out(self, size: int) -> None:
        self._patience = (self._patience or 0) - size
        if self._patience < 0:
            self.transport.close()


def _answer(status: int, code: str, message: str) -> bytes:
    body = error_body(code, message)
    head = b"content-type: application/json\r\ncontent-length: %d\r\nconnection: close\r\n\r\n" % len(body)
    return STATUS_LINE[status] + head + body


class BoundedWebSocket(WebSocketsSansIOProtocol):
    """One websocket. Its client says `ping` now and then: who sends thousands of frames at once isn't ours."""

    def data_received(self, data: bytes) -> None:
        """Take what has arrived; the head comes first, and at once."""
        if self.handshake_initiated and len(data) > FRAME_BYTES:
            self.transport.close()
        else:
            super().data_received(data)

"""Real servers on loopback that answer as a test says, and remember what they were asked."""

import contextlib
import gzip
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Answer = bytes | Callable[["Asked", socket.socket, threading.Event], None]


@dataclass
class Asked:
    """One request as it came over the wire."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Server:
    """`answers` are given in turn, the last one again and again."""

    port: int
    answers: list[Answer]
    asked: list[Asked] = field(default_factory=list)
    closing: threading.Event = field(default_factory=threading.Event)

    def url(self, path="/", host="127.0.0.1", scheme="http"):
        return f"{scheme}://{host}:{self.port}{path}"


def http(body=b"", status="200 OK", **headers):
    """A whole answer; `content_type="x"` becomes Content-Type."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def zipped(body):
    return http(gzip.compress(body), content_encoding="gzip")


@contextlib.contextmanager
def answering(*answers, address="127.0.0.1", tls: ssl.SSLContext | None = None) -> Iterator[Server]:
    """A server that lives as long as the block."""
    listener = socket.create_server(
        (address, 0), family=socket.AF_INET6 if ":" in address else socket.AF_INET
    )
    server = Server(listener.getsockname()[1], list(answers))
    talks: list[threading.Thread] = []

    def accept():
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            talks.append(threading.Thread(target=_talk, args=(server, connection, tls)))
            talks[-1].start()

    accepting = threading.Thread(target=accept)
    accepting.start()
    try:
        yield server
    finally:
        server.closing.set()
        with contextlib.suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        for thread in (accepting, *talks):
            thread.join(10)


def dripping(start, drop=b"x", seconds=0.05):
    """An answer that begins with `start` and never ends."""

    def answer(asked, connection, closing):
        connection.sendall(start)
        while not closing.wait(seconds):
            connection.sendall(drop)

    return answer


def silent(asked, connection, closing):
    """Never says anything."""
    closing.wait(10)


def hanging_up(asked, connection, closing):
    """Ends the connection without an answer."""


def _talk(server, connection, tls):
    connection.settimeout(10)
    # ValueError: what came in is no HTTP.
    with contextlib.suppress(OSError, ValueError), connection:
        if tls is not None:
            connection = tls.wrap_socket(connection, server_side=True)
        with connection:
            asked = _read(connection)
            if asked is None:
                return
            server.asked.append(asked)
            answer = server.answers[min(len(server.asked), len(server.answers)) - 1]
            if isinstance(answer, bytes):
                connection.sendall(answer)
            else:
                answer(asked, connection, server.closing)


def _read(connection):
    with connection.makefile("rb") as stream:
        first = stream.readline().decode().split()
        if not first:
            return None
        if len(first) != 3:
            raise ValueError(first)
        headers = {}
        while (line := stream.readline().strip()) != b"":
            name, _, value = line.decode().partition(":")
            headers[name.lower()] = value.strip()
        body = stream.read(int(headers.get("content-length", 0)))
    return Asked(first[0], first[1], headers, body)


class _ManyAtOnce(ThreadingHTTPServer):
    request_queue_size = 256


@contextlib.contextmanager
def handled_by(handler: type[BaseHTTPRequestHandler]) -> Iterator[int]:
    """The port of a server whose requests `handler` answers, each in a thread of its own."""
    with _ManyAtOnce(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield server.server_address[1]
        finally:
            # Of a closed socket that is still served a thread asks again and again, as fast as it can.
            server.shutdown()

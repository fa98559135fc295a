"""Clients that hold a connection and do nothing: served by uvicorn in a thread, with less patience than users get."""

import socket
import threading
from contextlib import closing

import pytest
import uvicorn

from config import http_protocol
from config.embedded.processes import wait_until
from config.http_protocol import BoundedHttp, BoundedWebSocket

pytestmark = pytest.mark.processes

LARGE = 16 * 1024 * 1024
HEAD = b"POST / HTTP/1.1\r\nHost: localhost\r\n"


class Application:
    """Reads the whole body, answers with its size, or with much where the path says so."""

    def __init__(self):
        self.left = threading.Semaphore(0)

    async def __call__(self, scope, receive, send):
        size, more = 0, True
        try:
            while more:
                message = await receive()
                if message["type"] == "http.disconnect":
                    return
                size, more = size + len(message["body"]), message["more_body"]
            body = b"x" * LARGE if scope["path"] == "/much" else b"%d" % size
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": body, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
        finally:
            self.left.release()


@pytest.fixture
def application(monkeypatch):
    monkeypatch.setattr(http_protocol, "HEAD_SECONDS", 0.5)
    monkeypatch.setattr(http_protocol, "STALL_SECONDS", 0.5)
    monkeypatch.setattr(http_protocol, "LOOK_SECONDS", 0.05)
    monkeypatch.setattr(http_protocol, "_PATIENCE_SECONDS", 0.5)
    return Application()


@pytest.fixture
def address(application):
    listener = socket.create_server(("127.0.0.1", 0))
    config = uvicorn.Config(
        application, lifespan="off", http=BoundedHttp, ws=BoundedWebSocket, log_config=None
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    wait_until(lambda: server.started, 10, "uvicorn")
    yield listener.getsockname()
    server.should_exit = True
    thread.join(20)


def said(connection: socket.socket) -> bytes:
    """Everything until the connection ends."""
    connection.settimeout(20)
    found = b""
    while piece := connection.recv(65536):
        found += piece
    return found


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"", b""),
        (b"\r\n", b""),
        (HEAD, b"408 Request Timeout"),
    ],
)
def test_who_never_ends_a_request_is_not_waited_for(address, sent, status):
    with closing(socket.create_connection(address)) as connection:
        connection.sendall(sent)
        assert said(connection).split(b"\r\n")[0].partition(b" ")[2] == status


def test_a_request_behind_another_is_not_waited_for_either(address):
    with closing(socket.create_connection(address)) as connection:
        connection.sendall(HEAD + b"Content-Length: 2\r\n\r\nok" + HEAD)
        assert [line for line in said(connection).split(b"\r\n") if line.startswith(b"HTTP")] == [
            b"HTTP/1.1 200 OK",
            b"HTTP/1.1 408 Request Timeout",
        ]


def test_who_never_reads_an_answer_is_not_waited_for(address, application):
    with closing(socket.socket()) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect(address)
        connection.sendall(b"GET /much HTTP/1.1\r\nHost: localhost\r\n\r\n")
        assert application.left.acquire(timeout=20)
        assert len(said(connection)) < LARGE


def test_a_body_is_left_to_who_reads_it(address):
    """`LimitedBody` knows how long it may take."""
    with closing(socket.create_connection(address)) as connection:
        connection.sendall(HEAD + b"Content-Length: 2\r\nConnection: close\r\n\r\no")
        threading.Event().wait(1.5)
        connection.sendall(b"k")
        assert said(connection).startswith(b"HTTP/1.1 200 ")

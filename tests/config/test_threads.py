"""Django on threads behind ASGI: what it is asked, and how its answer comes back."""

import asyncio
import threading

import pytest

from config.threads import PIECE_BYTES, OnThreads

SCOPE = {
    "type": "http",
    "http_version": "1.1",
    "method": "POST",
    "scheme": "http",
    "path": "/büro/a b",
    "query_string": b"q=1&r=%20",
    "headers": [
        (b"host", b"localhost:8000"),
        (b"content-type", b"application/json"),
        (b"content-length", b"4"),
        (b"accept", b"text/html"),
        (b"accept", b"application/json"),
        (b"x-request-id", b"abc"),
        (b"x_request_id", b"smuggled"),
    ],
    "server": ("127.0.0.1", 8000),
    "client": ("10.0.0.1", 4711),
}


class App:
    """A WSGI app that keeps what it saw."""

    def __init__(self, *chunks, status="200 OK", fails=False):
        self.chunks, self.status, self.fails = chunks, status, fails
        self.environ, self.body, self.threads = {}, b"", []

    def __call__(self, environ, start_response):
        self.environ, self.body = environ, environ["wsgi.input"].read()
        start_response(
            self.status, [("Content-Type", "text/plain"), ("Set-Cookie", "a=1"), ("Set-Cookie", "b=2")]
        )
        return self

    def __iter__(self):
        self.threads.append(threading.current_thread())
        yield from self.chunks
        if self.fails:
            raise RuntimeError("half way")

    def close(self):
        self.threads.append(threading.current_thread())


def answer_of(app, **changes):
    sent = []

    async def receive():
        return {"type": "http.request", "body": b"body", "more_body": False}

    async def send(message):
        sent.append(message)

    asyncio.run(OnThreads(app, 2)({**SCOPE, **changes}, receive, send))
    return sent


def test_the_app_sees_the_request_as_it_came():
    app = App(b"")
    answer_of(app)
    seen = {key: app.environ[key] for key in ("REQUEST_METHOD", "QUERY_STRING", "REMOTE_ADDR", "SERVER_PORT")}
    assert seen == {
        "REQUEST_METHOD": "POST",
        "QUERY_STRING": "q=1&r=%20",
        "REMOTE_ADDR": "10.0.0.1",
        "SERVER_PORT": "8000",
    }
    assert app.environ["PATH_INFO"].encode("latin-1").decode() == "/büro/a b"
    assert (app.environ["CONTENT_LENGTH"], app.environ["CONTENT_TYPE"]) == ("4", "application/json")
    assert app.environ["HTTP_ACCEPT"] == "text/html,application/json"
    assert app.body == b"body"


def test_a_header_with_an_underscore_never_passes_for_the_one_with_a_hyphen():
    app = App(b"")
    answer_of(app)
    assert app.environ["HTTP_X_REQUEST_ID"] == "abc"


def test_an_answer_comes_back_as_two_messages_with_every_header():
    start, body = answer_of(App(b"one ", b"two", status="201 Created"))
    assert start["status"] == 201
    assert start["headers"] == [
        (b"content-type", b"text/plain"),
        (b"set-cookie", b"a=1"),
        (b"set-cookie", b"b=2"),
    ]
    assert body == {"type": "http.response.body", "body": b"one two", "more_body": False}


def test_a_long_answer_comes_in_pieces_and_is_opened_and_closed_on_one_thread():
    """What Django keeps for a request, its database connection above all, is the thread's."""
    app = App(*[b"x" * (PIECE_BYTES // 2)] * 5)
    start, *bodies = answer_of(app)
    assert start["type"] == "http.response.start"
    assert [message["more_body"] for message in bodies] == [True, True, False]
    assert sum(len(message["body"]) for message in bodies) == PIECE_BYTES // 2 * 5
    assert len(app.threads) == 2
    assert app.threads[0] is app.threads[1] is not threading.current_thread()


def test_an_app_that_fails_half_way_is_closed_and_the_failure_is_the_server_s():
    app = App(b"one", fails=True)
    with pytest.raises(RuntimeError, match="half way"):
        answer_of(app)
    assert len(app.threads) == 2


def test_a_client_that_left_ends_a_long_answer_and_the_app_is_closed():
    app = App(*[b"x" * PIECE_BYTES] * 3)

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        raise OSError("gone")

    with pytest.raises(OSError, match="gone"):
        asyncio.run(OnThreads(app, 1)({**SCOPE}, receive, send))
    assert len(app.threads) == 2

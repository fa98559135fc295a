"""Django on threads behind ASGI: what it is asked, and how its answer comes back."""

import asyncio
import threading
import time
from ipaddress import ip_network

import pytest
from django.conf import settings
from django.db import connection, transaction

from config.threads import PIECE_BYTES, OnThreads, Unfinished
from lib.load.admission import Admission, name_caller
from tests.api.authorisation_matrix import MATRIX, PUBLIC

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


def on_threads(app, threads, seconds=10, most_of_one=8, **rates):
    return OnThreads(app, threads, Admission(rates), seconds=seconds, most_of_one=most_of_one)


def answer_of(app, **changes):
    sent = []

    async def receive():
        return {"type": "http.request", "body": b"body", "more_body": False}

    async def send(message):
        sent.append(message)

    asyncio.run(on_threads(app, 2)({**SCOPE, **changes}, receive, send))
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
        asyncio.run(on_threads(app, 1)({**SCOPE}, receive, send))
    assert len(app.threads) == 2


def compute(seconds):
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass


async def asked(door, sent, **changes):
    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)

    await door({**SCOPE, **changes}, receive, send)


@pytest.mark.slow
@pytest.mark.parametrize("accepts", ["application/json", "text/html"])
def test_a_request_that_computes_for_too_long_is_answered_and_others_go_on(accepts):
    def app(environ, start_response):
        compute(20 if environ["PATH_INFO"] == "/long" else 0)
        start_response("200 OK", [])
        return [b"done"]

    door, sent, other = on_threads(app, 1, seconds=0.2), [], []
    headers = [(b"accept", accepts.encode())]
    asyncio.run(asked(door, sent, path="/long", headers=headers))
    assert sent[0]["status"] == 400
    assert b"0.2 s of computing" in sent[1]["body"]
    assert (b"too_much_work" in sent[1]["body"]) == (accepts == "application/json")
    asyncio.run(asked(door, other))
    assert other[1]["body"] == b"done"


@pytest.mark.slow
def test_an_answer_that_has_begun_is_cut_off_rather_than_passed_for_whole():
    def app(environ, start_response):
        start_response("200 OK", [])
        yield b"x" * PIECE_BYTES
        compute(20)
        yield b"end"

    sent = []
    with pytest.raises(Unfinished):
        asyncio.run(asked(on_threads(app, 1, seconds=0.2), sent))
    assert [message["more_body"] for message in sent[1:]] == [True]


@pytest.mark.slow
@pytest.mark.django_db
def test_a_connection_in_the_middle_of_something_is_not_used_again():
    def app(environ, start_response):
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT pg_backend_pid(), txid_current()")
            pid = str(cursor.fetchone()[0]).encode()
            compute(20 if environ["PATH_INFO"] == "/long" else 0)
        connection.close()
        start_response("200 OK", [])
        return [pid]

    door, sent, other, again = on_threads(app, 1, seconds=0.2), [], [], []
    asyncio.run(asked(door, sent, path="/long"))
    asyncio.run(asked(door, other))
    asyncio.run(asked(door, again))
    assert (sent[0]["status"], other[0]["status"], again[0]["status"]) == (400, 200, 200)


def test_who_asks_too_often_is_told_when_to_come_again():
    door, answers = on_threads(App(b"one"), 1, network=60), []
    for _ in range(11):
        sent = []
        asyncio.run(asked(door, sent))
        answers.append(sent[0])
    assert [answer["status"] for answer in answers] == [200] * 10 + [429]
    assert (b"retry-after", b"1") in answers[-1]["headers"]


def test_what_asks_about_this_process_is_let_in_whatever_its_network_has_asked():
    """An orchestrator behind the address of busy callers would end a healthy process."""
    door = on_threads(App(b"one"), 1, network=60)
    public = {route.path for route in MATRIX.values() if PUBLIC in route.methods.values()} - {"/healthz"}
    static = settings.STATIC_URL + "css/base.css"
    used_up = statuses(door, *[{"path": static}] * 30, *[{"path": "/login"}] * 11)
    assert used_up == [200] * 40 + [429]
    answers = {path: statuses(door, {"path": path})[0] for path in sorted(public)}
    assert {path for path, status in answers.items() if status == 200} == {"/readyz", "/metrics"}
    assert set(answers.values()) == {200, 429}
    assert statuses(door, {"path": static}) == [200]


def test_one_caller_leaves_places_for_others():
    lock, inside, most = threading.Lock(), [], []

    def app(environ, start_response):
        with lock:
            inside.append(environ["REMOTE_ADDR"])
            most.append(inside.count("10.0.0.1"))
        threading.Event().wait(0.02)
        with lock:
            inside.remove(environ["REMOTE_ADDR"])
        start_response("200 OK", [])
        return [b""]

    async def all_at_once():
        door = on_threads(app, 8, most_of_one=3)
        many = [asked(door, []) for _ in range(20)]
        await asyncio.gather(*many, asked(door, [], client=("10.0.0.2", 1)))

    asyncio.run(all_at_once())
    assert max(most) == 3
    assert inside == []


def statuses(door, *many):
    found = []
    for changes in many:
        sent = []
        asyncio.run(asked(door, sent, **changes))
        found.append(sent[0]["status"])
    return found


def test_a_client_behind_a_proxy_that_adds_a_line_does_not_choose_its_network(settings):
    settings.HANDOFF_TRUSTED_PROXIES = [ip_network("10.0.0.0/8")]
    many = [
        {"headers": [(b"x-forwarded-for", b"198.51.100.%d" % one), (b"x-forwarded-for", b"203.0.113.9")]}
        for one in range(11)
    ]
    assert statuses(on_threads(App(b"one"), 1, network=60), *many) == [200] * 10 + [429]


@pytest.mark.parametrize(
    "other",
    [
        lambda one: [(b"authorization", b"Basic %d" % one)],
        lambda one: [(b"cookie", b"x%s=%d; " % (settings.SESSION_COOKIE_NAME.encode(), one))],
    ],
    ids=["an Authorization", "a cookie whose name ends so"],
)
def test_nobody_becomes_a_stranger_by_something_else_that_is_shown(other):
    def app(environ, start_response):
        name_caller(None, 7)
        start_response("200 OK", [])
        return [b""]

    own = settings.SESSION_COOKIE_NAME.encode() + b"=abc"
    many = []
    for one in range(12):
        (name, value) = other(one)[0]
        headers = [(name, value + own)] if name == b"cookie" else [(name, value), (b"cookie", own)]
        many.append({"headers": headers})
    assert statuses(on_threads(app, 1, person=60), *many) == [200] * 11 + [429]


@pytest.mark.slow
def test_who_asks_much_at_once_is_known_to_compute_much_when_its_turn_comes():
    """Before it has computed anything all of its requests are there already."""
    lock, inside, most, are_done = threading.Lock(), [], [], threading.Event()

    def app(environ, start_response):
        address = environ["REMOTE_ADDR"]
        with lock:
            inside.append(address)
            most.append(inside.count("10.0.0.1"))
        if address == "10.0.0.1":
            compute(0.1)
        else:
            are_done.wait(60)
        with lock:
            inside.remove(address)
        start_response("200 OK", [])
        return [b""]

    async def all_at_once():
        door = on_threads(app, 16)
        light = asyncio.create_task(asked(door, [], client=("10.0.0.2", 1)))
        await asyncio.gather(*[asked(door, []) for _ in range(40)])
        are_done.set()
        await light

    asyncio.run(all_at_once())
    assert max(most[:12]) == 8
    assert max(most[-10:]) <= 4


def test_one_caller_that_reads_slowly_leaves_threads_for_others():
    async def all_at_once():
        door, reads, sent = on_threads(App(*[b"x" * PIECE_BYTES] * 2), 4, most_of_one=3), asyncio.Event(), []

        async def receive():
            return {"type": "http.request", "body": b"", "more_body": False}

        async def send(message):
            await reads.wait()

        slow = [asyncio.create_task(door({**SCOPE}, receive, send)) for _ in range(6)]
        await asyncio.wait(slow, timeout=0.3)
        other = asyncio.create_task(asked(door, sent, client=("10.0.0.2", 1)))
        await asyncio.wait([other], timeout=2)
        reads.set()
        count = len(sent)
        await asyncio.gather(other, *slow)
        return count

    assert asyncio.run(all_at_once()) > 0

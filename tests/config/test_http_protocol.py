"""What may come in front of Django, asked of the web process as it is served: by raw bytes, as an attacker would.

Work is counted as the process's time of CPU: a busy machine makes it no larger.
"""

import json
import os
import socket
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.conf import settings

from accounts.models import User
from accounts.services import create_token
from config.limits import HEADER_LINE_BYTES, HEADER_LINES, PIPELINED_REQUESTS, TARGET_BYTES
from tests import factories as make
from tests.serving import served
from tests.sockets import Watcher, session_of

pytestmark = pytest.mark.processes

# Who is refused is heard out for a while, so that the answer reaches them; here, for less long.
IMPATIENT = "from config import http_protocol; http_protocol._PATIENCE_SECONDS = 0.5"
TICK = 1 / os.sysconf("SC_CLK_TCK")
HOST = b"Host: localhost\r\n"
OFFER = (
    b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
    b"HTTP2-Settings: AAEAAEAAAAIAAAABAAMAAABkAAQBAAAAAAUAAEAA\r\n"
)
BODY = b'{"workflow": 7}'
LENGTH = b"Content-Length: %d\r\n" % len(BODY)
JSON = b"Content-Type: application/json\r\n"


@pytest.fixture(scope="module")
def web(django_db_setup) -> Iterator[tuple[tuple[str, int], int]]:
    """Where a web process listens, and its pid."""
    with served(IMPATIENT) as (address, process):
        parts = urlsplit(address)
        yield (str(parts.hostname), int(parts.port or 0)), process.pid


def seconds_of(pid: int) -> float:
    """The CPU time that a process has taken."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK


def answers(
    address: tuple[str, int], *parts: bytes, most: int = 1, timeout: float = 60
) -> list[tuple[int, bytes]]:
    """Status and body of at most so many answers to these bytes, read while they are sent."""
    with closing(socket.create_connection(address, timeout=timeout)) as connection:
        sender = threading.Thread(target=_send, args=(connection, parts))
        sender.start()
        stream = connection.makefile("rb")
        found = []
        try:
            while len(found) < most and (answer := _answer(stream)):
                found.append(answer)
        finally:
            connection.shutdown(socket.SHUT_RDWR)
            sender.join()
        return found


def _send(connection: socket.socket, parts: tuple[bytes, ...]) -> None:
    try:
        for part in parts:
            connection.sendall(part)
    except OSError:
        return  # refused, and no longer heard


def _answer(stream) -> tuple[int, bytes] | None:
    try:
        status = stream.readline()
        if not status:
            return None
        length = 0
        while (line := stream.readline()) not in (b"\r\n", b""):
            name, _, value = line.lower().partition(b":")
            length = int(value) if name == b"content-length" else length
            if name == b"transfer-encoding":
                length = -1
        return int(status.split()[1]), _chunks(stream) if length < 0 else stream.read(length)
    except ConnectionResetError:
        return None


def _chunks(stream) -> bytes:
    body = b""
    while size := int(stream.readline(), 16):
        body += stream.read(size)
        stream.readline()
    stream.readline()
    return body


def post(*headers: bytes) -> bytes:
    return b"POST /api/v1/runs HTTP/1.1\r\n" + HOST + JSON + b"".join(headers) + b"\r\n"


def get(path: bytes = b"/healthz", *headers: bytes) -> bytes:
    return b"GET " + path + b" HTTP/1.1\r\n" + HOST + b"".join(headers) + b"\r\n"


CHUNKED = b"Transfer-Encoding: chunked\r\n"
UPGRADE = (
    b"Connection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
)
ATTACKS = {
    "a million short header lines": (get(b"/login", b"a: b\r\n" * 1_000_000), 431),
    "one name again and again, for a page": (get(b"/login", b"Cookie: a=b\r\n" * 500_000), 431),
    "header lines of an upgrade": (get(b"/ws/inbox", UPGRADE, b"a: b\r\n" * 1_000_000), 431),
    "one long header line": (get(b"/login", b"a: " + b"b" * 8_000_000 + b"\r\n"), 431),
    "a header's name without an end": (b"GET /login HTTP/1.1\r\n" + b"a" * 8_000_000, 431),
    "a header that is folded": (get(b"/login", b"a: b\r\n" + b" c\r\n" * 1_000_000), 400),
    "a long target": (get(b"/login?" + b"a&" * 4_000_000), 414),
    "a target without an end": (b"GET /" + b"a" * 8_000_000, 414),
    "chunks of a byte": (post(CHUNKED) + b"1\r\nx\r\n" * 2_000_000 + b"0\r\n\r\n", 413),
    "an extension of a chunk": (post(CHUNKED) + b"1;" + b"a" * 8_000_000 + b"\r\nx\r\n0\r\n\r\n", 431),
    "trailers": (post(CHUNKED) + b"1\r\nx\r\n0\r\n" + b"a: b\r\n" * 1_000_000 + b"\r\n", 431),
    "a trailer without an end": (post(CHUNKED) + b"1\r\nx\r\n0\r\n" + b"a" * 8_000_000, 431),
    "blank lines": (b"\r\n" * 4_000_000, 431),
    "no host": (b"GET /login HTTP/1.1\r\n\r\n", 400),
    "two hosts": (get(b"/login", b"Host: another\r\n"), 400),
    "a tunnel": (b"CONNECT a.example:443 HTTP/1.1\r\n" + HOST + b"\r\n" + b"x" * 8_000_000, 405),
}


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_request_that_is_too_much_is_refused_at_once(web, attack):
    address, pid = web
    request, expected = ATTACKS[attack]
    before = seconds_of(pid)
    (status, body), *rest = answers(address, request, most=2)
    spent = seconds_of(pid) - before

    assert (status, rest) == (expected, [])
    assert json.loads(body)["error"]["message"]
    assert spent < 1


def test_others_are_answered_while_somebody_attacks(web):
    address, _ = web
    over, attacks = threading.Event(), []

    def attack() -> None:
        while not over.is_set():
            attacks.append(answers(address, ATTACKS["a million short header lines"][0])[0][0])

    attacker = threading.Thread(target=attack)
    attacker.start()
    try:
        found = [answers(address, get(), timeout=10)[0] for _ in range(20)]
    finally:
        over.set()
        attacker.join()

    assert found == [(200, b"ok\n")] * 20
    assert set(attacks) == {431}


def test_as_many_and_as_long_headers_as_are_allowed_pass(web):
    address, _ = web
    many = b"".join(b"X-%d: a\r\n" % number for number in range(HEADER_LINES - 1))
    long = b"X: " + b"a" * (HEADER_LINE_BYTES - 1) + b"\r\n"
    target = b"/healthz?" + b"a" * (TARGET_BYTES - len(b"/healthz?"))
    for request in (get(b"/healthz", many), get(b"/healthz", long), get(target)):
        assert answers(address, request) == [(200, b"ok\n")]


def test_a_request_may_come_a_byte_at_a_time(web):
    address, _ = web
    assert answers(address, *[bytes([each]) for each in get()]) == [(200, b"ok\n")]


def test_more_requests_at_once_than_may_wait_are_not_answered(web):
    """Those before are; the connection's end tells the sender to ask for the others again."""
    address, pid = web
    before = seconds_of(pid)
    found = answers(address, get(b"/readyz") * 100_000, most=1_000)
    assert 0 < len(found) <= PIPELINED_REQUESTS + 1
    assert seconds_of(pid) - before < 2


def test_requests_that_come_together_are_answered_in_turn_before_one_that_is_refused(web):
    address, _ = web
    found = answers(address, get(b"/nothing") + get() + get(b"/" + b"a" * 10_000), most=4)
    assert [status for status, _ in found] == [404, 200]


@pytest.fixture
def token(transactional_db) -> bytes:
    """The header line of a token that may start runs."""
    user = make.a_member("author", "author")
    return b"Authorization: Bearer " + create_token(user=user, tenant=make.a_tenant())[1].encode() + b"\r\n"


@pytest.mark.parametrize(
    ("lines", "body"),
    [
        (LENGTH, BODY),
        (CHUNKED, b"5\r\n" + BODY[:5] + b"\r\na\r\n" + BODY[5:] + b"\r\n0\r\n\r\n"),
    ],
    ids=["length", "chunked"],
)
@pytest.mark.parametrize("is_parted", [False, True], ids=["at once", "in parts"])
@pytest.mark.parametrize("offer", [OFFER, b"Connection: upgrade\r\nUpgrade: websocket\r\n", b""])
def test_an_offer_of_another_protocol_takes_no_body_away(web, token, lines, body, is_parted, offer):
    address, _ = web
    request = post(token, offer, lines)
    parts = [request, *[body[at : at + 1] for at in range(len(body))]] if is_parted else [request + body]
    (status, said), after = answers(address, *parts, get(), most=2)
    assert (status, json.loads(said)["error"]["field"]) == (400, "workflow")
    assert after == (200, b"ok\n")


def test_offers_that_come_together_are_each_answered(web):
    address, _ = web
    found = answers(address, get(b"/healthz", OFFER) * 5 + get(), most=6)
    assert found == [(200, b"ok\n")] * 6


def test_a_websocket_is_no_mere_offer(web, token):
    address, _ = web
    site = f"http://{address[0]}:{address[1]}"
    user = User.objects.get()
    with Watcher(site, "/ws/runs", session_of(user)) as page:
        assert page.hear()["changed"]


def test_a_trailer_is_no_header(web, token):
    """No proxy has checked it, and whoever is let in by it would be let in past the proxy."""
    address, _ = web
    body = b"2\r\n{}\r\n0\r\n" + token + b"\r\n"
    assert answers(address, post(CHUNKED) + body)[0][0] == 401
    assert answers(address, post(token, CHUNKED) + body)[0][0] == 400


def test_a_websocket_that_is_flooded_is_closed(web, token):
    address, pid = web
    session = f"Cookie: {settings.SESSION_COOKIE_NAME}={session_of(User.objects.get())}\r\n".encode()
    origin = b"Origin: http://localhost\r\n"
    ping = b"\x89\x80\x00\x00\x00\x00"
    with closing(socket.create_connection(address, timeout=60)) as connection:
        connection.sendall(get(b"/ws/runs", UPGRADE, origin, session))
        assert connection.recv(12) == b"HTTP/1.1 101"
        before = seconds_of(pid)
        _send(connection, (ping * 1_000_000,))
        while _received(connection):
            pass
    assert seconds_of(pid) - before < 1


def _received(connection: socket.socket) -> bytes:
    try:
        return connection.recv(65536)
    except ConnectionError:
        return b""

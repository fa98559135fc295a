"""The cap in front of Django (docs/security.md, "Hardening")."""

import asyncio
import json

import pytest

from config.request_body import LimitedBody
from tests.api import authorisation_matrix as matrix
from tests.api.authorisation_matrix import every_route


async def _echo(scope, receive, send):
    body = (await receive())["body"]
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": body})


async def _never():
    await asyncio.Event().wait()


def _call(*messages, max_bytes=10, seconds=5.0):
    """What the app sends back when these messages come in."""
    waiting, sent = list(messages), []

    async def receive():
        return waiting.pop(0) if waiting else await _never()

    async def send(message):
        sent.append(message)

    asyncio.run(LimitedBody(_echo, max_bytes, seconds)({"type": "http"}, receive, send))
    return sent


def _part(body, more=False):
    return {"type": "http.request", "body": body, "more_body": more}


@pytest.mark.parametrize("parts", [[b""], [b"0123456789"], [b"01234", b"56789"]])
def test_a_body_within_the_cap_arrives_in_one_piece(parts):
    messages = [_part(part, more=True) for part in parts[:-1]] + [_part(parts[-1])]
    assert [message.get("body") for message in _call(*messages)] == [None, b"".join(parts)]


@pytest.mark.parametrize("parts", [[b"0123456789X"], [b"0123456789", b"X"], [b"X"] * 11])
def test_a_body_over_the_cap_is_a_413(parts):
    start, body = _call(*[_part(part, more=True) for part in parts[:-1]], _part(parts[-1]))
    assert start["status"] == 413
    assert json.loads(body["body"])["error"]["code"] == "too_large"


def test_a_body_that_does_not_end_is_a_408():
    start, body = _call(_part(b"0", more=True), seconds=0.05)
    assert start["status"] == 408
    assert json.loads(body["body"])["error"]["code"] == "body_too_slow"


def test_a_client_that_leaves_gets_nothing():
    assert _call(_part(b"0", more=True), {"type": "http.disconnect"}) == []


def test_a_chunked_body_comes_with_its_length():
    """Without one WSGI takes it for empty, and a verb whose body is optional would ignore what was sent."""
    seen = {}

    async def app(scope, receive, send):
        seen.update(scope["headers"])
        await _echo(scope, receive, send)

    async def receive():
        return _part(b"01234")

    async def send(message):
        seen[message["type"]] = message

    scope = {"type": "http", "headers": [(b"Transfer-Encoding", b"chunked"), (b"host", b"here")]}
    asyncio.run(LimitedBody(app, 10, 5.0)(scope, receive, send))

    assert seen[b"content-length"] == b"5"
    assert b"Transfer-Encoding" not in seen
    assert seen[b"host"] == b"here"


@pytest.mark.parametrize("expects", [False, True])
def test_a_length_over_the_cap_is_a_413_before_the_body_is_read(expects):
    """Who sends the body all the same is heard out after the answer, so that it can read it."""
    happened = []
    parts = [_part(b"0" * 6, more=True), _part(b"0" * 6)]

    async def receive():
        happened.append("read")
        return parts.pop(0)

    async def send(message):
        happened.append((message["type"], message.get("status"), message.get("more_body", False)))

    headers = [(b"Content-Length", b"12"), *([(b"expect", b"100-continue")] if expects else [])]
    asyncio.run(LimitedBody(_echo, 10, 5.0)({"type": "http", "headers": headers}, receive, send))

    answer = [("http.response.start", 413, False), ("http.response.body", None, True)]
    assert happened == [*answer, *([] if expects else ["read", "read"]), ("http.response.body", None, False)]


@pytest.mark.parametrize("length", [b"10", b"", b"x", b"-1", b"9" * 30])
def test_a_length_within_the_cap_or_none_is_no_reason_to_refuse(length):
    sent = []

    async def receive():
        return _part(b"01234")

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "headers": [(b"content-length", length)]}
    asyncio.run(LimitedBody(_echo, 10, 5.0)(scope, receive, send))

    assert sent[0]["status"] == 200


@pytest.mark.parametrize(("path", "status"), [("/workflows/new", 200), ("/api/v1/runs", 413)])
def test_a_form_of_a_page_may_be_larger_than_a_body_of_the_api(path, status):
    start, _ = _asked(path, b"x" * 30)
    assert start["status"] == status


def test_who_asks_for_a_page_gets_one_that_says_what_to_do():
    start, body = _asked("/workflows/new", b"x" * 31, (b"accept", b"text/html,*/*;q=0.8"))
    assert start["status"] == 413
    assert dict(start["headers"])[b"content-type"] == b"text/html; charset=utf-8"
    assert b"This is too large to be sent at once." in body["body"]


def _asked(path, body, *headers):
    """What comes back from an app that takes 10 bytes, and 30 in a form."""
    waiting, sent = [_part(body)], []

    async def receive():
        return waiting.pop(0)

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "path": path, "headers": list(headers)}
    asyncio.run(LimitedBody(_echo, 10, 5.0, max_form_bytes=30)(scope, receive, send))
    return sent


def _status(path, size):
    sent = []

    async def receive():
        return _part(b"x" * size)

    async def send(message):
        sent.append(message)

    cap = LimitedBody(_echo, 10, 5.0, max_form_bytes=20)
    asyncio.run(cap({"type": "http", "path": path, "headers": []}, receive, send))
    return sent[0]["status"]


ROUTES = {
    matrix.address(name): getattr(getattr(entry.callback, "cls", None), "max_body_bytes", None)
    for _, entry in every_route()
    if (name := str(entry.name)) in matrix.MATRIX and matrix.address(name).startswith("/api/")
}


def test_a_route_that_takes_larger_bodies_than_json_gets_them_and_no_other_does():
    assert len([most for most in ROUTES.values() if most]) > 1
    assert {path: _status(path, 15) for path in ROUTES} == {
        path: 200 if most else 413 for path, most in ROUTES.items()
    }

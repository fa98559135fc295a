"""Errors that are answered without Django: JSON, or a page for who asks for one."""

import json
import uuid
from collections.abc import Mapping
from typing import Any

from django.template.loader import render_to_string

from config.asgi_types import Message, Scope

_PAGE_POLICY = (
    b"default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; frame-ancestors 'none'"
)


def header(scope: Scope, key: bytes) -> bytes:
    """The first value of a header, empty where there is none."""
    return next((value for name, value in scope.get("headers", ()) if name.lower() == key), b"")


def error_body(code: str, message: str, details: Mapping[str, Any] | None = None) -> bytes:
    """The JSON of an error."""
    error: dict[str, object] = {"code": code, "message": message, "field": None, "details": details or {}}
    return json.dumps({"error": error, "request_id": str(uuid.uuid4())}).encode()


def error(
    scope: Scope,
    status: int,
    code: str,
    message: str,
    *,
    details: Mapping[str, Any] | None = None,
    on_a_page: str | None = None,
    retry_after: int | None = None,
    closes: bool = False,
    more: bool = False,
) -> list[Message]:
    """The messages of an answer with an error. `on_a_page`: what a page says instead of `message`; `closes`: the
    connection is closed; `more`: the end of the answer is still to be sent.
    """
    if b"text/html" in header(scope, b"accept"):
        context = {"status": status, "message": on_a_page or message}
        body = render_to_string("error.html", context).encode()
        headers = [(b"content-type", b"text/html; charset=utf-8"), (b"content-security-policy", _PAGE_POLICY)]
    else:
        body = error_body(code, message, details)
        headers = [(b"content-type", b"application/json")]
    headers.append((b"content-length", str(len(body)).encode()))
    headers += [(b"connection", b"close")] if closes else [(b"cache-control", b"no-store")]
    headers += [] if retry_after is None else [(b"retry-after", str(retry_after).encode())]
    return [
        {"type": "http.response.start", "status": status, "headers": headers},
        {"type": "http.response.body", "body": body, "more_body": more},
    ]

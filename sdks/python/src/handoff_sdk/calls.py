"""Calls of the API as values: what is sent, and how often it may be."""

from __future__ import annotations

import json
import os
import random
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any, Generic, TypeVar
from urllib.parse import quote

import httpx

from handoff_sdk.errors import ApiError, NoResponse

T_co = TypeVar("T_co", covariant=True)
READ_SECONDS = 30.0
CONNECT_SECONDS = 5.0
UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


@dataclass(frozen=True, slots=True)
class Call(Generic[T_co]):
    """One call; its type is that of the response.

    `takes_key`: it takes an `Idempotency-Key`; `repeatable`: idempotent without one; `content`: an encoded body;
    `is_raw`: the response is a file, whatever its type; `wait`: how long the server may hold the call, in seconds.
    """

    method: str
    path: str
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Any = None
    content: bytes | None = None
    headers: Mapping[str, str | None] = field(default_factory=dict)
    takes_key: bool = False
    repeatable: bool = False
    is_raw: bool = False
    wait: float = 0.0


def path(template: str, **values: Any) -> str:
    """The template with each value in its place, percent-encoded. Raises ValueError for one that names no thing."""
    if nothing := [name for name, value in values.items() if str(value) in ("", ".", "..")]:
        raise ValueError(f"{nothing[0]} can't be {values[nothing[0]]!r}.")
    return template.format(**{name: quote(str(value), safe="") for name, value in values.items()})


class Unset(Enum):
    """The type of `UNSET`."""

    UNSET = "unset"


UNSET = Unset.UNSET
"""A field that is not sent; `None` is sent as null."""


def set_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that are not `UNSET`."""
    return {name: value for name, value in fields.items() if value is not UNSET}


MOST_ASKED_SECONDS = 60.0
"""Nobody waits for longer because the other side asks for it."""


@dataclass(frozen=True, slots=True)
class Retries:
    """How often a call is retried at most, and its backoff in seconds: exponential, with full jitter."""

    limit: int = 4
    first: float = 0.25
    longest: float = 10.0

    def pause(self, done: int, least: float | None = None) -> float:
        """How long to wait after so many tries; `least` is what the other side asks for."""
        jittered = random.uniform(0.0, min(self.first * 2.0**done, self.longest))  # noqa: S311
        return jittered if least is None else min(least, MOST_ASKED_SECONDS) + min(jittered, 1.0)


class Attempts:
    """The tries at one call."""

    def __init__(self, call: Call[Any], retries: Retries) -> None:
        self._call, self._retries, self._done = call, retries, 0

    def pause_after(self, error: ApiError | NoResponse) -> float | None:
        """How long to wait before the call is sent again; None where it must not be."""
        if self._done >= self._retries.limit or not self._may_repeat(error):
            return None
        least = error.retry_after if isinstance(error, ApiError) else None
        pause = self._retries.pause(self._done, least)
        self._done += 1
        return pause

    def _may_repeat(self, error: ApiError | NoResponse) -> bool:
        if isinstance(error, NoResponse):
            return self._is_safe or not error.is_sent
        # What was throttled was not begun.
        return error.is_retryable and (self._is_safe or error.status == 429)

    @property
    def _is_safe(self) -> bool:
        return self._call.method == "GET" or self._call.takes_key or self._call.repeatable


def arguments_of(call: Call[Any]) -> dict[str, Any]:
    """What httpx sends: the same for every try at a call, its key included."""
    # What is None is left out.
    headers = {name: value for name, value in call.headers.items() if value is not None}
    if call.takes_key:
        headers.setdefault("Idempotency-Key", str(uuid.uuid4()))
    content = call.content
    if content is None and call.body is not None:
        # NaN and infinite numbers are no JSON.
        content = json.dumps(call.body, allow_nan=False, ensure_ascii=False).encode()
    if content is not None:
        headers.setdefault("Content-Type", "application/json")
    return {
        "method": call.method,
        "url": call.path.lstrip("/"),
        "params": {name: _text(value) for name, value in call.query.items() if value is not None},
        "content": content,
        "headers": headers,
        "timeout": httpx.Timeout(READ_SECONDS + call.wait, connect=CONNECT_SECONDS),
    }


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def is_result(call: Call[Any], answer: httpx.Response) -> bool:
    """Whether this is what was asked for: no error, no address elsewhere, and no page that a proxy shows instead."""
    is_page = "text/html" in answer.headers.get("Content-Type", "")
    return (answer.status_code < 300 or answer.status_code == 304) and (call.is_raw or not is_page)


def decode(call: Call[Any], answer: httpx.Response) -> Any:
    """The body: JSON as Python values, None where there is none, bytes of anything else."""
    if call.is_raw:
        return answer.content
    if answer.status_code in (204, 304) or not answer.content:
        return None
    kind = answer.headers.get("Content-Type", "").partition(";")[0]
    return answer.json() if kind == "application/json" else answer.content


def no_response(error: httpx.TransportError) -> NoResponse:
    """Why nobody answered."""
    return NoResponse(f"{type(error).__name__}: {error}", is_sent=not isinstance(error, UNSENT))


def settings(url: str | None, token: str | None) -> dict[str, Any]:
    """What a client of httpx is made with; from `HANDOFF` and `TOKEN` of the environment where nothing is given.

    Raises ValueError where neither says it.
    """
    url, token = url or os.environ.get("HANDOFF"), token or os.environ.get("TOKEN")
    if not url or not token:
        raise ValueError("Say where Handoff is and with which token: url and token, or HANDOFF and TOKEN.")
    return {
        "base_url": url.rstrip("/") + "/",
        "headers": {"Authorization": f"Bearer {token}", "User-Agent": "handoff-sdk-python"},
    }


def next_page(call: Call[Any], page: Mapping[str, Any]) -> Call[Any] | None:
    """The call for the page that follows this one."""
    if not (following := page.get("next")):
        return None
    cursor = httpx.URL(following).params.get("cursor")
    return replace(call, query={**call.query, "cursor": cursor})

"""Whoever watches through a websocket."""

import json
import time
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.test import Client
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from accounts.models import User

NOBODY = "00000000-0000-7000-8000-000000000000"


def session_of(user: User) -> str:
    """The key of a new session of this user."""
    client = Client()
    client.force_login(user)
    return client.cookies[settings.SESSION_COOKIE_NAME].value


class Watcher:
    """A socket, as a page of `site` opens it; `origin` is another page's, `named` another name of the site."""

    def __init__(
        self, site: str, path: str, session: str | None, origin: str | None = "", named: str = ""
    ) -> None:
        cookie = {"Cookie": f"{settings.SESSION_COOKIE_NAME}={session}"} if session else {}
        self._opening = connect(
            (named or site).replace("http", "ws", 1) + path,
            address=(urlsplit(site).hostname, urlsplit(site).port),
            origin=(named or site) if origin == "" else origin,
            additional_headers=cookie,
            proxy=None,
        )

    def __enter__(self) -> "Watcher":
        self.socket = self._opening.__enter__()
        return self

    def __exit__(self, *error: object) -> None:
        self._opening.__exit__(*error)

    def hear(self, seconds: float = 5.0) -> dict[str, Any]:
        """The next message that says something changed."""
        until = time.monotonic() + seconds
        while not (message := json.loads(self.socket.recv(timeout=max(0, until - time.monotonic()))))[
            "changed"
        ]:
            pass
        return message

    def beat(self, seconds: float = 5.0) -> dict[str, Any]:
        """The next message, whatever it says."""
        message: dict[str, Any] = json.loads(self.socket.recv(timeout=seconds))
        return message

    def hear_all(self, seconds: float) -> list[dict[str, Any]]:
        """What it says changed, until it has said nothing of the kind for so long."""
        found = []
        while True:
            try:
                found.append(self.hear(seconds))
            except TimeoutError:
                return found

    def settled(self) -> "Watcher":
        """Once every process knows of it."""
        self.hear()
        return self

    def closed(self, seconds: float = 5.0) -> int:
        """The code that it is closed with."""
        until = time.monotonic() + seconds
        while self.socket.close_code is None:
            with suppress(ConnectionClosed):
                self.socket.recv(timeout=max(0, until - time.monotonic()))
        return self.socket.close_code


def refusal(
    site: str, path: str, session: str | None, *asking: str | None, **named: str
) -> tuple[int, bytes]:
    """How the server refuses this connection: status and body; (0, b"") where it lets it in."""
    try:
        with Watcher(site, path, session, *asking, **named):
            return 0, b""
    except InvalidStatus as refused:
        return refused.response.status_code, refused.response.body or b""

"""The websocket routes, and what holds before any of them: our own origin, and a Redis that answers.

Stricter than Channels' AllowedHostsOriginValidator: it would let in pages of any port of a host, and cookies know no
ports. Sessions are read by the consumers themselves, at the connect and later by the same code.
"""

import logging
from collections.abc import Mapping
from contextlib import suppress

from channels.routing import URLRouter
from channels.security.websocket import WebsocketDenier
from django.conf import settings
from django.http import parse_cookie
from django.http.request import split_domain_port, validate_host
from django.urls import path, re_path

import config.wsgi  # noqa: F401 (Django must be set up before what follows has models)
from config import features
from config.asgi_types import Receive, Scope, Send
from runs.kernel import live
from runs.web.consumers import TRY_LATER, RunConsumer, RunsConsumer
from tasks_inbox.web.consumers import InboxConsumer

log = logging.getLogger(__name__)

ROUTES = [
    path("ws/runs", RunsConsumer.as_asgi(), name="ws-runs"),
    path("ws/runs/<uuid:run_id>", RunConsumer.as_asgi(), name="ws-run"),
    path("ws/inbox", InboxConsumer.as_asgi(), name="ws-inbox"),
    *features.routes("sockets"),
]
_router = URLRouter([*ROUTES, re_path("", WebsocketDenier.as_asgi())])


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    """Serve one websocket, or refuse it."""
    headers = {name: value.decode("latin-1") for name, value in scope["headers"]}
    if not is_ours(headers):
        await WebsocketDenier()(scope, receive, send)
        return
    session = parse_cookie(headers.get(b"cookie", "")).get(settings.SESSION_COOKIE_NAME)
    try:
        # Channels would keep what it began for a connection that Redis then refuses.
        await live.answers()
        await _router({**scope, "session_key": session}, receive, send)
    except live.ERRORS as error:
        log.warning("A websocket ends: %s", error or type(error).__name__)
        with suppress(OSError, RuntimeError):
            await send({"type": "websocket.close", "code": TRY_LATER})


def is_ours(headers: Mapping[bytes, str]) -> bool:
    """Whether the page that asks is one of ours: it has a session's cookie, whoever wrote it (ASVS 4.4.2)."""
    origin, host = headers.get(b"origin", "").lower(), headers.get(b"host", "").lower()
    domain, _ = split_domain_port(host)
    if not domain or not validate_host(domain, settings.ALLOWED_HOSTS):
        return False
    own = {f"https://{host}"} if settings.SECURE_SSL_REDIRECT else {f"https://{host}", f"http://{host}"}
    return origin in own or origin in settings.CSRF_TRUSTED_ORIGINS

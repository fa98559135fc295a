"""Browsers that somebody has logged in with before: a signed cookie, which lets nobody in, but lets its owner try."""

import secrets
from typing import Any

from django.conf import settings
from django.core import signing
from django.http import HttpRequest, HttpResponse

from accounts.limits import DEVICE_NAMES
from accounts.names import key_of
from lib import client_address

_SALT = "accounts.devices"
_SECONDS = 180 * 86_400


def place_of(request: HttpRequest, username: str) -> str | None:
    """The place that this browser is for guesses at the name; None where nobody of it has logged in here."""
    device, names = _read(request)
    return f"browser {device}" if device and key_of(username) in names else None


def remember(request: HttpRequest, response: HttpResponse, username: str) -> None:
    """Note in the browser that this user has logged in with it."""
    device, names = _read(request)
    keys = [key_of(username), *(name for name in names if name != key_of(username))][:DEVICE_NAMES]
    response.set_cookie(
        settings.HANDOFF_DEVICE_COOKIE,
        signing.dumps([device or secrets.token_urlsafe(12), keys], salt=_SALT),
        max_age=_SECONDS,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def network_of(request: HttpRequest) -> str:
    """Where a guess comes from that no browser makes which the name has logged in with before."""
    return client_address.neighbourhood(address_of(request))


def address_of(request: HttpRequest) -> str:
    """The address of the client, behind proxies that are trusted."""
    forwarded = request.headers.get("X-Forwarded-For", "")
    return client_address.client_address(
        request.META.get("REMOTE_ADDR", ""), forwarded, settings.HANDOFF_TRUSTED_PROXIES
    )


def is_on_this_machine(request: HttpRequest) -> bool:
    """Whether the client is, as far as it can be told (`client_address.is_on_this_machine`)."""
    headers = {name.lower(): value for name, value in request.headers.items()}
    return client_address.is_on_this_machine(
        request.META.get("REMOTE_ADDR", ""), headers, settings.HANDOFF_TRUSTED_PROXIES
    )


def _read(request: HttpRequest) -> tuple[str, list[str]]:
    try:
        content: Any = signing.loads(
            request.COOKIES.get(settings.HANDOFF_DEVICE_COOKIE, ""), salt=_SALT, max_age=_SECONDS
        )
        device, names = content
        return str(device), [str(name) for name in names]
    except (signing.BadSignature, ValueError, TypeError):
        return "", []

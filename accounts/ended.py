"""A session that ended: what was typed is never lost, and the login is only ever shown as a page of its own."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib.auth.middleware import LoginRequiredMiddleware
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils.http import url_has_allowed_host_and_scheme

from accounts.forms import LoginForm

_SECRET = re.compile("password|secret|token|csrf", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Carried:
    """A form that came too late: where it goes, and what is in it."""

    to: str
    fields: list[tuple[str, str]]

    @property
    def shown(self) -> list[tuple[str, str]]:
        """The fields that tell its author which form it was: those that are filled in and no secret."""
        return [(name, value) for name, value in self.fields if value.strip() and not _SECRET.search(name)]

    def packed(self) -> str:
        """It as one text, for the login to carry."""
        return json.dumps([self.to, self.fields], ensure_ascii=False)


class LoginRequired(LoginRequiredMiddleware):
    """Sends who is not logged in to the login: not a script, which would show it inside of its page, and not without
    what they posted.
    """

    def handle_no_permission(  # type: ignore[override]  # the stubs know redirects only
        self, request: HttpRequest, view_func: Callable[..., Any]
    ) -> HttpResponseBase:
        if request.method == "POST" or _is_by_script(request):
            return carry(request)
        return super().handle_no_permission(request, view_func)


def is_from_here(request: HttpRequest) -> bool:
    """Whether the browser says that a page of ours sent this."""
    ours = f"{request.scheme}://{request.get_host()}"
    site = request.headers.get("Sec-Fetch-Site", "same-origin")
    return request.headers.get("Origin") == ours and site == "same-origin"


def carry(request: HttpRequest) -> HttpResponse:
    """The page that asks for the login and keeps what was posted; for who is logged in again, the one to send it."""
    if _is_by_script(request):
        return HttpResponse("You were logged out.", status=401, content_type="text/plain; charset=utf-8")
    posted = [(name, value) for name, values in request.POST.lists() for value in values]
    fields = [(name, _plain(value)) for name, value in posted if name != "csrfmiddlewaretoken"]
    carried = Carried(request.get_full_path(), fields)
    if request.user.is_authenticated:
        return _again(request, carried, status=403)
    context = {"form": LoginForm(), "carried": carried}
    return render(request, "accounts/login.html", context, status=403)


def carried_by(request: HttpRequest) -> Carried | None:
    """What the login that was posted carries; None for nothing, or nothing of ours."""
    try:
        to, fields = json.loads(request.POST.get("carried", ""))
        carried = Carried(str(to), [(str(name), str(value)) for name, value in fields])
    except (ValueError, TypeError):
        return None
    ours = url_has_allowed_host_and_scheme(carried.to, None) and carried.to.startswith("/")
    return carried if ours else None


def after_login(request: HttpRequest) -> HttpResponse | None:
    """The page to send again what the login carried, if it did."""
    carried = carried_by(request)
    return _again(request, carried) if carried else None


def _again(request: HttpRequest, carried: Carried, status: int = 200) -> HttpResponse:
    """Nothing is sent by itself: who is logged in now may be somebody else, and must want it."""
    return render(request, "accounts/again.html", {"carried": carried}, status=status)


def _is_by_script(request: HttpRequest) -> bool:
    return "HX-Request" in request.headers or request.headers.get("Sec-Fetch-Dest") == "empty"


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\x00", "")

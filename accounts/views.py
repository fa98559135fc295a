"""Logging in and out, and what becomes of a form whose session has ended."""

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, logout, update_session_auth_hash
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts import devices, ended, pages, preferences
from accounts.access import PageRequest, page
from accounts.forms import LoginForm
from accounts.models import EVERYTHING, MINE, NOTHING, User
from accounts.reading import reader_of, reading
from accounts.roles import TASKS_READ
from accounts.services import WrongPassword, check_login
from lib.api import PREFIXES
from lib.api.pages import csrf_failure, wrong_method
from lib.refusals import Invalid, TooMany

MAIL_CHOICES = (
    (
        EVERYTHING,
        "All tasks I can do",
        "Also those that others could do, and when I am mentioned.",
    ),
    (MINE, "Only my own tasks", "Tasks that were given to me, or that I have claimed."),
    (NOTHING, "No e-mail", "I check the inbox myself."),
)


_HOURS = {"", *map(str, range(24))}
_CHANGED = "Your password is changed. You are logged out everywhere else."
_REVOKED = " Your API tokens were revoked."
_KNOWN = "A browser you have logged in with before doesn’t have to wait."


@login_not_required
@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "HEAD", "POST"])
def login_page(request: HttpRequest) -> HttpResponse:
    """The login: a session for whoever knows the password."""
    form = LoginForm(request.POST if request.method == "POST" else None)
    if not form.is_valid():
        return _shown(request, form, 200)
    browser = devices.place_of(request, form.cleaned_data["username"])
    try:
        return _logged_in(request, _checked(request, form, browser or devices.network_of(request)))
    except WrongPassword as refusal:
        form.add_error(None, refusal.message)
        return _shown(request, form, 401)
    except TooMany as refusal:
        form.add_error(None, refusal.message if browser else f"{refusal.message} {_KNOWN}")
        return _later(_shown(request, form, 429), refusal)


def _checked(request: HttpRequest, form: LoginForm, place: str) -> User:
    """Whose password it is; until when one has to wait is said in the time zone of the browser."""
    with reading(request, None):
        return check_login(**form.cleaned_data, place=place)


def _logged_in(request: HttpRequest, user: User) -> HttpResponse:
    login(request, user)
    response = ended.after_login(request) or redirect(_next(request))
    devices.remember(request, response, user.username)
    return response


def _later(response: HttpResponse, refusal: TooMany) -> HttpResponse:
    response.headers["Retry-After"] = str(refusal.retry_after)
    return response


@login_not_required
def logout_page(request: HttpRequest) -> HttpResponse:
    """Ends the session."""
    return _logged_out(request) if request.method == "POST" else wrong_method(request, ["POST"])


def too_old(request: HttpRequest, reason: str = "") -> HttpResponse:
    """`CSRF_FAILURE_VIEW`: a form of ours that outlived its session is kept; anybody else's is refused."""
    if request.path.startswith(PREFIXES) or not ended.is_from_here(request):
        return csrf_failure(request, reason)
    if request.path == reverse("logout"):
        return _logged_out(request)
    return _second_login(request) if request.path == reverse("login") else ended.carry(request)


def _logged_out(request: HttpRequest) -> HttpResponse:
    logout(request)
    return redirect("login")


def _second_login(request: HttpRequest) -> HttpResponse:
    """Somebody logged in, or out, in another tab since the login was opened in this one."""
    if request.user.is_authenticated:
        messages.info(request, f"You are already logged in, as {request.user.get_username()}.")
        return ended.after_login(request) or redirect(_next(request))
    form = LoginForm(request.POST)
    form.add_error(None, "This page was open for too long. Enter your password again.")
    return _shown(request, form, 403)


def _shown(request: HttpRequest, form: LoginForm, status: int) -> HttpResponse:
    context = {"form": form, "next": _next(request), "carried": ended.carried_by(request)}
    return render(request, "accounts/login.html", context, status=status)


def _next(request: HttpRequest) -> str:
    """Where to go after the login: a page of ours, never another site."""
    target = request.POST.get("next") or request.GET.get("next") or ""
    ours = url_has_allowed_host_and_scheme(target, {request.get_host()}, request.is_secure())
    return target if ours else settings.LOGIN_REDIRECT_URL


@page(TASKS_READ, "GET", "POST")
@sensitive_post_parameters("old", "new", "again")
def password_page(request: PageRequest) -> HttpResponse:
    """Another password for whoever looks; their other sessions end."""
    if request.method != "POST":
        return render(request, "accounts/password.html")
    try:
        sentence = _change_password(request)
    except Invalid as error:
        wrong = {error.field or "old": error.message}
        return render(request, "accounts/password.html", {"wrong": wrong}, status=422)
    except TooMany as error:
        page_ = render(request, "accounts/password.html", {"wrong": {"old": error.message}}, status=429)
        return _later(page_, error)
    messages.success(request, sentence)
    return redirect("settings-password")


def _change_password(request: PageRequest) -> str:
    """Do what the form says; gives what to tell."""
    old, new, again = (request.POST.get(name, "") for name in ("old", "new", "again"))
    if new != again:
        raise Invalid("The two passwords differ.", field="again")
    revokes = "revoke_tokens" in request.POST
    user = preferences.change_password(request.principal, old=old, new=new, revoke_tokens=revokes)
    update_session_auth_hash(request, user)
    return _CHANGED + (_REVOKED if revokes else "")


@page(TASKS_READ)
def settings_start(request: PageRequest) -> HttpResponse:
    """Where somebody lands who types the address of the settings: at their own."""
    return redirect("settings-me")


@page(TASKS_READ, "GET", "POST")
def me_page(request: PageRequest) -> HttpResponse:
    """What whoever looks is called, and how times and numbers are written for them."""
    form = pages.own_settings(request)
    if form is None:
        messages.success(request, "Kept.")
        return redirect("settings-me")
    context, status = form
    return render(request, "accounts/me.html", context, status=status)


def _notified(request: PageRequest, names: Iterable[str]) -> tuple[dict[str, Any], dict[str, str]]:
    """Keep what the form says; gives it, and what is wrong with it."""
    values = {name: request.POST.get(name, "") for name in names}
    try:
        hour = _hour(values["digest_hour"])
        preferences.change_notifications(
            request.principal, mail=values["mail"], email=values["email"], digest_hour=hour
        )
    except Invalid as error:
        return values, {error.field or "": error.message}
    return values, {}


def _hour(text: str) -> int | None:
    if text not in _HOURS:
        raise Invalid("Choose one from the list.", field="digest_hour")
    return int(text) if text else None


@page(TASKS_READ, "GET", "POST")
def notifications_page(request: PageRequest) -> HttpResponse:
    """Of which tasks whoever looks gets mail, and where."""
    values = preferences.notifications_of(request.principal)
    wrong: dict[str, str] = {}
    if request.method == "POST":
        values, wrong = _notified(request, values)
        if not wrong:
            messages.success(request, "Kept.")
            return redirect("settings-notifications")
    context = {"shown": values, "wrong": wrong, "choices": MAIL_CHOICES, "hours": range(24)}
    context["zone"] = reader_of(request.user).zone_words if request.user.time_zone else ""
    return render(request, "accounts/notifications.html", context, status=400 if wrong else 200)

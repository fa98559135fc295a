"""Logging in and out."""

from django.conf import settings
from django.contrib.auth import login, logout
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods, require_POST

from accounts.forms import LoginForm
from accounts.services import WrongPassword, check_login
from lib.refusals import TooMany


@login_not_required
@never_cache
@sensitive_post_parameters("password")
@require_http_methods(["GET", "POST"])
def login_page(request: HttpRequest) -> HttpResponse:
    """The login: a session for whoever knows the password."""
    form = LoginForm(request.POST if request.method == "POST" else None)
    status = 200
    if form.is_valid():
        try:
            user = check_login(**form.cleaned_data, address=request.META.get("REMOTE_ADDR", ""))
        except (WrongPassword, TooMany) as refusal:
            form.add_error(None, refusal.message)
            status = 429 if isinstance(refusal, TooMany) else 401
        else:
            login(request, user)
            return redirect(_next(request))
    return render(request, "accounts/login.html", {"form": form, "next": _next(request)}, status=status)


@login_not_required
@require_POST
def logout_page(request: HttpRequest) -> HttpResponse:
    """Ends the session."""
    logout(request)
    return redirect("login")


def _next(request: HttpRequest) -> str:
    """Where to go after the login: a page of ours, never another site."""
    target = request.POST.get("next") or request.GET.get("next") or ""
    ours = url_has_allowed_host_and_scheme(target, {request.get_host()}, request.is_secure())
    return target if ours else settings.LOGIN_REDIRECT_URL

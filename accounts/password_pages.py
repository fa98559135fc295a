"""The pages by which people who are not logged in set a password: asking for a link, and what is behind it.

Looking at a link changes nothing, so mail scanners may.
"""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from accounts import devices, passwords, ports
from accounts.ended import is_from_here
from accounts.reading import reading
from lib.api.pages import csrf_failure
from lib.refusals import Conflict, Invalid, Missing, TooMany


@login_not_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def forgotten_page(request: HttpRequest) -> HttpResponse:
    """Asks for a link to set a password; the answer is the same whoever there is."""
    context, status = {"has_mail": ports.has_mail(), "typed": ""}, 200
    if request.method != "POST":
        return render(request, "accounts/forgotten.html", context)
    typed = request.POST.get("who", "")[:254]
    try:
        with reading(request, None):
            passwords.ask(typed, place=devices.network_of(request))
    except TooMany as refusal:
        context |= {"typed": typed, "refused": refusal.message}
        page = render(request, "accounts/forgotten.html", context, status=429)
        page.headers["Retry-After"] = str(refusal.retry_after)
        return page
    except Conflict:
        status = 409
    return render(request, "accounts/forgotten.html", context | {"is_asked": status == 200}, status=status)


# Not the token of the session, as behind the links of tasks (tasks_inbox/web/opening.py): where the form was sent from
# is checked, and the link is a secret that a forger of requests doesn't have.
@csrf_exempt
@login_not_required
@never_cache
@sensitive_post_parameters("new", "again")
@require_http_methods(["GET", "HEAD", "POST"])
def link_page(request: HttpRequest, token: str) -> HttpResponse:
    """What a link opens: the form of a new password; posted, the password is set."""
    user = passwords.user_of(token)
    if user is None:
        return render(request, "accounts/set_password.html", {"state": "gone"}, status=410)
    if request.method != "POST":
        return render(request, "accounts/set_password.html", {"state": "open", "whose": user})
    if not is_from_here(request):
        return csrf_failure(request, "The form was not sent from here.")
    try:
        _set(request, token)
    except Invalid as error:
        wrong = {"state": "open", "whose": user, "wrong": {error.field or "new": error.message}}
        return render(request, "accounts/set_password.html", wrong, status=422)
    except Missing:
        return render(request, "accounts/set_password.html", {"state": "gone"}, status=410)
    return render(request, "accounts/set_password.html", {"state": "set", "whose": user})


def _set(request: HttpRequest, token: str) -> None:
    new, again = request.POST.get("new", ""), request.POST.get("again", "")
    if new != again:
        raise Invalid("The two passwords differ.", field="again")
    revokes = "revoke_tokens" in request.POST
    passwords.set_by_link(token, new, place=devices.network_of(request), revoke_tokens=revokes)

"""The page behind the link of a mail. Looking at it changes nothing, so mail scanners may; posting it uses the link up
and leads to the task, past the login: a link logs nobody in and decides nothing.
"""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.csrf import csrf_exempt

from accounts.ended import is_from_here
from accounts.models import User
from accounts.names import key_of
from accounts.sessions import principal_of
from lib.api.pages import csrf_failure, wrong_method
from tasks_inbox.limits import OUTCOME_CHARACTERS
from tasks_inbox.mail import links
from tasks_inbox.mail.links import Link

GOOD, USED, OLD, OTHERS, UNKNOWN = "good", "used", "old", "others", "unknown"
_STATUS = {GOOD: 200, OTHERS: 403, UNKNOWN: 404}
_GONE = 410


# Not the token of the session: handing one out would write a session for every scanner. Where the form was sent from is
# checked instead.
@csrf_exempt
@login_not_required
@never_cache
def open_link(request: HttpRequest, token: str) -> HttpResponse:
    """What a link opens, with a button; or, posted from there, the way to the task."""
    if request.method not in ("GET", "HEAD", "POST"):
        return wrong_method(request, ["GET", "HEAD", "POST"])
    link = links.read(token)
    state = _state(request, link)
    if request.method == "POST":
        if not is_from_here(request):
            return csrf_failure(request, "The form was not sent from here.")
        if link is not None and state == GOOD:
            if link.use():
                return redirect(_way_to(request, link))
            state = USED
    return render(
        request, "inbox/open.html", {"state": state, "link": link}, status=_STATUS.get(state, _GONE)
    )


def _state(request: HttpRequest, link: Link | None) -> str:
    if link is None:
        return UNKNOWN
    return OTHERS if _is_somebody_else(request, link) else link.state() or UNKNOWN


def _is_somebody_else(request: HttpRequest, link: Link) -> bool:
    if not isinstance(request.user, User):
        return False
    principal = principal_of(request)
    is_same_user = key_of(request.user.username) == key_of(link.username)
    return not is_same_user or principal is None or principal.tenant_id != link.tenant


def _way_to(request: HttpRequest, link: Link) -> str:
    task = reverse("task", args=[link.task])
    if outcome := request.GET.get("outcome", ""):
        task = f"{task}?{urlencode({'outcome': outcome[:OUTCOME_CHARACTERS]})}"
    return task if request.user.is_authenticated else f"{reverse('login')}?{urlencode({'next': task})}"

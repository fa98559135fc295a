"""`POST /hooks/{token}`: the door of inbound webhooks, for programs without a token or a session (R-132).

A plain view: whatever a sender says of its content type or of what it accepts, its bytes are what was signed.
"""

from django.conf import settings
from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from engine.errors import NotEvaluated
from lib.api.errors import Problem, describe, json_error
from lib.api.renderers import to_json
from triggers.webhooks import refused
from triggers.webhooks.actions import WrongMethod, deliver
from triggers.webhooks.presets.base import Incoming, Reply

_OWN_FAULTS = frozenset({"sns_unreachable"})
"""Codes of problems that the owners of a webhook should see, although the sender is not to blame."""


@login_not_required
@csrf_exempt
def receive(request: HttpRequest, token: str) -> HttpResponse:
    """202 with what the message caused, 200 for a repetition, or what the sender's protocol wants; every refusal in the
    API's envelope.
    """
    raw: bytes | None = None
    try:
        if request.method not in ("GET", "POST"):
            raise WrongMethod
        raw = request.body
        response = _done(token, request, raw)
    except WrongMethod:
        raw, response = None, _wrong_method(request)
    except Exception as error:
        # Whatever it is: Django would log it with the address, which is half of a secret.
        problem = _problem(error)
        # Of an address that nobody has nothing is noted; what is our fault stands in our log.
        is_noted = 400 <= problem.status < 500 or problem.code in _OWN_FAULTS
        if raw is not None and is_noted and problem.status != 404:
            refused.note(token, problem)
        response = json_error(problem, request)
        for name, value in problem.headers.items():
            response.headers[name] = value
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response


def _wrong_method(request: HttpRequest) -> HttpResponse:
    problem = Problem(
        405, "method_not_allowed", "Send messages to a webhook with POST.", headers={"Allow": "POST"}
    )
    response = json_error(problem, request)
    response.headers["Allow"] = "POST"
    return response


def _done(token: str, request: HttpRequest, raw: bytes) -> HttpResponse:
    url = settings.HANDOFF_URL + request.get_full_path()
    incoming = Incoming(request.method or "", request.headers, request.GET.dict(), url, raw)
    done = deliver(token, incoming)
    if isinstance(done, Reply):
        response = HttpResponse(done.text, status=done.status, content_type=done.content_type)
        # A challenge says what its sender wrote: no browser may take it for a page.
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response
    status = 200 if done.duplicate else 202
    return HttpResponse(to_json(done.answer()), status=status, content_type="application/json")


def _problem(error: Exception) -> Problem:
    if isinstance(error, NotEvaluated):
        message = "The mapping can't be evaluated now; try again."
        return Problem(503, "unavailable", message, headers={"Retry-After": "1"})
    return describe(error)

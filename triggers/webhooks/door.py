"""`POST /hooks/{token}`: the door of inbound webhooks, for programs without a token or a session (R-132).

A plain view: whatever a sender says of its content type or of what it accepts, its bytes are what was signed.
"""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt

from engine.errors import NotEvaluated
from lib.api.errors import Problem, describe, json_error
from lib.api.renderers import to_json
from triggers.webhooks import refused
from triggers.webhooks.actions import deliver


@login_not_required
@csrf_exempt
def receive(request: HttpRequest, token: str) -> HttpResponse:
    """202 with what the message caused, 200 for a repetition; every refusal in the API's envelope."""
    raw: bytes | None = None
    try:
        if request.method != "POST":
            response = _wrong_method(request)
        else:
            raw = request.body
            response = _done(token, request, raw)
    except Exception as error:
        # Whatever it is: Django would log it with the address, which is half of a secret.
        problem = _problem(error)
        # Of an address that nobody has nothing is noted; what is our fault stands in our log.
        if raw is not None and 400 <= problem.status < 500 and problem.status != 404:
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
    delivery = deliver(token, request.headers, raw)
    status = 200 if delivery.duplicate else 202
    return HttpResponse(to_json(delivery.answer()), status=status, content_type="application/json")


def _problem(error: Exception) -> Problem:
    if isinstance(error, NotEvaluated):
        message = "The mapping can't be evaluated now; try again."
        return Problem(503, "unavailable", message, headers={"Retry-After": "1"})
    return describe(error)

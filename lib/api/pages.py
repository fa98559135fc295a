"""Errors that Django meets outside of any API view: the envelope under `/api/` and `/v1/`, a plain page elsewhere."""

import sys
from collections.abc import Callable, Iterable

from django.core.exceptions import RequestDataTooBig, TooManyFieldsSent
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.csrf import csrf_failure as django_csrf_failure

from lib.api import PREFIXES
from lib.api.errors import CODE_OF_STATUS, Problem, describe, json_error
from lib.database_errors import OPERATIONAL_ERRORS, is_no_text
from lib.refusals import refusal_of


class RefusalMiddleware:
    """Shows what a service refused to a page's reader as a page with its status, and what no database can hold.

    Nothing has a NUL character in its name: an address with one leads nowhere.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: object, args: tuple[object, ...], kwargs: dict[str, object]
    ) -> HttpResponse | None:
        # What needs no login, such as the door of webhooks, judges itself what it is called by.
        is_ours = getattr(view, "login_required", True)
        is_strange = is_ours and any("\x00" in str(value) for value in kwargs.values())
        return not_found(request) if is_strange else None

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if refusal_of(exception) is None and not is_no_text(exception):
            return None
        problem = describe(exception)
        response = _page(request, problem.status, problem.message)
        for name, value in problem.headers.items():
            response.headers[name] = value
        return response


_MESSAGES = {
    400: "The request could not be read.",
    403: "You are not allowed to do this.",
    404: "There is nothing here.",
    405: "Nothing can be opened or sent here like this.",
    413: "This is too large to be sent at once.",
    500: "Something went wrong on our side.",
}


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """`handler400`."""
    return _answer(request, 413 if isinstance(exception, RequestDataTooBig | TooManyFieldsSent) else 400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """`handler403`."""
    return _answer(request, 403)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """`handler404`."""
    return _answer(request, 404)


def wrong_method(request: HttpRequest, methods: Iterable[str]) -> HttpResponse:
    """What answers to a method that is none of `methods`."""
    response = _answer(request, 405)
    response.headers["Allow"] = ", ".join(sorted(methods))
    return response


def server_error(request: HttpRequest) -> HttpResponse:
    """`handler500`; Django has logged the exception with the request."""
    error = sys.exc_info()[1]
    if not isinstance(error, OPERATIONAL_ERRORS):
        return _answer(request, 500)
    problem = describe(error)
    if request.path.startswith(PREFIXES):
        response = json_error(problem, request)
    else:
        response = _page(request, problem.status, "The database is not available.")
    response.headers["Retry-After"] = problem.headers["Retry-After"]
    return response


def unavailable(request: HttpRequest, code: str, message: str) -> HttpResponse:
    """What answers where this is not done here, however often it is asked."""
    if request.path.startswith(PREFIXES):
        response = json_error(Problem(503, code, message), request)
    else:
        response = _page(request, 503, message)
    # Django would log each as an error of the server.
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """`CSRF_FAILURE_VIEW`."""
    if request.path.startswith(PREFIXES):
        return json_error(Problem(403, "csrf_failed", "The CSRF token is missing or wrong."), request)
    return django_csrf_failure(request, reason)


def _answer(request: HttpRequest, status: int) -> HttpResponse:
    message = _MESSAGES[status]
    if request.path.startswith(PREFIXES):
        return json_error(Problem(status, CODE_OF_STATUS[status], message), request)
    return _page(request, status, message)


def _page(request: HttpRequest, status: int, message: str) -> HttpResponse:
    context: dict[str, object] = {"status": status, "message": message}
    if status >= 500:
        # The database may be gone, and with it who is logged in and what was to be told them.
        context |= {"user": None, "messages": ()}
    return render(request, "error.html", context, status=status)

"""Errors that Django meets outside of any API view: the envelope under `/api/`, a plain page elsewhere."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.csrf import csrf_failure as django_csrf_failure

from lib.api.errors import CODE_OF_STATUS, Problem, describe, json_error
from lib.refusals import Refusal


class RefusalMiddleware:
    """Shows what a service refused to a page's reader as a page with its status."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, Refusal):
            return None
        problem = describe(exception)
        context = {"status": problem.status, "message": problem.message}
        return render(request, "error.html", context, status=problem.status)


_MESSAGES = {
    400: "The request could not be read.",
    403: "You are not allowed to do this.",
    404: "There is nothing here.",
    500: "Something went wrong on our side.",
}


def bad_request(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """`handler400`."""
    return _answer(request, 400)


def forbidden(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """`handler403`."""
    return _answer(request, 403)


def not_found(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    """`handler404`."""
    return _answer(request, 404)


def server_error(request: HttpRequest) -> HttpResponse:
    """`handler500`; Django has logged the exception with the request."""
    return _answer(request, 500)


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """`CSRF_FAILURE_VIEW`."""
    if request.path.startswith("/api/"):
        return json_error(Problem(403, "csrf_failed", "The CSRF token is missing or wrong."), request)
    return django_csrf_failure(request, reason)


def _answer(request: HttpRequest, status: int) -> HttpResponse:
    message = _MESSAGES[status]
    if request.path.startswith("/api/"):
        return json_error(Problem(status, CODE_OF_STATUS[status], message), request)
    return render(request, "error.html", {"status": status, "message": message}, status=status)

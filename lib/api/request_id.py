"""Gives every request an id that its answer, its errors and its log lines share."""

import re
import uuid
from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

from lib import log_context

HEADER = "X-Request-Id"
_ACCEPTABLE = re.compile(r"[A-Za-z0-9_\-]{1,64}")


class RequestIdMiddleware:
    """Takes the caller's `X-Request-Id` where it is harmless, else makes one; sends it back."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        header = request.headers.get(HEADER, "")
        request.META["handoff.request_id"] = header if _ACCEPTABLE.fullmatch(header) else uuid.uuid4().hex
        about = log_context.begin({"request": request_id(request)})
        try:
            response = self.get_response(request)
        finally:
            log_context.end(about)
        response.headers[HEADER] = request_id(request)
        return response


def request_id(request: HttpRequest | None) -> str:
    """The id of this request; a fresh one outside the middleware."""
    return str(request.META.get("handoff.request_id") or uuid.uuid4().hex) if request else uuid.uuid4().hex

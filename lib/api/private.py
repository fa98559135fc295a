"""What is made for somebody is kept by nobody: no proxy, and no browser after the logout."""

from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase


def no_store(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: `Cache-Control: private, no-store` where nothing else is said; static files come before it."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        response.headers.setdefault("Cache-Control", "private, no-store")
        return response

    return middleware

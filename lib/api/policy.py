"""From where a page takes what it shows and runs: the same for every answer, so put together once."""

from collections.abc import Callable

from csp.constants import HEADER
from csp.utils import build_policy
from django.http import HttpRequest
from django.http.response import HttpResponseBase


def content_policy(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Middleware: the header that `CONTENT_SECURITY_POLICY` says, where a view has none of its own."""
    policy = build_policy()

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        response.headers.setdefault(HEADER, policy)
        return response

    return middleware

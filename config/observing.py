"""A Handoff that observes only (`HANDOFF_START=observe`): it shows what there is and refuses changes."""

from collections.abc import Callable

from django.core.exceptions import MiddlewareNotUsed
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase

from config import start_environment
from lib.api.pages import unavailable

_READS = frozenset({"GET", "HEAD", "OPTIONS"})
# Who reads has to log in.
_ALLOWED = frozenset({"login", "logout"})


class Observed:
    """Middleware of such a Handoff alone: pages have a banner, and calls that would change something are 503."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        if not start_environment.observes():
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        request.observes = True  # type: ignore[attr-defined]
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: object, args: tuple[object, ...], kwargs: dict[str, object]
    ) -> HttpResponse | None:
        match = request.resolver_match
        if request.method in _READS or (match is not None and match.url_name in _ALLOWED):
            return None
        return unavailable(
            request, "observing", "This Handoff observes only: it changes nothing and starts nothing."
        )

"""Middleware: what a request changes comes from its client, and a refusal (403) of somebody who is known is counted."""

from collections.abc import Callable
from functools import partial

from django.http import HttpRequest, HttpResponseBase

from accounts.audit import origin, refusals
from accounts.audit.origin import Origin
from accounts.devices import address_of
from accounts.principal import Principal
from lib.api import PREFIXES


def note_origin(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Whoever is asked for meanwhile what is behind a change gets this request's door and client."""

    def answer(request: HttpRequest) -> HttpResponseBase:
        find = partial(_origin_of, request)
        with origin.coming_from(find):
            response = get_response(request)
        if response.status_code == 403:
            _note_refusal(request, find)
        return response

    return answer


def _origin_of(request: HttpRequest) -> Origin:
    door = origin.REST if request.path.startswith(PREFIXES) else origin.PAGE
    return Origin(door, address_of(request))


def _note_refusal(request: HttpRequest, find: Callable[[], Origin]) -> None:
    principal = getattr(request, "auth", None) or getattr(request, "principal", None)
    match = request.resolver_match
    if isinstance(principal, Principal) and match is not None:
        # The pattern, not the address: who guesses ids makes no more records.
        refusals.here.note(principal, f"{request.method} /{match.route}", find)

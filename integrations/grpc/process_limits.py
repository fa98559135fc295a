"""What calls may take of this process, as requests over HTTP may of theirs (docs/security.md, "Requests")."""

from collections.abc import Callable
from functools import cache
from typing import TypeVar

from django.conf import settings

from accounts.token_format import token_in
from integrations.grpc.calls import Call
from lib.client_address import neighbourhood
from lib.load.admission import Admission, Credentials, Refused
from lib.load.ceilings import Ceilings, Request
from lib.refusals import TooMany

T = TypeVar("T")


class Limits:
    """The limits of one process: `rates` as `Admission` takes them, `seconds` of CPU time for each piece of a call."""

    def __init__(self, rates: dict[str, int], seconds: float) -> None:
        self._admission, self._seconds = Admission(rates), seconds
        self._ceilings = Ceilings(self._admission.charge)

    def do(self, call: Call, work: Callable[[], T], *, is_first: bool) -> T:
        """What `work` gives. Raises TooMany for a call that is `is_first`, and TooMuchWork."""
        credentials = Credentials(token_in(call.metadata.get("authorization", "")))
        entry = self._admission.enter(credentials, neighbourhood(call.address), is_first=is_first)
        if isinstance(entry, Refused):
            raise TooMany(entry.message, retry_after=entry.retry_after)
        request = Request("A call of gRPC", self._seconds, entry.names)
        try:
            return self._ceilings.run(work, request)
        finally:
            self._admission.leave(entry, request.names)


@cache
def limits() -> Limits:
    """Those of this process."""
    return Limits(settings.HANDOFF_REQUESTS_PER_MINUTE, settings.HANDOFF_REQUEST_CPU_SECONDS)

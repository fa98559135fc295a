"""What operators do with events that the broker would not take."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect

from accounts.access import PageRequest, page
from accounts.roles import RUNS_OPERATE
from integrations.broker.service import retry


@page(RUNS_OPERATE, "POST")
def retry_asides(request: PageRequest) -> HttpResponse:
    """Has events tried again that the broker would not take and that were set aside."""
    retried = retry(request.principal)
    message = (
        "1 event is tried again." if retried.count == 1 else f"{retried.count:,} events are tried again."
    )
    more = " There may be more: try again in a while." if retried.more else ""
    messages.success(request, message + more)
    return redirect("operations-dispatch")

"""What operators see of a broker, and do with events that it would not take."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect

from accounts.access import PageRequest, page
from accounts.roles import RUNS_OPERATE
from integrations.broker.parked_events import asides_of
from integrations.broker.service import retry
from integrations.broker.standing import outbox, outbox_complaint, outbox_told
from workflows import titles


def outbox_panel(request: PageRequest) -> dict[str, Any] | None:
    """How the outbox stands and which events are set aside of those that they may read; None without a broker."""
    if (standing := outbox()) is None:
        return None
    asides = asides_of(request.principal)
    titles.learn(request.principal.tenant_id, {one.place.workflow for one in asides.shown})
    return {
        "outbox": outbox_told(standing),
        "outbox_complaint": outbox_complaint(standing),
        "asides": asides,
    }


@page(RUNS_OPERATE, "POST")
def retry_asides(request: PageRequest) -> HttpResponse:
    """Has events tried again that the broker would not take and that were set aside."""
    retried = retry(request.principal)
    message = (
        "1 event is tried again." if retried.count == 1 else f"{retried.count:,} events are tried again."
    )
    more = " There may be more: try again in a while." if retried.more else ""
    messages.success(request, message + more)
    # The page is that of another feature.
    return redirect("/operations/dispatch")

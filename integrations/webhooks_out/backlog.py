"""What is done with all events of an outgoing webhook: those since a time are sent again, waiting ones given up."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect

from accounts import pages
from accounts.access import PageRequest, page
from accounts.roles import WEBHOOKS_MANAGE
from integrations.webhooks_out import service
from lib.refusals import Conflict, Invalid, NotAllowed


@page(WEBHOOKS_MANAGE, "POST")
def replay_outgoing_since(request: PageRequest, outgoing_id: UUID) -> HttpResponse:
    """Sends all events since a time again."""
    try:
        since = pages.local_moment(pages.typed(request, "since"), "since")
        service.replay_since(request.principal, outgoing_id, since=since)
    except (Conflict, Invalid, NotAllowed) as error:
        messages.error(request, error.message)
    else:
        messages.success(request, "These events are being sent again, with the same ids.")
    return redirect("settings-outgoing-webhook", outgoing_id)


@page(WEBHOOKS_MANAGE, "POST")
def discard_outgoing(request: PageRequest, outgoing_id: UUID) -> HttpResponse:
    """Gives up what waits."""
    try:
        if request.POST.get("confirm") != "yes":
            raise Invalid("Nothing was discarded: tick the box to say that these events are not to be sent.")
        reason = pages.typed(request, "reason") or None
        count = service.discard(request.principal, outgoing_id, reason=reason)
    except (Invalid, NotAllowed) as error:
        messages.error(request, error.message)
    else:
        messages.success(request, f"{count:,} event{'' if count == 1 else 's'} will not be sent.")
    return redirect("settings-outgoing-webhook", outgoing_id)

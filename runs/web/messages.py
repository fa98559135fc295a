"""The page of messages: signals that no step has taken, webhooks, mail that is not sent."""

from typing import Any

from django.http import HttpResponse

from accounts import people
from accounts.access import PageRequest, page
from accounts.roles import ALERTS_MANAGE, RUNS_READ
from runs.reading.mails import unsent_mails
from runs.reading.messages import unread_signals
from runs.web import contexts
from runs.web.listing import brief_rows

SHOWN = 50


@page(RUNS_READ)
def message_list(request: PageRequest) -> HttpResponse:
    """What came for runs and was not taken, how the webhooks stand that they may manage, and what mail is not sent."""
    who = request.principal
    signals = unread_signals(who, SHOWN)
    people.learn(who.tenant_id, [signal.sent_by for signal in signals])
    rows = brief_rows(who, list({signal.run_id for signal in signals})) if signals else []
    runs = {str(row["id"]): row for row in rows}
    context: dict[str, Any] = {
        "signals": [(one, runs[str(one.run_id)]) for one in signals if str(one.run_id) in runs],
        "most": SHOWN,
    }
    if ALERTS_MANAGE in who.scopes:
        mails = unsent_mails(who, SHOWN)
        people.learn(who.tenant_id, [mail.to for mail in mails])
        context |= {"mails": mails, "sees_mail": True}
    return contexts.following(request, "operations/messages.html", "operations/_messages.html", context)

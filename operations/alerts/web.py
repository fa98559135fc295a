"""The pages of alerts: which there are, one of them, and what is done with it."""

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render

from accounts import pages, people
from accounts.access import PageRequest, page
from accounts.roles import ALERTS_MANAGE, RUNS_OPERATE
from lib.api.pagination import keyset_page
from lib.clock import now_here
from lib.refusals import Conflict, Invalid
from operations.alerts import answering
from operations.alerts.limits import COUNTED_ALERTS
from operations.alerts.models import ALERT_STATUSES, Alert
from runs.web import contexts
from workflows import titles

CHOICES = (("open", "Open"), ("acknowledged", "Acknowledged"), ("resolved", "Resolved"), ("all", "All"))
MUTES = (("3600", "for an hour"), ("86400", "for a day"), ("604800", "for a week"))


@page(RUNS_OPERATE)
def alert_list(request: PageRequest) -> HttpResponse:
    """The alerts, newest first: those that are open, or as `?status=` says."""
    status = request.GET.get("status", "open")
    status = status if status in dict(CHOICES) else "open"
    rows = answering.alerts_for(request.principal, status if status in ALERT_STATUSES else None)
    cursor = request.GET.get("cursor") or None
    list_page = keyset_page(rows, request, keys=("id",), limit=pages.ON_A_PAGE, cursor=cursor)
    _learn(request, list_page.rows)
    context = {
        "alerts": list_page.rows,
        "status": status,
        "choices": CHOICES,
        "right_now": now_here(),
    } | pages.neighbours(list_page)
    return contexts.following(request, "alerts/list.html", "alerts/_list.html", context)


@page(RUNS_OPERATE)
def alert_count(request: PageRequest) -> HttpResponse:
    """How many alerts are open, for the menu."""
    few = answering.alerts_for(request.principal, "open").values("pk")[: COUNTED_ALERTS + 1]
    return render(request, "alerts/_count.html", {"count": len(few), "most": COUNTED_ALERTS})


@page(RUNS_OPERATE)
def alert_page(request: PageRequest, alert_id: int) -> HttpResponse:
    """One alert: what is wrong, what to do, who was told, and what can be done with it."""
    alert = answering.get_alert(request.principal, alert_id)
    _learn(request, [alert])
    context: dict[str, Any] = {
        "alert": alert,
        "messages_sent": answering.messages_of(alert),
        "silence": _silence(alert),
        "mutes": MUTES,
        "right_now": now_here(),
        "may_manage": ALERTS_MANAGE in request.principal.scopes,
    }
    return contexts.following(request, "alerts/alert.html", "alerts/_alert.html", context)


def _silence(alert: Alert) -> tuple[str, str]:
    """Why no channel was notified of an alert, in a few words and in a sentence."""
    now, rule = now_here(), alert.rule
    if not rule.channels:
        return "No channel was notified", "Its rule has no channels. Operators find it in the list of alerts."
    if any(until is not None and until > now for until in (alert.muted_until, rule.muted_until)):
        return (
            "No channel was notified",
            "It is muted. If it still holds afterwards, its channels are notified.",
        )
    if alert.quiet_until is not None and alert.quiet_until > now:
        return (
            "Not notified again yet",
            "It was raised again soon after the last time. If it lasts, they are notified.",
        )
    if alert.status == "open":
        return "Notifying its channels", "They are notified within seconds."
    return "No channel was notified", "It was acknowledged or over before they were."


@page(RUNS_OPERATE, "POST")
def acknowledge(request: PageRequest, alert_id: int) -> HttpResponse:
    """Says that whoever asks sees to it, with a note."""
    try:
        answering.acknowledge(request.principal, alert_id, note=pages.typed(request, "note"))
    except Conflict as error:
        messages.error(request, error.message)
    else:
        messages.success(request, "Acknowledged: nobody else is called.")
    return redirect("operations-alert", alert_id)


@page(RUNS_OPERATE, "POST")
def resolve(request: PageRequest, alert_id: int) -> HttpResponse:
    """Says that it is over."""
    try:
        answering.resolve(request.principal, alert_id)
    except Conflict as error:
        messages.error(request, error.message)
    else:
        messages.success(request, "The alert is resolved.")
    return redirect("operations-alert", alert_id)


@page(RUNS_OPERATE, "POST")
def mute(request: PageRequest, alert_id: int) -> HttpResponse:
    """Has nobody told of it for a while, or again."""
    seconds = request.POST.get("seconds", "")
    try:
        if seconds not in ("0", *dict(MUTES)):
            raise Invalid("Choose for how long.")
        answering.mute(request.principal, alert_id, seconds=int(seconds))
    except (Conflict, Invalid) as error:
        messages.error(request, error.message)
    else:
        message = (
            "Nobody is notified of it until then." if int(seconds) else "Channels are notified of it again."
        )
        messages.success(request, message)
    return redirect("operations-alert", alert_id)


def _learn(request: PageRequest, alerts: Sequence[Alert]) -> None:
    """Know what the workflows and people of these are called."""
    titles.learn_titles([(one.workflow.name, one.workflow.title) for one in alerts if one.workflow])
    usernames = {name for one in alerts for name in (one.acknowledged_by, one.resolved_by) if name}
    people.learn(request.principal.tenant_id, sorted(usernames))

"""The pages of channels: which there are, and one of them, with what came of the last messages to it."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache

from accounts import pages, people
from accounts.access import PageRequest, page
from accounts.roles import ALERTS_MANAGE
from lib.refusals import Conflict, Invalid
from operations.alerts import channels
from runs.web import contexts

KINDS = (
    ("mail", "E-mail", "Addresses, with commas between them."),
    ("slack", "Slack or compatible", "The address of an incoming webhook."),
    ("teams", "Microsoft Teams", "The address of a workflow, “When a Teams webhook request is received”."),
    ("pagerduty", "PagerDuty", "An integration key of the Events API v2; in Europe eu: before it."),
    ("webhook", "Webhook", "A URL that receives JSON by POST."),
)
"""Each kind in words, and what its address is."""
MESSAGES = 20
_FIELDS = ("name", "kind", "address")


@never_cache
@page(ALERTS_MANAGE, "GET", "POST")
def channel_list(request: PageRequest) -> HttpResponse:
    """The channels, and the form of a new one."""
    if request.method != "POST":
        empty = dict.fromkeys((*_FIELDS, "default"), "")
        return render(request, "alerts/channels.html", _listed(request) | pages.form_of(empty))
    values = {name: pages.typed(request, name) for name in _FIELDS}
    is_default = bool(request.POST.get("default"))
    try:
        channel = channels.create_channel(
            request.principal, **values, is_default=is_default, fill_rules=is_default
        )
    except (Invalid, Conflict) as error:
        values["default"] = "1" if is_default else ""
        context = _listed(request) | pages.form_of(values, error)
        return render(request, "alerts/channels.html", context, status=pages.status_of(error))
    follows = "Rules that notified nobody notify it." if is_default else "Choose it in a rule."
    messages.success(request, f"The channel is made. {follows} Send a test.")
    return redirect("operations-alert-channel", channel.pk)


@never_cache
@page(ALERTS_MANAGE, "GET", "POST")
def channel_page(request: PageRequest, alert_channel_id: int) -> HttpResponse:
    """One channel: what was sent lately, a test, and what can be changed."""
    if request.method != "POST":
        return contexts.following(
            request,
            "alerts/channel.html",
            "alerts/_messages.html",
            _described(request, alert_channel_id),
        )
    name, address = pages.typed(request, "name"), pages.typed(request, "address")
    is_default = bool(request.POST.get("default"))
    changes: dict[str, Any] = {"name": name, "is_default": is_default} | (
        {"address": address} if address else {}
    )
    try:
        channels.change_channel(request.principal, alert_channel_id, fill_rules=is_default, **changes)
    except (Invalid, Conflict) as error:
        context = _described(request, alert_channel_id) | pages.form_of({"name": name, "address": ""}, error)
        return render(request, "alerts/channel.html", context, status=pages.status_of(error))
    messages.success(request, "The channel is changed.")
    return redirect("operations-alert-channel", alert_channel_id)


@page(ALERTS_MANAGE, "POST")
def test_channel(request: PageRequest, alert_channel_id: int) -> HttpResponse:
    """Sends a test; the page that follows says what came of it."""
    channels.send_test(request.principal, alert_channel_id)
    return redirect("operations-alert-channel", alert_channel_id)


@page(ALERTS_MANAGE, "POST")
def switch_channel(request: PageRequest, alert_channel_id: int) -> HttpResponse:
    """Switches a channel off, or on again."""
    turns_on = request.POST.get("on") == "1"
    channels.change_channel(request.principal, alert_channel_id, enabled=turns_on)
    messages.success(
        request, "It is on: it gets alerts again." if turns_on else "It is off: it gets no alerts."
    )
    return redirect("operations-alert-channel", alert_channel_id)


@page(ALERTS_MANAGE, "POST")
def delete_channel(request: PageRequest, alert_channel_id: int) -> HttpResponse:
    """Removes a channel, also from rules."""
    channels.delete_channel(request.principal, alert_channel_id)
    messages.success(request, "The channel is deleted, and removed from all rules.")
    return redirect("operations-alert-channels")


def _listed(request: PageRequest) -> dict[str, Any]:
    tenant_id = request.principal.tenant_id
    rows = list(channels.channels_of(tenant_id).order_by("name"))
    last = channels.deliveries_of(tenant_id, [row.pk for row in rows])
    words = {kind: word for kind, word, _ in KINDS}
    return {
        "channels": [{"it": row, "kind": words[row.kind], "last": last.get(row.pk)} for row in rows],
        "kinds": KINDS,
    }


def _described(request: PageRequest, channel_id: int) -> dict[str, Any]:
    channel = channels.get_channel(request.principal.tenant_id, channel_id)
    people.learn(channel.tenant_id, [channel.made_by])
    deliveries = channels.messages_to(channel, MESSAGES)
    kind = next(one for one in KINDS if one[0] == channel.kind)
    return {
        "channel": channel,
        "kind": kind[1],
        "address_help": kind[2],
        "sent": deliveries,
        "waits": any(one.state == "pending" and one.event == "test" for one in deliveries),
    } | pages.form_of({"name": channel.name, "address": ""})

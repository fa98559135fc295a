"""The pages of webhooks that go out: which there are and how they stand, what was sent, and what is done with them."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache

from accounts import pages, people
from accounts.access import PageRequest, page
from accounts.roles import EDIT, WEBHOOKS_MANAGE
from integrations.webhooks_out import events, service, store
from integrations.webhooks_out.limits import (
    COUNTED_MESSAGES,
    DESCRIPTION_CHARACTERS,
    REPLAY_DAYS,
    WAITING_MESSAGES,
    WORKFLOW_CHOICES,
)
from integrations.webhooks_out.models import OutgoingWebhook
from integrations.webhooks_out.switching import WORDS
from lib.api.pagination import keyset_page
from lib.reader import reader
from lib.refusals import Conflict, Invalid, Missing, NotAllowed, Refusal
from runs.access import readable
from workflows import titles
from workflows.access import open_to

ON_A_PAGE = 25
NEWEST = 20
"""So many are on the page of messages."""
_FIELDS = ("url", "description", "workflow", "which")
_OVERLAPS = (("0", "at once"), ("3600", "in an hour"), ("86400", "in a day"), ("604800", "in a week"))
_GROUPS = (("run", "Runs"), ("step", "Steps"), ("task", "Tasks"))


@never_cache
@page(WEBHOOKS_MANAGE, "GET", "POST")
def outgoing_list(request: PageRequest) -> HttpResponse:
    """The webhooks that go out, and the form of a new one, whose secret is shown only in answer to it."""
    if request.method != "POST":
        empty = dict.fromkeys(_FIELDS, "")
        return render(request, "webhooks_out/list.html", _listed(request, ()) | pages.form_of(empty))
    values = {name: pages.typed(request, name) for name in _FIELDS}
    event_names = request.POST.getlist("events")[: len(events.NAMES)]
    try:
        created = service.create_webhook(
            request.principal,
            url=values["url"],
            description=values["description"][:DESCRIPTION_CHARACTERS],
            workflow=values["workflow"] or None,
            events_wanted=event_names if values["which"] == "some" else None,
        )
    except Missing:
        wrong = Invalid("There is no such workflow, or you may not edit it.", field="workflow")
        return _refused(request, values, event_names, wrong, 422)
    except (Invalid, Conflict) as error:
        return _refused(request, values, event_names, error, pages.status_of(error))
    except NotAllowed as error:
        return _refused(request, values, event_names, Invalid(error.message, field="workflow"), 403)
    return render(request, "webhooks_out/new.html", _shown_once(created), status=201)


@page(WEBHOOKS_MANAGE)
def outgoing_page(request: PageRequest, outgoing_id: UUID) -> HttpResponse:
    """One webhook: how it stands, what was sent, what came of that, and what can be done with it."""
    hook = service.get_webhook(request.principal.tenant_id, outgoing_id)
    people.learn(hook.tenant_id, [hook.made_by])
    cursor = request.GET.get("cursor") or None
    delivery_page = keyset_page(
        service.deliveries_of(hook), request, keys=("id",), limit=ON_A_PAGE, cursor=cursor
    )
    context = _described(hook) | {
        "deliveries": [{"row": row, "event": events.name_of(row.type)} for row in delivery_page.rows],
        "waiting": store.pending([hook.pk], COUNTED_MESSAGES)[hook.pk],
        "most_waiting": COUNTED_MESSAGES,
        "overlaps": _OVERLAPS,
        "replay": getattr(hook, "replay", None),
        "zone": reader().zone_words,
        "replay_days": REPLAY_DAYS,
    }
    return render(request, "webhooks_out/webhook.html", context | pages.neighbours(delivery_page))


@page(WEBHOOKS_MANAGE, "GET", "POST")
def edit_outgoing(request: PageRequest, outgoing_id: UUID) -> HttpResponse:
    """Changes its address, what it is for and which events it is sent."""
    hook = service.get_webhook(request.principal.tenant_id, outgoing_id)
    hook_context = _described(hook) | {"groups": _grouped()}
    if request.method != "POST":
        which = "all" if hook.all_events else "some"
        values = {"url": hook.url, "description": hook.description, "which": which}
        context = hook_context | {"chosen": hook_context["events"]} | pages.form_of(values | {"events": ""})
        return render(request, "webhooks_out/edit.html", context)
    values = {name: pages.typed(request, name) for name in ("url", "description", "which")}
    event_names = request.POST.getlist("events")[: len(events.NAMES)]
    try:
        service.change_webhook(
            request.principal,
            outgoing_id,
            url=values["url"],
            description=values["description"][:DESCRIPTION_CHARACTERS],
            events=event_names if values["which"] == "some" else None,
        )
    except Invalid as error:
        form = pages.form_of(values | {"events": ""}, _at_a_field(error))
        context = hook_context | {"chosen": event_names} | form
        return render(request, "webhooks_out/edit.html", context, status=422)
    messages.success(request, "The webhook is changed.")
    return redirect("settings-outgoing-webhook", outgoing_id)


@page(WEBHOOKS_MANAGE, "POST")
def test_outgoing(request: PageRequest, outgoing_id: UUID) -> HttpResponse:
    """Sends a test."""
    try:
        service.send_test(request.principal, outgoing_id)
    except (Conflict, NotAllowed) as error:
        messages.error(request, error.message)
    else:
        messages.success(request, "A test is being sent: look at this page again in a moment.")
    return redirect("settings-outgoing-webhook", outgoing_id)


@page(WEBHOOKS_MANAGE, "POST")
def replay_outgoing(request: PageRequest, outgoing_id: UUID, delivery_id: int) -> HttpResponse:
    """Sends an event once more."""
    try:
        service.replay(request.principal, outgoing_id, delivery_id)
    except (Conflict, NotAllowed) as error:
        messages.error(request, error.message)
    else:
        messages.success(request, "It is being sent once more, with the same id.")
    return redirect("settings-outgoing-webhook", outgoing_id)


@page(WEBHOOKS_MANAGE, "POST")
def switch_outgoing(request: PageRequest, outgoing_id: UUID) -> HttpResponse:
    """Switches a webhook on again, or off."""
    turns_on = request.POST.get("on") == "1"
    try:
        if turns_on:
            service.enable_webhook(request.principal, outgoing_id)
        else:
            service.change_webhook(request.principal, outgoing_id, enabled=False)
    except NotAllowed as error:
        messages.error(request, error.message)
    else:
        on = "It receives events, those that waited first."
        messages.success(
            request, on if turns_on else "It is off: nothing is sent, and what waits goes on waiting."
        )
    return redirect("settings-outgoing-webhook", outgoing_id)


@never_cache
@page(WEBHOOKS_MANAGE, "POST")
def rotate_outgoing(request: PageRequest, outgoing_id: UUID) -> HttpResponse:
    """Makes a new secret, which is shown only in answer to this."""
    overlap = request.POST.get("overlap", "")
    try:
        if overlap not in dict(_OVERLAPS):
            raise Invalid("Choose how long the old secret stays valid.")
        rotated = service.rotate_secret(request.principal, outgoing_id, overlap_seconds=int(overlap))
    except (Invalid, Conflict, NotAllowed) as error:
        messages.error(request, error.message)
        return redirect("settings-outgoing-webhook", outgoing_id)
    return render(request, "webhooks_out/new.html", _shown_once(rotated) | {"is_rotated": True})


@page(WEBHOOKS_MANAGE, "POST")
def delete_outgoing(request: PageRequest, outgoing_id: UUID) -> HttpResponse:
    """Removes a webhook."""
    service.delete_webhook(request.principal, outgoing_id, reason=pages.typed(request, "reason") or None)
    messages.success(request, "The webhook is deleted; nothing more is sent to its address.")
    return redirect("settings-outgoing-webhooks")


def _listed(request: PageRequest, event_names: Any) -> dict[str, Any]:
    tenant = request.principal.tenant_id
    rows = readable(service.webhooks_of(tenant), request.principal, EDIT)
    cursor = request.GET.get("cursor") or None
    hook_page = keyset_page(rows, request, keys=("id",), limit=pages.ON_A_PAGE, cursor=cursor)
    choices = open_to(request.principal, EDIT).filter(archived_at__isnull=True).order_by("name")
    return {
        "hooks": _shown_hooks(hook_page.rows),
        "most_waiting": WAITING_MESSAGES,
        "workflows": list(choices.values_list("name", "title")[:WORKFLOW_CHOICES]),
        "may_all": request.principal.reach.is_everywhere,
        "groups": _grouped(),
        "chosen": event_names,
    } | pages.neighbours(hook_page)


def newest(request: PageRequest) -> dict[str, Any] | None:
    """The newest that they may edit, for the page of messages."""
    who = request.principal
    if WEBHOOKS_MANAGE not in who.scopes:
        return None
    rows = readable(service.webhooks_of(who.tenant_id), who, EDIT).order_by("-id")[:NEWEST]
    return {"hooks": _shown_hooks(list(rows)), "most_waiting": WAITING_MESSAGES}


def _shown_hooks(hooks: Sequence[OutgoingWebhook]) -> list[dict[str, Any]]:
    """Webhooks as rows of a list, each with how many messages wait for it, up to `WAITING_MESSAGES`."""
    waiting = store.pending([one.pk for one in hooks], WAITING_MESSAGES) if hooks else {}
    return [_described(one) | {"waiting": waiting[one.pk]} for one in hooks]


def _grouped() -> list[tuple[str, list[str]]]:
    return [
        (title, [name for name in events.NAMES if name.startswith(f"{group}.")]) for group, title in _GROUPS
    ]


def _refused(
    request: PageRequest,
    values: dict[str, str],
    event_names: list[str],
    error: Invalid | Conflict,
    status: int,
) -> HttpResponse:
    context = _listed(request, event_names) | pages.form_of(values | {"events": ""}, _at_a_field(error))
    return render(request, "webhooks_out/list.html", context, status=status)


def _at_a_field(error: Refusal) -> Invalid | Conflict:
    kind = Conflict if isinstance(error, Conflict) else Invalid
    return kind(error.message, code=error.code, field=error.field or "")


def _described(hook: OutgoingWebhook) -> dict[str, Any]:
    if hook.workflow:
        titles.learn_titles([(hook.workflow.name, hook.workflow.title)])
    return {
        "hook": hook,
        "name": hook.description or service.shown_host(hook.url),
        "events": [] if hook.all_events else [events.name_of(kind) for kind in hook.types],
        "off": WORDS.get(hook.off_reason, ""),
    }


def _shown_once(created: service.WithSecret) -> dict[str, Any]:
    return _described(created.webhook) | {"secret": created.secret}

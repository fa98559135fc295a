"""The pages of inbound webhooks: which there are, one with what came of its messages, and what is done with it."""

import re
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import orjson
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache

from accounts import pages, people
from accounts.access import PageRequest, page
from accounts.roles import EDIT, WEBHOOKS_MANAGE
from engine.limits import WORKFLOW_NAME_CHARACTERS
from lib.api.pagination import keyset_page
from lib.refusals import Conflict, Invalid, Missing, NotAllowed, Refusal
from lib.strict_json import BadJson, strict_loads
from runs.access import readable
from triggers.webhooks import received, refused, service
from triggers.webhooks.limits import MAPPING_BYTES, WORKFLOW_CHOICES
from triggers.webhooks.models import InboundWebhook
from triggers.webhooks.presets import PRESETS
from triggers.webhooks.presets.base import SecretSource
from triggers.webhooks.store import last_deliveries
from workflows import titles
from workflows.access import open_to

NEWEST = 20
"""So many are on the page of messages."""
_SENDER = ("preset", "secret", "topic_arn", "verify_token")
_FIELDS = (
    "name",
    "workflow",
    "action",
    "business_key",
    "signal_name",
    "body",
    "unsigned",
    "starts",
    *_SENDER,
)
_OVERLAPS = (("0", "at once"), ("3600", "in an hour"), ("86400", "in a day"), ("604800", "in a week"))
_OF_BODY = re.compile(r"\bbody\.([A-Za-z_]\w*)")
DOES = {"start": "starts a run", "signal": "is a signal to a run"}


@never_cache
@page(WEBHOOKS_MANAGE, "GET", "POST")
def webhook_list(request: PageRequest) -> HttpResponse:
    """The webhooks, and the form of a new one, whose secret is shown only in answer to it."""
    if request.method != "POST":
        empty = dict.fromkeys(_FIELDS, "") | {
            "action": "start",
            "workflow": request.GET.get("workflow", "")[:WORKFLOW_NAME_CHARACTERS],
        }
        return render(request, "webhooks/list.html", _listed(request) | pages.form_of(empty))
    values = {name: pages.typed(request, name) for name in _FIELDS}
    try:
        created = _created(request, values)
    except Missing:
        wrong = Invalid("There is no such workflow, or you may not edit it.", field="workflow")
        return _refused(request, values, wrong, 422)
    except (Invalid, Conflict) as error:
        return _refused(request, values, _at_its_field(error), pages.status_of(error))
    except NotAllowed as error:
        return _refused(request, values, Invalid(error.message), 403)
    return render(request, "webhooks/new.html", _shown_once(request, created), status=201)


@page(WEBHOOKS_MANAGE)
def webhook_page(request: PageRequest, webhook_id: UUID) -> HttpResponse:
    """One webhook: its address, what came of its messages, why others were refused, and what can be done with it."""
    webhook = service.get_webhook(request.principal.tenant_id, webhook_id)
    people.learn(webhook.tenant_id, [webhook.acts_for])
    (lately,) = refused.lately([bytes(webhook.token_sha256)])
    context = _shown(request, webhook) | {
        "effects": received.effects_of(request.principal, webhook),
        "refusals": lately,
    }
    return render(request, "webhooks/webhook.html", context)


@page(WEBHOOKS_MANAGE, "POST")
def switch_webhook(request: PageRequest, webhook_id: UUID) -> HttpResponse:
    """Has a webhook take messages again, or no more."""
    turns_on = request.POST.get("on") == "1"
    try:
        webhook = service.change_webhook(request.principal, webhook_id, enabled=turns_on)
    except NotAllowed as error:
        messages.error(request, error.message)
    else:
        does = "takes messages" if turns_on else "is off: its messages are answered with 410"
        messages.success(request, f"“{webhook.name}” {does}.")
    return redirect("settings-webhook", webhook_id)


@never_cache
@page(WEBHOOKS_MANAGE, "POST")
def rotate_webhook(request: PageRequest, webhook_id: UUID) -> HttpResponse:
    """Makes a new secret, which is shown only in answer to this."""
    overlap = request.POST.get("overlap", "0")
    try:
        if overlap not in dict(_OVERLAPS):
            raise Invalid("Choose how long the old secret stays valid.")
        secret = pages.typed(request, "secret") or None
        rotated = service.rotate_secret(
            request.principal, webhook_id, overlap_seconds=int(overlap), secret=secret
        )
    except (Invalid, Conflict, NotAllowed) as error:
        messages.error(request, error.message)
        return redirect("settings-webhook", webhook_id)
    return render(request, "webhooks/new.html", _shown_once(request, rotated) | {"is_rotated": True})


@page(WEBHOOKS_MANAGE, "POST")
def delete_webhook(request: PageRequest, webhook_id: UUID) -> HttpResponse:
    """Removes a webhook."""
    webhook = service.get_webhook(request.principal.tenant_id, webhook_id)
    reason = pages.typed(request, "reason") or None
    service.delete_webhook(request.principal, webhook_id, reason=reason)
    messages.success(request, f"“{webhook.name}” is deleted; its address no longer works.")
    return redirect("settings-webhooks")


def newest(request: PageRequest) -> dict[str, Any] | None:
    """The newest webhooks for the page of messages, for who may manage them."""
    who = request.principal
    if WEBHOOKS_MANAGE not in who.scopes:
        return None
    hooks = readable(service.webhooks_of(who.tenant_id), who, EDIT).order_by("-id")[:NEWEST]
    return {"hooks": shown_hooks(who.tenant_id, list(hooks))}


def _listed(request: PageRequest) -> dict[str, Any]:
    tenant = request.principal.tenant_id
    rows = readable(service.webhooks_of(tenant), request.principal, EDIT)
    cursor = request.GET.get("cursor") or None
    hook_page = keyset_page(rows, request, keys=("id",), limit=pages.ON_A_PAGE, cursor=cursor)
    choices = open_to(request.principal, EDIT).filter(archived_at__isnull=True).order_by("name")
    workflows = list(choices.values_list("name", "title")[:WORKFLOW_CHOICES])
    hooks = shown_hooks(tenant, hook_page.rows)
    return {"hooks": hooks, "workflows": workflows, "presets": PRESETS.values()} | pages.neighbours(hook_page)


def shown_hooks(tenant: int, hooks: Sequence[InboundWebhook]) -> list[dict[str, Any]]:
    """Webhooks as rows of a list, each with when it took a message last, and the last one that it refused."""
    titles.learn_titles([(one.workflow.name, one.workflow.title) for one in hooks])
    times = last_deliveries(tenant, [one.id for one in hooks])
    lately = refused.lately([bytes(one.token_sha256) for one in hooks])
    return [
        {"hook": one, "does": DOES[one.action], "taken_at": times.get(str(one.id)), "refused": refusals[:1]}
        for one, refusals in zip(hooks, lately, strict=True)
    ]


def _refused(
    request: PageRequest, values: dict[str, str], error: Invalid | Conflict, status: int
) -> HttpResponse:
    context = _listed(request) | pages.form_of(values, error)
    return render(request, "webhooks/list.html", context, status=status)


def _shown(request: PageRequest, webhook: InboundWebhook, secret: str | None = None) -> dict[str, Any]:
    titles.learn_titles([(webhook.workflow.name, webhook.workflow.title)])
    token = service.token_of(webhook)
    preset = PRESETS[webhook.preset] if webhook.preset else None
    needs_secret = preset is not None and preset.secret is not SecretSource.NONE and not webhook.secrets.all()
    names = dict.fromkeys(_OF_BODY.findall(orjson.dumps(webhook.mapping).decode()))
    return {
        "hook": webhook,
        "does": DOES[webhook.action],
        "url": token and request.build_absolute_uri(reverse("hook", args=[token])),
        "secret": secret,
        "preset": preset,
        "needs_secret": needs_secret,
        "overlaps": _OVERLAPS,
        # As a word of a shell, between single quotes.
        "example": orjson.dumps(dict.fromkeys(names, "1")).decode().replace("'", "'\\''"),
        "mapping": sorted(webhook.mapping.items()),
    }


def _shown_once(request: PageRequest, created: service.WithSecret) -> dict[str, Any]:
    return _shown(request, created.webhook, created.secret)


def _created(request: PageRequest, values: dict[str, str]) -> service.WithSecret:
    return service.create_webhook(
        request.principal,
        name=_needed(values, "name", 128),
        workflow=_needed(values, "workflow", WORKFLOW_NAME_CHARACTERS),
        action=_action(values),
        mapping=_mapping(values),
        allow_unsigned=bool(values["unsigned"]),
        **_sender(values),
    )


def _sender(values: Mapping[str, str]) -> dict[str, str | None]:
    """The fields of the chosen sender; what was typed for another one is hidden and left out."""
    preset = PRESETS.get(values["preset"])
    has_secret = preset is not None and preset.secret is not SecretSource.NONE
    names = {"preset", *(preset.settings if preset else ()), *(["secret"] if has_secret else ())}
    return {name: values[name] or None for name in _SENDER if name in names}


def _needed(values: Mapping[str, str], name: str, most: int) -> str:
    if not 0 < len(values[name]) <= most:
        raise Invalid(f"This must have 1 to {most} characters.", field=name)
    return values[name]


def _action(values: Mapping[str, str]) -> str:
    if values["action"] not in service.ACTIONS:
        raise Invalid("Choose one of these.", field="action")
    return values["action"]


def _mapping(values: Mapping[str, str]) -> dict[str, Any]:
    """What the fields of the form mean; those that are empty are left to what a webhook does by itself."""
    mapping: dict[str, Any] = {}
    if values["business_key"]:
        mapping["business_key"] = values["business_key"]
    is_signal = values["action"] == "signal"
    if is_signal and values["signal_name"]:
        mapping["signal_name"] = values["signal_name"]
    if is_signal and values["starts"]:
        mapping["start_if_missing"] = True
    if values["body"]:
        try:
            body = strict_loads(values["body"].encode(), max_bytes=MAPPING_BYTES)
        except BadJson as error:
            raise Invalid(f"This is not valid JSON: {error.message}.", field="body") from None
        mapping["payload" if is_signal else "input"] = body
    return mapping


def _at_its_field(error: Refusal) -> Invalid | Conflict:
    """The refusal at the field of the form that the part of the mapping has."""
    part = (error.field or "").removeprefix("mapping.")
    field = {"payload": "body", "input": "body", "mapping": "body", "allow_unsigned": "preset"}.get(
        part, part
    )
    kind = Conflict if isinstance(error, Conflict) else Invalid
    return kind(error.message, code=error.code, field=field)

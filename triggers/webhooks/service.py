"""Webhooks as their owners see them: make, change, exchange the secret, remove. Each checks its scopes itself."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Max, Prefetch, QuerySet

from accounts import audit
from accounts.principal import Principal
from accounts.queries import find_member
from accounts.roles import WEBHOOKS_MANAGE
from accounts.sealed import ring_of
from engine.catalogue import Json
from lib.clock import now_here
from lib.refusals import Conflict, Invalid, Missing
from lib.sealing import CannotOpen, Hidden, Place
from lib.standard_webhooks import new_secret, written
from lib.uuid7 import uuid7
from triggers.webhooks import mapping as mappings
from triggers.webhooks import setup, store
from triggers.webhooks.actions import secret_place
from triggers.webhooks.limits import FORMER_NAMES, VALID_SECRETS
from triggers.webhooks.models import InboundWebhook, WebhookSecret
from triggers.webhooks.overview import with_refusal
from triggers.webhooks.presets.base import Preset
from triggers.webhooks.rights import scopes_of, why_not_for
from workflows.access import guard_workflow
from workflows.queries import get_workflow, refuse_archived

TOKEN_BYTES = 16
DEFAULT_OVERLAP_SECONDS = 24 * 3600
ACTIONS = ("signal", "start")


@dataclass(frozen=True, slots=True)
class WithSecret:
    """A webhook and its new secret, which nobody is shown again; None where the sender has made it."""

    webhook: InboundWebhook
    secret: str | None


def webhooks_of(tenant_id: int) -> QuerySet[InboundWebhook]:
    """The tenant's webhooks with what the API shows of them."""
    newest_first = WebhookSecret.objects.for_tenant(tenant_id).order_by("-number")
    rows = with_refusal(InboundWebhook.objects.for_tenant(tenant_id), tenant_id).select_related("workflow")
    return rows.prefetch_related(Prefetch("secrets", newest_first))


def get_webhook(tenant_id: int, webhook_id: UUID) -> InboundWebhook:
    """The tenant's webhook. Raises Missing."""
    webhook = webhooks_of(tenant_id).filter(pk=webhook_id).first()
    if webhook is None:
        raise Missing("There is no such webhook.")
    return webhook


def create_webhook(
    principal: Principal,
    *,
    name: str,
    workflow: str,
    action: str,
    mapping: dict[str, Json],
    allow_unsigned: bool = False,
    preset: str | None = None,
    secret: str | None = None,
    topic_arn: str | None = None,
    verify_token: str | None = None,
    reason: str | None = None,
) -> WithSecret:
    """A new webhook with its address and its first secret, which is made here, or is the sender's own where the preset
    has one.

    Raises Invalid for a bad mapping or what does not fit the preset, Missing, Conflict for an archived workflow or a
    name that is taken, Forbidden for who may not do themselves what the webhook will do.
    """
    principal.require_person("A webhook")
    _require(principal, action, mapping, workflow)
    mappings.check(action, mapping)
    sender = setup.preset_of(preset)
    setup.require_no_unsigned(sender, allow_unsigned)
    refuse_archived(target := get_workflow(principal.tenant_id, workflow))
    webhook_id, token = uuid7(), secrets.token_urlsafe(TOKEN_BYTES)
    values: dict[str, str | None] = {"topic_arn": topic_arn, "verify_token": verify_token}
    settings = setup.settings_for(sender, values, principal.tenant_id, webhook_id)
    key, text = _secret(sender, secret)
    ring = ring_of(principal.tenant_id)
    try:
        with transaction.atomic():
            InboundWebhook.objects.create(
                id=webhook_id,
                tenant_id=principal.tenant_id,
                workflow=target,
                name=name,
                token_sha256=store.digest(token),
                token_sealed=ring.seal(Hidden(token.encode()), _token_place(principal.tenant_id, webhook_id)),
                action=action,
                mapping=mapping,
                preset=preset,
                settings=settings or None,
                allow_unsigned=allow_unsigned,
                acts_for=principal.username,
            )
            if key is not None:
                _add_secret(principal.tenant_id, webhook_id, 1, key)
            webhook = get_webhook(principal.tenant_id, UUID(webhook_id))
            after = _facts_of(webhook) | {"secret": audit.CHANGED, "token": audit.CHANGED}
            audit.change(principal, "webhook.create", name, after=after, reason=reason)
    except IntegrityError:
        raise _taken(name) from None
    return WithSecret(webhook, text)


def change_webhook(
    principal: Principal, webhook_id: UUID, *, reason: str | None = None, **values: Json
) -> InboundWebhook:
    """Change what is given of `name`, `mapping`, `allow_unsigned`, `enabled` and the settings of its preset; from then
    on it acts for who did it, but for switching it off. Raises as `create_webhook`.
    """
    webhook = get_webhook(principal.tenant_id, webhook_id)
    if values.keys() == {"enabled"} and not values["enabled"]:
        _require_edit(principal, webhook.workflow.name)
    elif values:
        mapping = values.get("mapping", webhook.mapping)
        _require(principal, webhook.action, mapping, webhook.workflow.name)
        principal.require_person("A webhook")
        values["acts_for"] = principal.username
    if "mapping" in values:
        mappings.check(webhook.action, values["mapping"])
    sender = setup.preset_of(webhook.preset)
    setup.require_no_unsigned(sender, bool(values.get("allow_unsigned")))
    settings: dict[str, str | None] = {name: values.pop(name) for name in setup.SETTINGS if name in values}
    if settings:
        changes = setup.settings_for(sender, settings, principal.tenant_id, str(webhook_id), partly=True)
        values["settings"] = (webhook.settings or {}) | changes
    if values:
        try:
            with transaction.atomic():
                _change(principal.tenant_id, webhook_id, values)
                before, after = _facts_of(webhook), _facts_of(get_webhook(principal.tenant_id, webhook_id))
                audit.change(
                    principal, "webhook.change", webhook.name, before=before, after=after, reason=reason
                )
        except IntegrityError:
            raise _taken(values["name"]) from None
    return get_webhook(principal.tenant_id, webhook_id)


def hand_webhook(
    principal: Principal, webhook_id: UUID, to: str, *, reason: str | None = None
) -> InboundWebhook:
    """Have a webhook act for another member, who may do what it does themselves.

    Raises Missing, Forbidden for who may not do that, Invalid at `to` for whom it can't act for.
    """
    webhook = get_webhook(principal.tenant_id, webhook_id)
    _require(principal, webhook.action, webhook.mapping, webhook.workflow.name)
    member = find_member(principal.tenant_id, to)
    scopes = scopes_of(webhook.action, webhook.mapping)
    why = why_not_for(principal.tenant_id, to, webhook.workflow.folder_id, scopes)
    if why or member is None:
        raise Invalid(f"It can't act for {to}, {why}.", code="may_not_do", field="to")
    with transaction.atomic():
        _change(principal.tenant_id, webhook_id, {"acts_for": member.user.username})
        before, after = {"acts_for": webhook.acts_for}, {"acts_for": member.user.username}
        audit.change(principal, "webhook.hand", webhook.name, before=before, after=after, reason=reason)
    return get_webhook(principal.tenant_id, webhook_id)


def _change(tenant_id: int, webhook_id: UUID, values: dict[str, Json]) -> None:
    rows = InboundWebhook.objects.for_tenant(tenant_id)
    was = rows.select_for_update().filter(pk=webhook_id).first()
    if was is None:
        raise Missing("There is no such webhook.")
    if values.get("name", was.name) != was.name:
        former = [*(was.former_names or []), [was.name, now_here().isoformat()]]
        values = values | {"former_names": former[-FORMER_NAMES:]}
    rows.filter(pk=webhook_id).update(**values)
    if "acts_for" in values:
        # Whoever took it over may do what was refused to whoever had it.
        store.clear_refusals(str(webhook_id))


def rotate_secret(
    principal: Principal,
    webhook_id: UUID,
    *,
    overlap_seconds: int = DEFAULT_OVERLAP_SECONDS,
    secret: str | None = None,
    reason: str | None = None,
) -> WithSecret:
    """A new secret, the sender's own where the preset has one; those of until now count for `overlap_seconds` more.

    Raises Missing, Invalid at `secret`, Conflict for too many.
    """
    webhook = get_webhook(principal.tenant_id, webhook_id)
    _require(principal, webhook.action, webhook.mapping, webhook.workflow.name)
    key, text = _secret(setup.preset_of(webhook.preset), secret)
    if key is None:
        raise Invalid("Enter the new secret of the sender.", code="required", field="secret")
    with transaction.atomic():
        rows = InboundWebhook.objects.for_tenant(principal.tenant_id)
        # One after another: each takes the next number.
        if rows.select_for_update().filter(pk=webhook_id).first() is None:
            raise Missing("There is no such webhook.")
        secrets = WebhookSecret.objects.for_tenant(principal.tenant_id).filter(webhook_id=webhook_id)
        number = secrets.aggregate(last=Max("number"))["last"] or 0
        store.retire_secrets(principal.tenant_id, str(webhook_id), overlap_seconds)
        if secrets.count() >= VALID_SECRETS:
            message = f"{VALID_SECRETS} secrets are still valid; rotate with overlap_seconds 0 to end them."
            if overlap_seconds:
                raise Conflict(message, code="too_many_secrets", field="overlap_seconds")
        _add_secret(principal.tenant_id, str(webhook_id), number + 1, key)
        after = {"secret": audit.CHANGED, "overlap_seconds": overlap_seconds}
        audit.change(principal, "webhook.rotate", webhook.name, after=after, reason=reason)
    return WithSecret(get_webhook(principal.tenant_id, webhook_id), text)


def delete_webhook(principal: Principal, webhook_id: UUID, *, reason: str | None = None) -> None:
    """Remove a webhook; its address is nobody's from now on. Raises Missing."""
    webhook = get_webhook(principal.tenant_id, webhook_id)
    # To end what it does is less than to do it.
    _require_edit(principal, webhook.workflow.name)
    with transaction.atomic():
        InboundWebhook.objects.for_tenant(principal.tenant_id).filter(pk=webhook_id).delete()
        audit.change(principal, "webhook.delete", webhook.name, before=_facts_of(webhook), reason=reason)


def token_of(webhook: InboundWebhook) -> str | None:
    """The last part of the address; None where the key that sealed it is not here."""
    try:
        place = _token_place(webhook.tenant_id, str(webhook.id))
        return ring_of(webhook.tenant_id).open(bytes(webhook.token_sealed), place).reveal().decode()
    except CannotOpen:
        return None


def _facts_of(webhook: InboundWebhook) -> dict[str, Json]:
    """What the audit log says of a webhook."""
    facts = audit.fields_of(
        webhook, "name", "action", "mapping", "preset", "allow_unsigned", "enabled", "acts_for"
    )
    settings = setup.shown_settings(webhook.preset, webhook.settings)
    return facts | settings | {"workflow": webhook.workflow.name}


def _require(principal: Principal, action: str, mapping: Mapping[str, Json], workflow: str) -> None:
    # It acts for them: nobody makes one that may do more than they do.
    _require_edit(principal, workflow)
    for scope in scopes_of(action, mapping):
        principal.require(scope)
        guard_workflow(principal, scope, workflow)


def _require_edit(principal: Principal, workflow: str) -> None:
    principal.require(WEBHOOKS_MANAGE)
    guard_workflow(principal, WEBHOOKS_MANAGE, workflow)


def _secret(sender: Preset | None, secret: str | None) -> tuple[bytes | None, str | None]:
    """The secret to keep, and as it is shown once where it was made here. Raises Invalid at `secret`."""
    if sender is None:
        if secret:
            raise Invalid("Without a preset the secret is made by Handoff.", field="secret")
        own_key = new_secret()
        return own_key, written(own_key)
    key, is_ours = setup.secret_for(sender, secret)
    return key, key.decode() if key is not None and is_ours else None


def _add_secret(tenant_id: int, webhook: str, number: int, secret: bytes) -> None:
    WebhookSecret.objects.create(
        tenant_id=tenant_id,
        webhook_id=webhook,
        number=number,
        sealed=ring_of(tenant_id).seal(Hidden(secret), secret_place(tenant_id, webhook, number)),
    )


def _token_place(tenant_id: int, webhook: str) -> Place:
    return Place(tenant_id, f"webhook/{webhook}", "token")


def _taken(name: str) -> Conflict:
    return Conflict(f"A webhook {name!r} already exists.", code="name_taken", field="name")

"""Webhooks that go out as their owners see them: make, change, test, exchange the secret, send again, remove."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from urllib.parse import urlsplit
from uuid import UUID

from django.db import transaction
from django.db.models import Max, Prefetch, QuerySet

from accounts import audit
from accounts.principal import Forbidden, Principal
from accounts.roles import WEBHOOKS_MANAGE
from engine.catalogue import Json
from integrations.webhooks_out import events, secrets, store
from integrations.webhooks_out.limits import (
    PENDING_MESSAGES,
    REPLAY_DAYS,
    TENANT_WEBHOOKS,
    URL_CHARACTERS,
    VALID_SECRETS,
)
from integrations.webhooks_out.models import OutgoingDelivery, OutgoingReplay, OutgoingSecret, OutgoingWebhook
from lib.batches import in_bounded_batches
from lib.clock import now_here, now_there
from lib.egress import EgressRefused, url_of
from lib.refusals import Conflict, Invalid, Missing
from lib.uuid7 import uuid7
from workflows.access import guard_workflow
from workflows.queries import get_workflow, refuse_archived

DEFAULT_OVERLAP_SECONDS = 24 * 3600
_BATCH = 5_000
_DISCARD_SECONDS = 5.0
_UNTRIED: dict[str, Json] = {"failures": 0, "failing_since": None, "paused_until": None, "last_error": ""}
"""A webhook at which nothing has failed yet."""
_HAND = "by hand"


@dataclass(frozen=True, slots=True)
class WithSecret:
    """A webhook and its new secret, which nobody is shown again."""

    webhook: OutgoingWebhook
    secret: str


def webhooks_of(tenant_id: int) -> QuerySet[OutgoingWebhook]:
    """The tenant's webhooks with what is shown of them."""
    newest_first = OutgoingSecret.objects.for_tenant(tenant_id).order_by("-number")
    rows = OutgoingWebhook.objects.for_tenant(tenant_id).select_related("workflow", "replay")
    return rows.prefetch_related(Prefetch("secrets", newest_first))


def get_webhook(tenant_id: int, webhook_id: UUID) -> OutgoingWebhook:
    """The tenant's webhook. Raises Missing."""
    webhook = webhooks_of(tenant_id).filter(pk=webhook_id).first()
    if webhook is None:
        raise Missing("There is no such webhook.")
    return webhook


def deliveries_of(webhook: OutgoingWebhook) -> QuerySet[OutgoingDelivery]:
    """What was and is to be sent to a webhook, of the last days."""
    return OutgoingDelivery.objects.for_tenant(webhook.tenant_id).filter(webhook_id=webhook.pk)


def create_webhook(
    principal: Principal,
    *,
    url: str,
    description: str = "",
    events_wanted: Sequence[str] | None = None,
    workflow: str | None = None,
    reason: str | None = None,
) -> WithSecret:
    """A new webhook with its first secret: of these events, or all; of one workflow, or all of them.

    Raises Invalid for what is no address or no event, Missing, Conflict for an archived workflow or too many webhooks,
    Forbidden for who may not edit that workflow, or is no admin where it is of all.
    """
    _require(principal, workflow)
    _check_url(url)
    types = events.types_of(events.NAMES if events_wanted is None else events_wanted)
    target = None if workflow is None else get_workflow(principal.tenant_id, workflow)
    if target is not None:
        refuse_archived(target)
    webhook_id = uuid7()
    with transaction.atomic():
        if OutgoingWebhook.objects.for_tenant(principal.tenant_id).count() >= TENANT_WEBHOOKS:
            raise Conflict(f"There can be at most {TENANT_WEBHOOKS} webhooks.", code="too_many")
        OutgoingWebhook.objects.create(
            id=webhook_id,
            tenant_id=principal.tenant_id,
            url=url,
            description=description,
            workflow=target,
            all_events=events_wanted is None,
            types=types,
            made_by=principal.username,
        )
        secret = secrets.add(principal.tenant_id, webhook_id, 1)
        webhook = get_webhook(principal.tenant_id, UUID(webhook_id))
        after = _facts_of(webhook) | {"secret": audit.CHANGED}
        audit.change(principal, "webhook_out.create", _target(webhook), after=after, reason=reason)
    return WithSecret(webhook, secret)


def change_webhook(
    principal: Principal, webhook_id: UUID, *, reason: str | None = None, **values: Json
) -> OutgoingWebhook:
    """Change what is given of `url`, `description`, `events` (null: all) and `enabled`. Raises as `create_webhook`."""
    webhook = _mine(principal, webhook_id)
    changes: dict[str, Json] = {name: values[name] for name in ("url", "description") if name in values}
    if "url" in changes:
        _check_url(changes["url"])
        changes |= _UNTRIED if changes["url"] != webhook.url else {}
    if "events" in values:
        names = values["events"]
        changes |= {
            "all_events": names is None,
            "types": events.types_of(events.NAMES if names is None else names),
        }
    if "enabled" in values and values["enabled"] != webhook.enabled:
        changes |= _switched_on(webhook) if values["enabled"] else _switched_off()
    if changes:
        _change(principal, webhook, changes, "webhook_out.change", reason)
    return get_webhook(principal.tenant_id, webhook_id)


def enable_webhook(principal: Principal, webhook_id: UUID, *, reason: str | None = None) -> OutgoingWebhook:
    """Switch it on again, if it is off, and try what waits at once, whatever it was paused for.

    What waited when it was switched off is sent; what happened while it was off is sent by a replay. Raises Missing and
    Forbidden.
    """
    webhook = _mine(principal, webhook_id)
    changes = {"paused_until": None} if webhook.enabled else _switched_on(webhook)
    _change(principal, webhook, changes, "webhook_out.enable", reason)
    return get_webhook(principal.tenant_id, webhook_id)


def discard(principal: Principal, webhook_id: UUID, *, reason: str | None = None) -> int:
    """Give up all that waits for a webhook, and what a replay has yet to send; gives how much waited.

    Raises Missing and Forbidden.
    """
    webhook = _mine(principal, webhook_id)
    error = f"Discarded by {principal.username}."
    with transaction.atomic():
        OutgoingReplay.objects.for_tenant(principal.tenant_id).filter(webhook_id=webhook_id).delete()
        count = in_bounded_batches(partial(store.discard, webhook.pk, error), _BATCH, _DISCARD_SECONDS)
        before, after = {"waiting": count}, {"waiting": 0}
        audit.change(
            principal, "webhook_out.discard", _target(webhook), before=before, after=after, reason=reason
        )
    return count


def replay_since(
    principal: Principal, webhook_id: UUID, *, since: datetime, reason: str | None = None
) -> OutgoingWebhook:
    """Have all events since a time sent again, in the background, by the ids that they had or would have had.

    Raises Missing, Forbidden, Invalid for a time that is not in the last days, and Conflict for a webhook that is off
    or while a replay is under way.
    """
    webhook = _mine(principal, webhook_id)
    _require_on(webhook)
    now = now_here()
    if not now - timedelta(days=REPLAY_DAYS) <= since <= now:
        raise Invalid(f"This must be a time in the last {REPLAY_DAYS} days.", field="since")
    with transaction.atomic():
        if not store.ask_replay(principal.tenant_id, webhook_id, since, principal.username):
            raise Conflict("Events are being sent again already; wait, or discard them.", code="replaying")
        _send_at_once(principal, webhook)
        after = {"since": since}
        audit.change(principal, "webhook_out.replay_since", _target(webhook), after=after, reason=reason)
    return get_webhook(principal.tenant_id, webhook_id)


def rotate_secret(
    principal: Principal,
    webhook_id: UUID,
    *,
    overlap_seconds: int = DEFAULT_OVERLAP_SECONDS,
    reason: str | None = None,
) -> WithSecret:
    """A new secret; those of until now sign beside it for `overlap_seconds`. Raises Missing, Conflict for too many."""
    webhook = _mine(principal, webhook_id)
    with transaction.atomic():
        rows = OutgoingWebhook.objects.for_tenant(principal.tenant_id)
        # One after another: each takes the next number.
        if rows.select_for_update().filter(pk=webhook_id).first() is None:
            raise Missing("There is no such webhook.")
        secret_rows = OutgoingSecret.objects.for_tenant(principal.tenant_id).filter(webhook_id=webhook_id)
        number = secret_rows.aggregate(last=Max("number"))["last"] or 0
        store.retire_secrets(principal.tenant_id, webhook_id, overlap_seconds)
        if overlap_seconds and secret_rows.count() >= VALID_SECRETS:
            message = f"{VALID_SECRETS} secrets are still valid; rotate with overlap_seconds 0 to end them."
            raise Conflict(message, code="too_many_secrets", field="overlap_seconds")
        secret = secrets.add(principal.tenant_id, webhook_id, number + 1)
        after = {"secret": audit.CHANGED, "overlap_seconds": overlap_seconds}
        audit.change(principal, "webhook_out.rotate", _target(webhook), after=after, reason=reason)
    return WithSecret(get_webhook(principal.tenant_id, webhook_id), secret)


def send_test(principal: Principal, webhook_id: UUID, *, reason: str | None = None) -> OutgoingDelivery:
    """Have a test sent, as events are. Raises Missing, and Conflict for a webhook that is off."""
    webhook = _mine(principal, webhook_id)
    _require_on(webhook)
    with transaction.atomic():
        delivery = OutgoingDelivery.objects.create(
            tenant_id=principal.tenant_id, webhook_id=webhook.pk, type=events.TEST
        )
        _send_at_once(principal, webhook)
        audit.record(principal, "webhook_out.test", shown_host(webhook.url), reason=reason)
    return deliveries_of(webhook).get(pk=delivery.pk)


def replay(
    principal: Principal, webhook_id: UUID, delivery_id: int, *, reason: str | None = None
) -> OutgoingDelivery:
    """Have an event sent once more, by the id that it had. Raises Missing, and Conflict for a webhook that is off."""
    webhook = _mine(principal, webhook_id)
    _require_on(webhook)
    with transaction.atomic():
        if not store.replay(principal.tenant_id, webhook_id, delivery_id):
            raise Missing("There is no such delivery, or it is no longer kept.")
        _send_at_once(principal, webhook)
        audit.record(
            principal, "webhook_out.replay", f"{shown_host(webhook.url)} {delivery_id}", reason=reason
        )
    return deliveries_of(webhook).get(pk=delivery_id)


def delete_webhook(principal: Principal, webhook_id: UUID, *, reason: str | None = None) -> None:
    """Remove a webhook; what waits for it is not sent. Raises Missing and Forbidden."""
    webhook = _mine(principal, webhook_id)
    with transaction.atomic():
        OutgoingWebhook.objects.for_tenant(principal.tenant_id).filter(pk=webhook_id).delete()
        before = _facts_of(webhook)
        audit.change(principal, "webhook_out.delete", _target(webhook), before=before, reason=reason)


def shown_host(url: str) -> str:
    """Where a webhook sends to, without path and query: these may be secrets."""
    return urlsplit(url).netloc


def _target(webhook: OutgoingWebhook) -> str:
    return f"{webhook.pk} {shown_host(webhook.url)}"


def _facts_of(webhook: OutgoingWebhook) -> dict[str, Json]:
    """What the audit log says of a webhook; path and query of its address may be secrets."""
    facts = audit.fields_of(webhook, "description", "all_events", "types", "enabled", "off_reason")
    workflow = webhook.workflow.name if webhook.workflow else None
    return {"host": shown_host(webhook.url), "workflow": workflow, **facts}


def _send_at_once(principal: Principal, webhook: OutgoingWebhook) -> None:
    """Whoever asks for something has mended something, or wants to know now."""
    OutgoingWebhook.objects.for_tenant(principal.tenant_id).filter(pk=webhook.pk).update(paused_until=None)


def _switched_off() -> dict[str, Json]:
    return {"enabled": False, "off_reason": _HAND, "off_at": now_there()}


def _switched_on(webhook: OutgoingWebhook) -> dict[str, Json]:
    waiting = deliveries_of(webhook).filter(state="pending").count()
    # As much may come on top of what waits already, or it would be switched off again.
    most = {"most_pending": PENDING_MESSAGES + waiting}
    return {"enabled": True, "off_reason": "", "off_at": None, **most, **_UNTRIED}


def _change(
    principal: Principal, webhook: OutgoingWebhook, changes: dict[str, Json], act: str, reason: str | None
) -> None:
    with transaction.atomic():
        OutgoingWebhook.objects.for_tenant(principal.tenant_id).filter(pk=webhook.pk).update(**changes)
        if "paused_until" in changes:
            store.wake(webhook.pk)
        before, after = _facts_of(webhook), _facts_of(get_webhook(principal.tenant_id, webhook.pk))
        if changes.get("url", webhook.url) != webhook.url:
            after["url"] = audit.CHANGED
        audit.change(principal, act, _target(webhook), before=before, after=after, reason=reason)


def _mine(principal: Principal, webhook_id: UUID) -> OutgoingWebhook:
    webhook = get_webhook(principal.tenant_id, webhook_id)
    _require(principal, webhook.workflow.name if webhook.workflow else None)
    return webhook


def _require(principal: Principal, workflow: str | None) -> None:
    principal.require(WEBHOOKS_MANAGE)
    if workflow is not None:
        guard_workflow(principal, WEBHOOKS_MANAGE, workflow)
    elif not principal.reach.is_everywhere:
        # It is told of runs in all folders.
        raise Forbidden("Only admins have webhooks of all workflows; name a workflow that you may edit.")


def _require_on(webhook: OutgoingWebhook) -> None:
    if not webhook.enabled:
        raise Conflict("The webhook is off; switch it on first.", code="webhook_off")


def _check_url(url: str) -> None:
    wrong = Invalid("This is not an address such as https://example.org/hooks.", field="url")
    if len(url) > URL_CHARACTERS or not url.isascii() or not url.isprintable() or " " in url:
        raise wrong
    try:
        if "@" in urlsplit(url).netloc:
            raise Invalid("An address has no user or password: messages are signed.", field="url")
        url_of(url)
    except (ValueError, EgressRefused):
        raise wrong from None

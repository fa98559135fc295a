"""The webhooks that act for somebody who leaves: handed to another member, or switched off."""

from collections.abc import Iterator
from typing import Final
from uuid import UUID

from django.urls import reverse

from accounts.principal import Principal
from accounts.roles import EDIT, WEBHOOKS_MANAGE
from runs.access import readable
from tasks_inbox.limits import LEFT_ITEMS
from tasks_inbox.ports import LeftItem, LeftKind
from tasks_inbox.reading.left import HAND, KEEP, STOP
from triggers.webhooks.models import InboundWebhook
from triggers.webhooks.service import change_webhook, hand_webhook

WEBHOOK: Final = "webhook"


def _webhooks(principal: Principal, username: str) -> Iterator[LeftItem]:
    rows = InboundWebhook.objects.for_tenant(principal.tenant_id).select_related("workflow")
    rows = readable(rows.filter(acts_for__iexact=username), principal, EDIT)
    for row in rows.order_by("name")[:LEFT_ITEMS]:
        does, called = (
            ("Starts" if row.action == "start" else "Signals"),
            row.workflow.title or row.workflow.name,
        )
        detail = f"{does} {called}; it is {'on' if row.enabled else 'off'}"
        address = reverse("settings-webhook", args=[row.pk])
        yield LeftItem(WEBHOOK, str(row.pk), row.name, detail, (HAND, STOP, KEEP), address)


LEFT: Final = LeftKind(
    WEBHOOK,
    30,
    "Webhooks that act for them",
    WEBHOOKS_MANAGE,
    _webhooks,
    {
        HAND: lambda who, item, to, why: hand_webhook(who, UUID(item.id), to, reason=why),
        STOP: lambda who, item, _, why: change_webhook(who, UUID(item.id), enabled=False, reason=why),
    },
    lambda tenant: (
        InboundWebhook.objects.for_tenant(tenant).filter(enabled=True, acts_for__isnull=False),
        "acts_for",
    ),
)

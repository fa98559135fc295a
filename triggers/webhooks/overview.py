"""The webhooks of a workflow, shown on its page."""

from typing import Any
from uuid import UUID

from django.db.models import OuterRef, QuerySet, Subquery
from django.urls import reverse

from accounts.principal import Principal
from accounts.roles import RUNS_OPERATE, WEBHOOKS_MANAGE
from triggers.webhooks.limits import OVERVIEW_ROWS
from triggers.webhooks.models import InboundWebhook, WebhookDelivery
from workflows.access import may
from workflows.models import Workflow
from workflows.ports import Trigger

_DOES = {"start": "each message starts a run", "signal": "each message is a signal to a run"}


def webhook_triggers(who: Principal, workflow: Workflow) -> list[Trigger]:
    """The webhooks of a workflow by name, for who may manage them; for who operates it those that refused a message.
    Nobody else need know that there are any.
    """
    webhooks = InboundWebhook.objects.for_tenant(who.tenant_id).filter(workflow=workflow.pk)
    rows: QuerySet[Any, Any] = with_refusal(webhooks, who.tenant_id)
    may_manage = may(who, WEBHOOKS_MANAGE, workflow)
    if not may_manage:
        if not may(who, RUNS_OPERATE, workflow):
            return []
        rows = rows.filter(refused_at__isnull=False)
    columns = ("pk", "name", "action", "enabled", "refused_at", "refused_why")
    return [
        Trigger(
            name,
            _DOES[action],
            enabled,
            at,
            why or "",
            _page(pk) if may_manage else "",
            starts=action == "start",
        )
        for pk, name, action, enabled, at, why in rows.order_by("name").values_list(*columns)[:OVERVIEW_ROWS]
    ]


def _page(webhook: UUID) -> str:
    return reverse("settings-webhook", args=[webhook])


def with_refusal(webhooks: QuerySet[InboundWebhook], tenant_id: int) -> QuerySet[InboundWebhook, Any]:
    """Webhooks with `refused_at` and `refused_why` of the last message that was refused, if it is still known."""
    refused = WebhookDelivery.objects.for_tenant(tenant_id).filter(
        webhook_id=OuterRef("pk"), refused__isnull=False
    )
    last = refused.order_by("-received_at")
    return webhooks.annotate(
        refused_at=Subquery(last.values("received_at")[:1]), refused_why=Subquery(last.values("refused")[:1])
    )

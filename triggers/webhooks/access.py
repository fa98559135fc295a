"""Who may reach which webhook."""

from uuid import UUID

from django.db.models import QuerySet

from accounts.principal import Principal
from accounts.roles import EDIT
from runs.access import require_workflow
from triggers.webhooks.models import InboundWebhook
from workflows.access import open_to


def guard_webhook(principal: Principal, scope: str, webhook_id: UUID) -> None:
    """As `guard_run`, of the workflow of a webhook."""
    hooks = InboundWebhook.objects.for_tenant(principal.tenant_id).filter(pk=webhook_id)
    require_workflow(
        principal, scope, hooks.values("workflow_id"), "this webhook", "There is no such webhook."
    )


def editable_webhooks(webhooks: QuerySet[InboundWebhook], principal: Principal) -> QuerySet[InboundWebhook]:
    """Those of the webhooks whose workflows they may edit: who knows the address of one may use it."""
    if principal.reach.is_everywhere:
        return webhooks
    return webhooks.filter(workflow__in=open_to(principal, EDIT))

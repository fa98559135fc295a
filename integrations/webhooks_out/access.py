"""Who may reach which webhook that goes out."""

from uuid import UUID

from django.db.models import QuerySet

from accounts.principal import Principal
from accounts.roles import EDIT
from integrations.webhooks_out.models import OutgoingWebhook
from runs.access import require_workflow
from workflows.access import open_to


def guard_outgoing(principal: Principal, scope: str, webhook_id: UUID) -> None:
    """As `guard_run`, of the workflow of a webhook that goes out; one of all workflows is for admins alone."""
    hooks = OutgoingWebhook.objects.for_tenant(principal.tenant_id).filter(pk=webhook_id)
    require_workflow(
        principal, scope, hooks.values("workflow_id"), "this webhook", "There is no such webhook."
    )


def editable_outgoing(webhooks: QuerySet[OutgoingWebhook], principal: Principal) -> QuerySet[OutgoingWebhook]:
    """Those of the webhooks that go out whose workflows they may edit; those of all workflows are for admins alone."""
    if principal.reach.is_everywhere:
        return webhooks
    return webhooks.filter(workflow__in=open_to(principal, EDIT))

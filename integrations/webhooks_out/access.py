"""Who may reach which webhook that goes out."""

from uuid import UUID

from accounts.principal import Principal
from integrations.webhooks_out.models import OutgoingWebhook
from runs.access import require_workflow


def guard_outgoing(principal: Principal, scope: str, webhook_id: UUID) -> None:
    """As `guard_run`, of the workflow of a webhook that goes out; one of all workflows is for admins alone."""
    hooks = OutgoingWebhook.objects.for_tenant(principal.tenant_id).filter(pk=webhook_id)
    require_workflow(principal, scope, hooks, "webhook")

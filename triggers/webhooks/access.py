"""Who may reach which webhook."""

from uuid import UUID

from accounts.principal import Principal
from runs.access import require_workflow
from triggers.webhooks.models import InboundWebhook


def guard_webhook(principal: Principal, scope: str, webhook_id: UUID) -> None:
    """As `guard_run`, of the workflow of a webhook.

    Lists show those whose workflow somebody may edit: who knows the address of a webhook may use it.
    """
    hooks = InboundWebhook.objects.for_tenant(principal.tenant_id).filter(pk=webhook_id)
    require_workflow(principal, scope, hooks, "webhook")

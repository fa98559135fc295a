"""The webhooks of a workflow, told to its page."""

from accounts.principal import Principal
from accounts.roles import WEBHOOKS_MANAGE
from runs.access import editable_webhooks
from runs.models import InboundWebhook
from workflows.models import Workflow
from workflows.ports.triggers import Trigger

MOST = 20
_DOES = {"start": "each message starts a run", "signal": "each message is a signal to a run"}


def webhook_triggers(who: Principal, workflow: Workflow) -> list[Trigger]:
    """The webhooks of a workflow by name, for who may manage them: nobody else need know that there are any."""
    if WEBHOOKS_MANAGE not in who.scopes:
        return []
    rows = InboundWebhook.objects.for_tenant(who.tenant_id).filter(workflow=workflow.pk)
    told = editable_webhooks(rows, who).order_by("name").values_list("name", "action", "enabled")[:MOST]
    return [Trigger(name, _DOES[action], enabled) for name, action, enabled in told]

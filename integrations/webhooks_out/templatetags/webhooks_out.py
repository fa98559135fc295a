"""What pages of others show of webhooks that go out."""

from typing import Any

from django import template

from accounts.principal import Principal
from integrations.webhooks_out import service
from integrations.webhooks_out.access import editable_outgoing
from integrations.webhooks_out.web import MOST_WAITING, shown_hooks

register = template.Library()

HOOKS_SHOWN = 20


@register.simple_tag
def newest_webhooks_out(principal: Principal) -> dict[str, Any]:
    """The newest webhooks that they may edit, as rows of a list."""
    rows = editable_outgoing(service.webhooks_of(principal.tenant_id), principal)
    return {"hooks": shown_hooks(list(rows.order_by("-id")[:HOOKS_SHOWN])), "most_waiting": MOST_WAITING}

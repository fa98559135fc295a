"""What the page of dispatch shows of a broker."""

from typing import Any

from django import template

from accounts.principal import Principal
from integrations.broker.asides import asides_of
from integrations.broker.standing import outbox, outbox_complaint, outbox_told
from workflows import titles

register = template.Library()


@register.simple_tag
def outbox_as_seen(principal: Principal) -> dict[str, Any] | None:
    """How the outbox stands and which events are set aside of those that they may read; None without a broker."""
    if (standing := outbox()) is None:
        return None
    asides = asides_of(principal)
    titles.learn(principal.tenant_id, {one.place.workflow for one in asides.shown})
    return {"outbox": outbox_told(standing), "complaint": outbox_complaint(standing), "asides": asides}

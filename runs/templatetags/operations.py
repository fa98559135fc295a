"""The tabs of the pages for operators: those of `runs`, and those of features."""

from django import template

from accounts.principal import Principal
from accounts.roles import RUNS_OPERATE
from runs.ports import OPERATIONS_TABS, Tab

register = template.Library()

_OWN = (
    Tab(10, "operations", "Queues"),
    Tab(30, "operations-workers", "Workers"),
    Tab(40, "operations-timers", "Timers"),
    Tab(50, "operations-letters", "Dead letters"),
    Tab(60, "operations-messages", "Messages"),
    Tab(80, "operations-repairs", "Repairs", RUNS_OPERATE),
    Tab(90, "operations-dispatch", "Dispatch", RUNS_OPERATE),
)


@register.simple_tag
def operations_tabs(principal: Principal) -> list[Tab]:
    """The tabs that they see, in their order."""
    seen = [tab for tab in (*_OWN, *OPERATIONS_TABS) if not tab.scope or tab.scope in principal.scopes]
    return sorted(seen, key=lambda tab: tab.place)

"""What the home page tells of the inbox: `runs` makes that page and knows no tasks, so its template asks here."""

from typing import Any

from django import template
from django.template import Context

from accounts.roles import TASKS_READ
from config.limits import HOME_TASKS
from lib.clock import now_here
from tasks_inbox.reading import listing, sources
from tasks_inbox.store.queries import workflows_of
from tasks_inbox.web.asking import who_of
from tasks_inbox.web.panes import due_pane

register = template.Library()
_WAITING: tuple[sources.View, ...] = ("mine", "teams")


@register.simple_tag(takes_context=True)
def needs_me(context: Context) -> list[dict[str, Any]]:
    """The tasks that wait for whoever looks, what is due first; at most `HOME_TASKS`."""
    request = context["request"]
    principal = request.principal
    if TASKS_READ not in principal.scopes:
        return []
    who = who_of(request, principal)
    parts = [part for view in _WAITING for part in sources.parts_of(who, view=view)]
    tasks = listing.page(who.tenant_id, parts, request, "sla", limit=HOME_TASKS, cursor=None).rows
    workflows = workflows_of(who.tenant_id, tasks) if tasks else {}
    now = now_here()
    return [{"task": task, "workflow": workflows[task.workflow_id]} | due_pane(task, now) for task in tasks]

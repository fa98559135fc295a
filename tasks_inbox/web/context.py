"""What every page shows of the inbox: how many tasks wait for whoever looks at it."""

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from accounts.principal import Principal
from accounts.roles import TASKS_READ
from lib.counts import Count, up_to
from tasks_inbox.reading import sources
from tasks_inbox.web.asking import waiting_for


def inbox(request: HttpRequest) -> dict[str, Any]:
    """`inbox_count`, asked for only where it is shown."""
    principal = getattr(request, "principal", None)
    return {"inbox_count": SimpleLazyObject(lambda: _count(request, principal))}


def _count(request: HttpRequest, principal: Principal | None) -> Count:
    if principal is None or TASKS_READ not in principal.scopes:
        return Count(0)
    return up_to(waiting_for(request, principal), sources.MENU_COUNTED)

"""What every page offers to go to: only what whoever looks at it may use."""

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from accounts.principal import Principal
from accounts.roles import MEMBERS_READ, RUNS_OPERATE, RUNS_READ, RUNS_START, TASKS_READ, WORKFLOWS_READ
from accounts.sessions import principal_of
from runs.ports import OPERATIONS_TABS, Tab
from runs.reading.requests import has_requests
from workflows.access import may_anywhere


def navigation(request: HttpRequest) -> dict[str, Any]:
    """`goes_to`, asked for only where it is shown."""
    return {"goes_to": SimpleLazyObject(lambda: _places(_principal(request)))}


def _principal(request: HttpRequest) -> Principal | None:
    """Who looks, also at a page that `page` did not let them see, or that there is not."""
    principal: Principal | None = getattr(request, "principal", None)
    return principal or principal_of(request)


def _places(principal: Principal | None) -> dict[str, Any]:
    """Where they may go; who is no member of anything, nowhere."""
    if principal is None:
        return {}
    return {
        "inbox": TASKS_READ in principal.scopes,
        "workflows": WORKFLOWS_READ in principal.scopes,
        "runs": RUNS_READ in principal.scopes,
        "operations": _tabs(principal) if RUNS_READ in principal.scopes else [],
        "operates": RUNS_OPERATE in principal.scopes,
        "members": MEMBERS_READ in principal.scopes,
        # Whom no folder lets start anything any more still follows what they asked for; a role that starts nothing
        # never did.
        "requests": may_anywhere(principal, RUNS_START)
        or (RUNS_START in principal.scopes and has_requests(principal)),
    }


def _tabs(principal: Principal) -> list[Tab]:
    """The pages of operations that they see, in their order."""
    seen = [tab for tab in OPERATIONS_TABS if not tab.scope or tab.scope in principal.scopes]
    return sorted(seen, key=lambda tab: tab.place)

"""What every page offers to go to: only what whoever looks at it may use."""

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from accounts.principal import Principal
from accounts.roles import MEMBERS_READ, RUNS_READ, RUNS_START, WORKFLOWS_READ
from runs.reading.requests import has_requests
from workflows.access import may_anywhere


def navigation(request: HttpRequest) -> dict[str, Any]:
    """`goes_to`, asked for only where it is shown."""
    principal = getattr(request, "principal", None)
    return {"goes_to": SimpleLazyObject(lambda: _places(principal))}


def _places(principal: Principal | None) -> dict[str, bool]:
    """Where they may go; whoever nobody knows yet is sent to where they may log in."""
    if principal is None:
        return dict.fromkeys(("workflows", "runs", "members"), True) | {"requests": False}
    return {
        "workflows": WORKFLOWS_READ in principal.scopes,
        "runs": RUNS_READ in principal.scopes,
        "members": MEMBERS_READ in principal.scopes,
        # Whom no folder lets start anything any more still follows what they asked for; a role that starts nothing
        # never did.
        "requests": may_anywhere(principal, RUNS_START)
        or (RUNS_START in principal.scopes and has_requests(principal)),
    }

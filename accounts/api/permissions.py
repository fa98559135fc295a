"""What a caller of the API may do: nothing, unless the view's method names a scope that they hold."""

from typing import Any

from rest_framework.permissions import BasePermission
from rest_framework.request import Request

from accounts.guards import require_parts
from accounts.principal import Principal


class DenyAll(BasePermission):
    """The default of every view that says nothing else."""

    def has_permission(self, request: Request, view: Any) -> bool:
        return False


class RequiresScope(BasePermission):
    """The scope that the view's `scopes` names for the method; a method without one is denied."""

    def has_permission(self, request: Request, view: Any) -> bool:
        principal = request.auth
        if not isinstance(principal, Principal):
            return False
        method = "GET" if request.method == "HEAD" else str(request.method)
        if method == "OPTIONS" or not hasattr(view, method.lower()):
            return True  # the answer is a 405
        scope = view.scopes.get(method)
        if scope is None:
            return False
        principal.require(scope)
        require_parts(principal, scope, view.kwargs)
        return True

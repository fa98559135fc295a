"""Who may see a page: nobody, unless `page` lets them (default deny)."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse

from accounts.models import User
from accounts.principal import Forbidden, Principal
from accounts.queries import session_principal

P = ParamSpec("P")


class PageRequest(HttpRequest):
    """A request that `page` let through."""

    user: User
    principal: Principal


def page(
    scope: str,
) -> Callable[
    [Callable[Concatenate[PageRequest, P], HttpResponse]], Callable[Concatenate[HttpRequest, P], HttpResponse]
]:
    """Makes a view a page for logged-in members who hold `scope`; the view finds them as `request.principal`."""

    def decorate(
        view: Callable[Concatenate[PageRequest, P], HttpResponse],
    ) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
        @login_required
        @wraps(view)
        def guarded(request: Any, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            principal = session_principal(request.user)
            if principal is None:
                raise Forbidden("You are no member of any tenant.")
            principal.require(scope)
            request.principal = principal
            return view(request, *args, **kwargs)

        guarded.required_scope = scope  # type: ignore[attr-defined]
        return guarded

    return decorate

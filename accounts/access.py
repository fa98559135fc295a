"""Who may see a page: nobody, unless `page` lets them (default deny)."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

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


Page = Callable[Concatenate[PageRequest, P], HttpResponse]
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


def page(scope: str) -> Callable[[Page[P]], View[P]]:
    """Makes a view a page for logged-in members who hold `scope`; the view finds them as `request.principal`."""

    def decorate(view: Page[P]) -> View[P]:
        @wraps(view)
        def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            known = cast(PageRequest, request)
            principal = session_principal(known.user)
            if principal is None:
                raise Forbidden("You are no member of any tenant.")
            principal.require(scope)
            known.principal = principal
            return view(known, *args, **kwargs)

        shut: View[P] = login_required(guarded)
        shut.required_scope = scope  # type: ignore[attr-defined]
        return shut

    return decorate

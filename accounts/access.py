"""Who may see a page: nobody, unless `page` lets them (default deny)."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, cast

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse

from accounts import guards, people
from accounts.models import User
from accounts.principal import Forbidden, Principal
from accounts.reading import reading
from accounts.sessions import principal_of
from lib.api.pages import wrong_method

P = ParamSpec("P")


class PageRequest(HttpRequest):
    """A request that `page` let through."""

    user: User
    principal: Principal


Page = Callable[Concatenate[PageRequest, P], HttpResponse]
View = Callable[Concatenate[HttpRequest, P], HttpResponse]


def page(scope: str, *methods: str) -> Callable[[Page[P]], View[P]]:
    """Makes a view a page for logged-in members who hold `scope`; the view finds them as `request.principal`.

    It answers to `methods`, or to GET where none are named.
    """
    allowed = {*(methods or ("GET",))}
    if "GET" in allowed:
        allowed.add("HEAD")

    def decorate(view: Page[P]) -> View[P]:
        @wraps(view)
        def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
            if request.method not in allowed:
                return wrong_method(request, allowed)
            page_request = cast(PageRequest, request)
            principal = principal_of(page_request)
            if principal is None:
                raise Forbidden("You are not a member of any tenant.")
            page_request.principal = principal
            principal.require(scope)
            guards.require_parts(principal, scope, kwargs)
            with reading(page_request, page_request.user):
                people.learn_user(page_request.user)
                return view(page_request, *args, **kwargs)

        shut: View[P] = login_required(guarded)
        shut.required_scope = scope  # type: ignore[attr-defined]
        shut.methods = allowed - {"HEAD"}  # type: ignore[attr-defined]
        return shut

    return decorate

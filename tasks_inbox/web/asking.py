"""Who looks at a page, as tasks know people, and how many tasks wait for them: asked for once in a request."""

from django.http import HttpRequest

from accounts.principal import Principal
from tasks_inbox.eligibility.identity import Who, who_is
from tasks_inbox.reading import listing


def who_of(request: HttpRequest, principal: Principal) -> Who:
    """Whoever makes the request, as `who_is` gives them; the same for all that one page shows."""
    who: Who | None = getattr(request, "who_asks", None)
    if who is None or (who.tenant_id, who.username) != (principal.tenant_id, principal.username):
        who = who_is(principal)
        request.who_asks = who  # type: ignore[attr-defined]
    return who


def know_waiting(request: HttpRequest, count: int) -> None:
    """The page has counted how many tasks wait for whoever looks at it: that is asked for no more."""
    request.waiting_tasks = count  # type: ignore[attr-defined]


def waiting_for(request: HttpRequest, principal: Principal) -> int:
    """How many tasks wait for whoever makes the request, counted up to `MENU_COUNTED` or more."""
    count: int | None = getattr(request, "waiting_tasks", None)
    return listing.waiting_for(who_of(request, principal)) if count is None else count

"""Who looks at a page, as tasks know people: asked for once in a request."""

from django.http import HttpRequest

from accounts.principal import Principal
from tasks_inbox.eligibility.identity import Who, who_is


def who_of(request: HttpRequest, principal: Principal) -> Who:
    """Whoever makes the request, as `who_is` gives them; the same for all that one page shows."""
    who: Who | None = getattr(request, "who_asks", None)
    if who is None or (who.tenant_id, who.username) != (principal.tenant_id, principal.username):
        who = who_is(principal)
        request.who_asks = who  # type: ignore[attr-defined]
    return who

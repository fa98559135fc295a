"""The page on which what is with somebody who leaves is handed over, before or after they are deactivated."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render

from accounts import queries
from accounts.access import PageRequest, page
from accounts.pages import status_of, typed
from accounts.people import called
from accounts.roles import MEMBERS_MANAGE
from lib.refusals import Conflict, Invalid
from tasks_inbox.actions import handover
from tasks_inbox.actions.handover import Choice, Result
from tasks_inbox.ports import LeftItem
from tasks_inbox.reading import left

FIELDS = ("to", "end", "why")
WORDS = {
    left.HAND: "Hand to",
    left.GIVE_BACK: "Give back to all it asks",
    left.STOP: "Switch off",
    left.REVOKE: "Revoke",
    left.END: "End",
    left.KEEP: "Leave as it is",
}


@page(MEMBERS_MANAGE, "GET", "POST")
def hand_over(request: PageRequest, username: str) -> HttpResponse:
    """What is with somebody; posted, what is action is done with it, and what became of each is shown."""
    items = handover.items_of(request.principal, username)
    if request.method != "POST":
        return _shown(request, username, items)
    form = {name: typed(request, name) for name in FIELDS}
    choices = [_choice(request, item) for item in items]
    try:
        if form["end"] and not form["why"]:
            raise Invalid("Give a reason: it is kept in the log.", code="required", field="why")
        results = handover.hand_over(
            request.principal, username, choices, to=form["to"], end=form["end"], reason=form["why"] or None
        )
    except (Invalid, Conflict) as error:
        return _shown(request, username, items, form, choices, error=error)
    rest = left.items_of(request.principal, username)
    return _shown(request, username, rest, results=results)


def _choice(request: PageRequest, item: LeftItem) -> Choice:
    key = f"{item.kind}:{item.id}"
    action = request.POST.get(f"action:{key}", left.KEEP)
    return Choice(item.kind, item.id, action, typed(request, f"to:{key}"))


def _shown(
    request: PageRequest,
    username: str,
    items: Sequence[LeftItem],
    form: dict[str, str] | None = None,
    choices: Sequence[Choice] = (),
    *,
    results: Sequence[Result] = (),
    error: Invalid | Conflict | None = None,
) -> HttpResponse:
    tenant, field = request.principal.tenant_id, (error.field or "") if error else ""
    seat = queries.find_seat(tenant, username)
    people = queries.members_of(tenant).exclude(user__username__iexact=username).order_by("user__username")
    rows = [
        _row(item, choices[place] if choices else None, field.startswith(f"items[{place}]") and error)
        for place, item in enumerate(items)
    ]
    values = {
        name: {"value": (form or {}).get(name, ""), "error": error.message if error and field == name else ""}
        for name in FIELDS
    }
    titles = {kind.name: kind.title for kind in left.kinds()}
    context: dict[str, Any] = {
        "username": username,
        "whose": called(seat.user) if seat else username,
        "seat": seat,
        "is_me": seat is not None and seat.user_id == request.principal.user_id,
        "kinds": [(titles[kind], list(some)) for kind, some in groupby(rows, key=lambda row: row["kind"])],
        "is_complete": left.is_complete(items),
        "people": people.values_list("user__username", "user__name"),
        "form": values,
        "results": [{"it": one, "words": WORDS[one.action]} for one in results],
        "refused": error.message if error and field not in FIELDS else "",
    }
    status = status_of(error) if error else 200
    return render(request, "settings/hand_over.html", context, status=status)


def _row(item: LeftItem, choice: Choice | None, error: Invalid | Conflict | bool | None) -> dict[str, Any]:
    action = choice.action if choice else item.actions[0]
    return {
        "it": item,
        "kind": item.kind,
        "key": f"{item.kind}:{item.id}",
        "actions": [(name, WORDS[name], name == action) for name in item.actions],
        "takes": left.HAND in item.actions,
        "to": choice.to if choice else "",
        "error": error.message if isinstance(error, Invalid | Conflict) else "",
    }

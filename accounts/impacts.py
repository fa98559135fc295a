"""What a change of a member or a group would leave undecidable: found before it is made, and shown where somebody asks.

Whoever can't be asked (a command, a program that does not look) is told afterwards, by the alert `nobody_may_decide`.
"""

from collections.abc import Collection, Iterable

from django.http import HttpResponse
from django.shortcuts import render

from accounts import members, queries
from accounts.access import PageRequest
from accounts.limits import IMPACT_TASKS
from accounts.models import Group, GroupMember
from accounts.names import key_of
from accounts.ports import Impact, SeatChange, impact_of
from accounts.principal import Principal
from accounts.roles import MEMBERS_MANAGE, TASKS_READ

_OURS = ("csrfmiddlewaretoken", "confirm")


def of_leaving(principal: Principal, username: str) -> Impact:
    """Of deactivating or removing a member. Raises Missing."""
    principal.require(MEMBERS_MANAGE)
    member = members.find_any(principal.tenant_id, username)
    return impact_of(principal.tenant_id, SeatChange(gone=frozenset({key_of(member.user.username)})))


def of_role(principal: Principal, username: str, role: str) -> Impact:
    """Of giving a member another role. Raises Missing."""
    principal.require(MEMBERS_MANAGE)
    member = members.find_any(principal.tenant_id, username)
    if role == member.role:
        return Impact()
    return impact_of(principal.tenant_id, SeatChange(roles={key_of(member.user.username): role}))


def of_groups(principal: Principal, username: str, group_ids: Collection[int]) -> Impact:
    """Of having a member in these groups and in no others. Raises Missing."""
    principal.require(MEMBERS_MANAGE)
    member = members.find_any(principal.tenant_id, username)
    key, seats = key_of(member.user.username), _seats(principal.tenant_id)
    groups = {
        group.key: frozenset(seats.get(group.pk, set()) - {key} | ({key} if group.pk in group_ids else set()))
        for group in queries.groups_of(principal.tenant_id)
        if (key in seats.get(group.pk, ())) != (group.pk in group_ids)
    }
    return impact_of(principal.tenant_id, SeatChange(groups=groups)) if groups else Impact()


def of_group(principal: Principal, group: Group, usernames: Iterable[str] = (), *, name: str = "") -> Impact:
    """Of giving a group other members, or another name, which no task asks yet; nobody: of deleting it."""
    principal.require(MEMBERS_MANAGE)
    keeps_name = not name.strip() or key_of(name.strip()) == group.key
    keys = frozenset(key_of(one) for one in usernames) if keeps_name else frozenset()
    return impact_of(principal.tenant_id, SeatChange(groups={group.key: keys}))


def asked_first(
    request: PageRequest, impact: Impact, title: str, back: str, hand_over: str = ""
) -> HttpResponse | None:
    """The page that says what a posted change leaves undecidable, with a button that makes it nevertheless; None where
    there is no such thing, or that button was pressed. `back` and `hand_over`: where else one may go.
    """
    if not impact.tasks or request.POST.get("confirm") == "yes":
        return None
    posted = [(name, one) for name, texts in request.POST.lists() if name not in _OURS for one in texts]
    context = {"impact": impact, "shown": impact.tasks[:IMPACT_TASKS], "posted": posted}
    return render(
        request, "settings/confirm.html", context | {"what": title, "back": back, "hand_over": hand_over}
    )


def row_of(principal: Principal, impact: Impact) -> dict[str, object]:
    """It as the API shows it; which tasks these are is for who may read tasks."""
    visible_tasks = impact.tasks if TASKS_READ in principal.scopes else ()
    tasks = [{"id": id_, "title": title} for id_, title, _ in visible_tasks]
    return {"count": len(impact.tasks), "undecidable": tasks, "complete": not impact.is_cut}


def _seats(tenant_id: int) -> dict[int, set[str]]:
    seats: dict[int, set[str]] = {}
    rows = GroupMember.objects.for_tenant(tenant_id).values_list("group_id", "membership__user__username")
    for group, username in rows:
        seats.setdefault(group, set()).add(key_of(username))
    return seats

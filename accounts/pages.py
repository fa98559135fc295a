"""What the pages of settings show and do: members and groups. Whatever a form does is an operation of the API, too."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from accounts import members, people, ports, preferences, queries, services
from accounts.access import PageRequest
from accounts.folders import grants_to_groups
from accounts.limits import TYPED_CHARACTERS
from accounts.models import DENSITIES, Group, Membership
from accounts.names import key_of
from accounts.principal import Forbidden
from accounts.roles import MEMBER_ROLES, MEMBERS_MANAGE, WORDS_OF_ROLE
from lib.api.pagination import Page, keyset_page
from lib.clock import now_here
from lib.locales import LOCALES
from lib.reader import reader, zones
from lib.refusals import Conflict, Invalid

Context = dict[str, Any]
ON_A_PAGE = 50
ROLES = tuple((role, WORDS_OF_ROLE[role]) for role in MEMBER_ROLES)
MEMBER_FIELDS = ("username", "name", "email", "role", "manager")
OWN_FIELDS = ("name", "time_zone", "locale", "density")
A_PRICE = 12500.25
CHANGED_FIELDS = MEMBER_FIELDS[1:]


def typed(request: PageRequest, name: str) -> str:
    """What was typed into a field."""
    return request.POST.get(name, "").replace("\x00", "").strip()[:TYPED_CHARACTERS]


def local_moment(text: str, field: str) -> datetime:
    """What a field of date and time says, where whoever typed it is. Raises Invalid."""
    try:
        moment = datetime.fromisoformat(text).replace(tzinfo=reader().clock)
        at = moment.astimezone(UTC)
    except (ValueError, OverflowError):
        raise Invalid("Give a date and a time.", field=field) from None
    if at.astimezone(moment.tzinfo).replace(tzinfo=None) != moment.replace(tzinfo=None):
        raise Invalid("There is no such time on this day: clocks are put forward.", field=field)
    return at


def form_of(values: dict[str, Any], error: Invalid | Conflict | Forbidden | None = None) -> Context:
    """Each field of a form with its value and what is wrong with it; `error` where no field is to blame."""
    field = (error.field or "").partition("[")[0] if error else ""
    fields = {
        name: {"value": value, "error": error.message if error and field == name else ""}
        for name, value in values.items()
    }
    return {"form": fields, "refused": error.message if error and field not in values else ""}


def status_of(error: Invalid | Conflict) -> int:
    """The status of a page that shows what was refused."""
    return 409 if isinstance(error, Conflict) else 422


def neighbours(page: Page) -> Context:
    """Where the pages beside this one are."""
    addresses = {"newer": page.previous, "older": page.next}
    return {name: address and f"?{address.partition('?')[2]}" for name, address in addresses.items()}


def member_list(request: PageRequest) -> Context:
    """The members, newest first, or those that are searched for."""
    tenant, q = request.principal.tenant_id, request.GET.get("q", "").replace("\x00", "").strip()[:150]
    cursor = request.GET.get("cursor") or None
    active = request.GET.get("who") != "deactivated"
    manages = _may_manage(request)
    matches = queries.members_of(tenant, q, active=active, by_address=manages)
    page = keyset_page(matches, request, keys=("id",), limit=ON_A_PAGE, cursor=cursor)
    for member in page.rows:
        people.learn_user(member.user)
        if member.manager:
            people.learn_user(member.manager.user)
    rows = queries.member_rows(request.principal, page.rows)
    left = ports.left_by(tenant) if manages else []
    people.learn(tenant, [one.username for one in left])
    return {"members": rows, "q": q, "active": active, "may_manage": manages, "left": left} | neighbours(page)


def new_member(request: PageRequest) -> tuple[Context, int]:
    """The form of a new member; once it is sent and good, the member with the password that is shown only now."""
    values = {name: typed(request, name) for name in MEMBER_FIELDS}
    refusal = None
    if request.method == "POST":
        try:
            member, password = members.add_member(request.principal, **values)
            invited = members.is_invited(member, password)
            return {"member": member, "password": password, "is_invited": invited}, 201
        except (Invalid, Conflict) as error:
            refusal = error
    context = form_of(values, refusal) | _choices(request) | {"has_mail": ports.has_mail()}
    return context, status_of(refusal) if refusal else 200


def member_form(request: PageRequest, member: Membership) -> Context:
    """A member as they are, to be changed."""
    (row,) = queries.member_rows(request.principal, [member])
    return form_of({name: row[name] or "" for name in CHANGED_FIELDS}) | about_member(request, member)


def about_member(request: PageRequest, member: Membership) -> Context:
    """What a member's page shows beside the form."""
    (row,) = queries.member_rows(request.principal, [member])
    is_me = member.user_id == request.principal.user_id
    return {"member": row, "is_me": is_me} | _choices(request)


def change_member(request: PageRequest, member: Membership) -> tuple[Context, int] | None:
    """Change a member as the form says; None when that is done, otherwise the page with what was wrong."""
    values = {name: typed(request, name) for name in CHANGED_FIELDS}
    try:
        members.change_member(request.principal, member.user.username, **values)
        return None
    except (Invalid, Conflict) as error:
        return form_of(values, error) | about_member(request, member), status_of(error)


def remove_member(request: PageRequest, member: Membership) -> tuple[Context, int] | None:
    """End a membership; gives as `change_member`."""
    name, reason = member.user.username, typed(request, "reason")
    return _ended(
        request,
        member_form(request, member),
        lambda: members.remove_member(request.principal, name, reason=reason),
    )


def group_list(request: PageRequest) -> Context:
    """The groups, newest first, with how many open tasks ask each."""
    tenant = request.principal.tenant_id
    cursor = request.GET.get("cursor") or None
    page = keyset_page(queries.groups_of(tenant), request, keys=("id",), limit=ON_A_PAGE, cursor=cursor)
    tasks = ports.open_tasks_of_groups(tenant, [group.key for group in page.rows])
    rows = queries.group_rows(tenant, page.rows)
    groups = [row | {"tasks": tasks[group.key]} for row, group in zip(rows, page.rows, strict=True)]
    return {"groups": groups, "may_manage": _may_manage(request)} | neighbours(page)


def new_group(request: PageRequest) -> tuple[Context, int] | Group:
    """The form of a new group; once it is sent and good, the group."""
    values: dict[str, Any] = {
        "name": typed(request, "name"),
        "members": request.POST.getlist("members"),
    }
    refusal = None
    if request.method == "POST":
        try:
            return services.create_group(request.principal, **values)
        except (Invalid, Conflict) as error:
            refusal = error
    return form_of(values, refusal) | _seats(request, values), status_of(refusal) if refusal else 200


def group_form(request: PageRequest, group: Group) -> Context:
    """A group as it is, to be changed."""
    (row,) = queries.group_rows(request.principal.tenant_id, [group])
    return form_of({name: row[name] for name in ("name", "members")}) | about_group(request, group, row)


def about_group(request: PageRequest, group: Group, values: dict[str, Any]) -> Context:
    """What a group's page shows beside the form."""
    tasks = ports.open_tasks_of_groups(group.tenant_id, [group.key])[group.key]
    granted = grants_to_groups(group.tenant_id, [group.pk])[group.pk]
    return {"group": group, "tasks": tasks, "granted": granted} | _seats(request, values)


def change_group(request: PageRequest, group: Group) -> tuple[Context, int] | None:
    """Change a group as the form says; gives as `change_member`."""
    values: dict[str, Any] = {
        "name": typed(request, "name"),
        "members": request.POST.getlist("members"),
    }
    try:
        services.change_group(request.principal, group.pk, **values)
        return None
    except (Invalid, Conflict) as error:
        return form_of(values, error) | about_group(request, group, values), status_of(error)


def delete_group(request: PageRequest, group: Group) -> tuple[Context, int] | None:
    """Delete a group; gives as `change_member`."""
    reason = typed(request, "reason")
    return _ended(
        request,
        group_form(request, group),
        lambda: services.delete_group(request.principal, group.pk, reason=reason),
    )


def own_settings(request: PageRequest) -> tuple[Context, int] | None:
    """What whoever looks has set for themselves, to be changed; None once that is done."""
    person, wrong = preferences.person_of(request.principal), {}
    if request.method == "POST":
        values = {name: typed(request, name) for name in OWN_FIELDS if name in request.POST}
        try:
            preferences.change_person(request.principal, **values)
            return None
        except Invalid as error:
            person, wrong = person | values, {error.field or "": error.message}
    examples = {"now": now_here(), "price": A_PRICE, "zone": reader().zone_words}
    choices = {"zones": sorted(zones()), "locales": LOCALES.values(), "densities": DENSITIES}
    return {"shown": person, "wrong": wrong} | examples | choices, 422 if wrong else 200


def _ended(request: PageRequest, page: Context, act: Callable[[], None]) -> tuple[Context, int] | None:
    """Do what can't be undone, for which a reason must be typed."""
    if not typed(request, "reason"):
        return page | {"reason_error": "Give a reason: it is kept in the log."}, 422
    try:
        act()
        return None
    except (Invalid, Conflict) as error:
        return page | {"refused": error.message, "reason": typed(request, "reason")}, status_of(error)


def _choices(request: PageRequest) -> Context:
    return {"roles": ROLES, "people": _people(request)}


def _seats(request: PageRequest, values: dict[str, Any]) -> Context:
    seated = {key_of(name) for name in values["members"]}
    people = [(name, printed, key_of(name) in seated) for name, printed in _people(request)]
    return {"people": people}


def _people(request: PageRequest) -> list[tuple[str, str]]:
    members_ = queries.members_of(request.principal.tenant_id).order_by("user__username")
    return list(members_.values_list("user__username", "user__name"))


def _may_manage(request: PageRequest) -> bool:
    return MEMBERS_MANAGE in request.principal.scopes

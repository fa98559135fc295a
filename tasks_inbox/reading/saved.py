"""Searches that people keep under a name and share with a group: data, never code.

Who owns one changes it; for whom it is shared sees whose it is, and finds by it what they may see themselves.
"""

from collections.abc import Sequence
from typing import cast

from django.db import IntegrityError, connection, transaction
from django.db.models import Q, QuerySet, Value

from accounts import audit
from accounts.models import Group
from accounts.names import key_of
from accounts.principal import Principal
from accounts.roles import MEMBERS_MANAGE, TASKS_READ
from engine.catalogue import Json
from lib.refusals import Conflict, Invalid, Missing, NotAllowed
from tasks_inbox.eligibility.identity import Who, who_is
from tasks_inbox.limits import USER_VIEWS, VIEW_NAME_CHARACTERS
from tasks_inbox.models import InboxView
from tasks_inbox.reading import listing, sources
from tasks_inbox.reading.sources import VIEWS, View, parts_of


def views_for(principal: Principal, who: Who | None = None) -> QuerySet[InboxView]:
    """One's own views and those shared with one's groups, by name; `who` is the one who asks, if that is known."""
    principal.require(TASKS_READ)
    keys = _group_keys(who or who_is(principal))
    views = InboxView.objects.for_tenant(principal.tenant_id).select_related("group")
    return views.filter(Q(owner=principal.username) | Q(group__key__in=keys)).order_by("name", "pk")


def view_of(principal: Principal, view_id: int) -> InboxView:
    """One of these. Raises Missing."""
    view = views_for(principal).filter(pk=view_id).first()
    if view is None:
        raise Missing("There is no such view.")
    return view


def view_row(view: InboxView, principal: Principal, count: int) -> dict[str, Json]:
    """A view as the API shows it, with how many tasks it finds for who looks."""
    row = {
        name: getattr(view, name) for name in ("id", "name", "view", "filter", "sort", "owner", "created_at")
    }
    is_own = view.owner == principal.username
    return row | {
        "group": view.group and view.group.name,
        "is_own": is_own,
        "count": min(count, sources.COUNTED),
        "fault": listing.fault_of(view.filter) or None,
    }


def counts_of(who: Who, views: Sequence[InboxView]) -> dict[int, int]:
    """How many tasks each of these views finds for somebody, counted up to one more than `COUNTED`; one statement."""
    most = sources.COUNTED + 1
    parts = [
        rows.annotate(saved=Value(one.pk)).values_list("saved", "pk")[:most]
        for one in views
        if not listing.fault_of(one.filter)
        for rows in listing.found(who, parts_of(who, view=cast(View, one.view)), one.filter)
    ]
    if not parts:
        return dict.fromkeys((one.pk for one in views), 0)
    sql, params = parts[0].union(*parts[1:]).query.sql_with_params()
    with connection.cursor() as cursor:
        # What Django wrote, with values as parameters.
        cursor.execute(f"SELECT saved, count(*) FROM ({sql}) of_views GROUP BY saved", params)  # noqa: S608
        tally: dict[int, int] = dict(cursor.fetchall())
    return {one.pk: min(tally.get(one.pk, 0), most) for one in views}


def add_view(principal: Principal, *, reason: str | None = None, **fields: Json) -> InboxView:
    """Keep a search: `name`, `view`, `filter`, `sort`, and the name of a `group` to share it with.

    Raises Invalid at the field that is wrong, Conflict for a name that one has given before and for too many views.
    """
    principal.require(TASKS_READ)
    own = InboxView.objects.for_tenant(principal.tenant_id).filter(owner=principal.username)
    if own.count() >= USER_VIEWS:
        raise Conflict(f"You already have {USER_VIEWS} views: delete one first.", code="too_many")
    usual = {"name": "", "view": "teams", "filter": "", "sort": "sla"}
    view = InboxView(tenant_id=principal.tenant_id, owner=principal.username, **usual)
    return _save_view(principal, view, fields, "keep", reason)


def change_view(
    principal: Principal, view_id: int, *, reason: str | None = None, **fields: Json
) -> InboxView:
    """Change one's own view as `add_view` makes one; what isn't said stays. Raises Missing, NotAllowed, and as
    there."""
    view = view_of(principal, view_id)
    if view.owner != principal.username:
        raise NotAllowed(f"This view is {view.owner}'s: only they can change it.")
    return _save_view(principal, view, fields, "change", reason)


def delete_view(principal: Principal, view_id: int, *, reason: str | None = None) -> InboxView:
    """Delete one's own view, or with `members:manage` a shared one. Gives what it was; raises as `change_view`."""
    view = view_of(principal, view_id)
    if view.owner != principal.username and MEMBERS_MANAGE not in principal.scopes:
        raise NotAllowed(f"This view is {view.owner}'s: only they can delete it.")
    audit.record(principal, "delete", f"inbox view {view.name} of {view.owner}", reason=reason)
    InboxView.objects.for_tenant(principal.tenant_id).filter(pk=view.pk).delete()
    return view


def groups_of(who: Who) -> list[str]:
    """The names of the groups with which somebody may share: their own."""
    groups = Group.objects.for_tenant(who.tenant_id).filter(key__in=_group_keys(who))
    return list(groups.order_by("name").values_list("name", flat=True))


def _group_keys(who: Who) -> list[str]:
    return [mark.removeprefix("group:") for mark in who.marks if mark.startswith("group:")]


def _save_view(
    principal: Principal, view: InboxView, fields: dict[str, Json], does: str, reason: str | None
) -> InboxView:
    for field in ("name", "view", "sort"):
        setattr(view, field, " ".join(fields.get(field, getattr(view, field)).split()))
    # Spaces in quotes count.
    view.filter = fields.get("filter", view.filter).strip()
    if not 0 < len(view.name) <= VIEW_NAME_CHARACTERS:
        raise Invalid(f"Give it a name of 1 to {VIEW_NAME_CHARACTERS} characters.", field="name")
    if view.view not in VIEWS:
        raise Invalid(f"This must be one of {', '.join(VIEWS)}.", field="view")
    if listing.order_of(view.sort) is None:
        raise Invalid("There is no such sort order.", code="bad_sort", field="sort")
    listing.check(view.filter)
    if "group" in fields:
        view.group = _group(principal, fields["group"])
    try:
        with transaction.atomic():
            view.save()
            audit.record(principal, does, f"inbox view {view.name}", reason=reason)
    except IntegrityError:
        raise Conflict(f"You already have a view “{view.name}”.", code="name_taken") from None
    return view


def _group(principal: Principal, name: str | None) -> Group | None:
    if not name:
        return None
    if key_of(name) not in _group_keys(who_is(principal)):
        raise Invalid(f"You are not in the group {name}.", field="group")
    return Group.objects.for_tenant(principal.tenant_id).get(key=key_of(name))

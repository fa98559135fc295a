"""Searches in the list of runs that people keep under a name and share with a group: who owns one changes it."""

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from accounts import audit
from accounts.models import Group
from accounts.names import key_of
from accounts.principal import Principal
from accounts.queries import groups_of
from accounts.roles import MEMBERS_MANAGE, RUNS_READ
from lib.refusals import Conflict, Invalid, Missing, NotAllowed
from runs.limits import SEARCH_CHARACTERS, SEARCH_NAME_CHARACTERS, USER_SEARCHES
from runs.models import SavedSearch
from runs.reading.filters import check_query


def searches_for(who: Principal) -> QuerySet[SavedSearch]:
    """One's own searches and those shared with one's groups, by name."""
    who.require(RUNS_READ)
    rows = SavedSearch.objects.for_tenant(who.tenant_id).select_related("group")
    return rows.filter(Q(owner=who.username) | Q(group__in=_groups(who).values("pk"))).order_by("name", "pk")


def search_of(who: Principal, search_id: int) -> SavedSearch:
    """One of these. Raises Missing."""
    search = searches_for(who).filter(pk=search_id).first()
    if search is None:
        raise Missing("There is no such search.")
    return search


def own_groups(who: Principal) -> list[str]:
    """The names of the groups with which somebody may share: their own."""
    return list(_groups(who).order_by("name").values_list("name", flat=True))


def keep_search(
    who: Principal, name: str, query: str, group: str = "", *, reason: str | None = None
) -> SavedSearch:
    """Keep a search, shared with one's group of this name where one is named.

    Raises Invalid at the field that is wrong, Conflict for a name that one has given before and for too many searches.
    """
    who.require(RUNS_READ)
    if SavedSearch.objects.for_tenant(who.tenant_id).filter(owner=who.username).count() >= USER_SEARCHES:
        raise Conflict(f"You already have {USER_SEARCHES} searches: delete one first.", code="too_many")
    search = SavedSearch(tenant_id=who.tenant_id, owner=who.username, query=_checked(query))
    return _save(who, search, name, group, "keep", reason)


def change_search(
    who: Principal,
    search_id: int,
    name: str,
    group: str = "",
    *,
    query: str | None = None,
    reason: str | None = None,
) -> SavedSearch:
    """Give one's own search another name, share it with another group or with none, and have it search by `query`.

    Raises Missing, NotAllowed, and as `keep_search`.
    """
    search = search_of(who, search_id)
    if search.owner != who.username:
        raise NotAllowed(f"This search is {search.owner}'s: only they can change it.")
    if query is not None:
        search.query = _checked(query)
    return _save(who, search, name, group, "change", reason)


def delete_search(who: Principal, search_id: int, *, reason: str | None = None) -> SavedSearch:
    """Delete one's own search, or with `members:manage` a shared one. Gives what it was; raises as `change_search`."""
    search = search_of(who, search_id)
    if search.owner != who.username and MEMBERS_MANAGE not in who.scopes:
        raise NotAllowed(f"This search is {search.owner}'s: only they can delete it.")
    audit.record(who, "delete", f"search of runs {search.name} of {search.owner}", reason=reason)
    SavedSearch.objects.for_tenant(who.tenant_id).filter(pk=search.pk).delete()
    return search


def _save(
    who: Principal, search: SavedSearch, name: str, group: str, does: str, reason: str | None
) -> SavedSearch:
    search.name = " ".join(name[: 2 * SEARCH_NAME_CHARACTERS].replace("\x00", "").split())
    if not 0 < len(search.name) <= SEARCH_NAME_CHARACTERS:
        raise Invalid(f"Give it a name of 1 to {SEARCH_NAME_CHARACTERS} characters.", field="name")
    search.group = _group(who, group) if group else None
    try:
        with transaction.atomic():
            if search.pk is None:
                SavedSearch.objects.bulk_create([search])
            else:
                rows = SavedSearch.objects.for_tenant(who.tenant_id).filter(pk=search.pk)
                rows.update(name=search.name, group=search.group, query=search.query)
            audit.record(who, does, f"search of runs {search.name}", reason=reason)
    except IntegrityError:
        raise Conflict(f"You already have a search “{search.name}”.", code="name_taken") from None
    return search


def _checked(query: str) -> str:
    if len(query) > SEARCH_CHARACTERS:
        raise Invalid(f"A search has at most {SEARCH_CHARACTERS} characters.", field="query")
    query = query.replace("\x00", "")
    check_query(query)
    return query


def _groups(who: Principal) -> QuerySet[Group]:
    return groups_of(who.tenant_id).filter(members__user_id=who.user_id)


def _group(who: Principal, name: str) -> Group:
    group = _groups(who).filter(key=key_of(name[:150].replace("\x00", ""))).first()
    if group is None:
        raise Invalid(f"You are not in the group {name[:150]}.", field="group")
    return group

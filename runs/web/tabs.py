"""The tabs above the list of runs: those that everybody has and one's saved searches, with bounded counts.

The page asks for them once it is there, then every 15 s at most and never while it is hidden.
"""

from collections import Counter
from functools import reduce
from typing import Any
from uuid import UUID

from django.db.models import QuerySet, TextField, Value
from django.http import HttpResponse, QueryDict
from django.shortcuts import render

from accounts import people
from accounts.access import PageRequest, page
from accounts.roles import RUNS_READ
from engine.catalogue import Json
from lib.reader import number_text
from runs.access import readable
from runs.commands import saved
from runs.models import Run, SavedSearch
from runs.reading import queries
from runs.reading.filters import FilterForm
from runs.web import listing

COUNTED = 1_000
"""Up to so many runs are counted; more are told as "1,000+"."""
READ = queries.LOOKED_THROUGH
"""They are counted among so many of the tenant's newest ones: however many there are, no more are read for a count."""
SEARCHES_COUNTED = 20
TABS: dict[str, tuple[str, dict[str, str]]] = {
    "all": ("All", {}),
    "mine": ("Mine", {"by": "me"}),
    "people": ("Waiting on people", {"status": "people"}),
    "unresolved": ("Failed, unresolved", {"status": "unresolved"}),
    "stuck": ("Stuck", {"status": "stuck"}),
    "open": ("At work", {"status": "open"}),
    "tests": ("Tests", {"test": "1"}),
}
"""What everybody has, in words, and what of the address makes it."""
_UNCOUNTED = ("all", "tests")
_OF_TABS = ("by", "status", "test", "saved")
_KEPT = ("workflow", "since", "until", "columns", "order")
"""What of the address stays from one tab to the next."""


def tabs_context(request: PageRequest, *, with_counts: bool = False) -> dict[str, Json]:
    """The tabs with their addresses and which is the current one, and what may be done with it; counts where asked."""
    who = request.principal
    searches = list(saved.searches_for(who))
    people.learn(who.tenant_id, [one.owner for one in searches])
    first = queries.first_of_newest(who.tenant_id, READ) if with_counts else None
    counts = _counts(request, searches, first) if with_counts else {}
    now = next((one for one in searches if str(one.pk) == request.GET.get("saved")), None)
    tabs = [
        {
            "key": key,
            "words": words,
            "address": listing.with_parameters(
                request.GET, {name: does.get(name, "") for name in _OF_TABS}, (*_OF_TABS, *_KEPT)
            ),
            "is_current": now is None and _stands_in(request.GET, does),
            "count": counts.get(key, ""),
        }
        for key, (words, does) in TABS.items()
    ]
    return {
        "tabs": tabs,
        "searches": [_row(one, who.username, counts.get(str(one.pk), "")) for one in searches],
        "search_now": now and _row(now, who.username, ""),
        "own_groups": saved.own_groups(who),
        "keeps_search": listing.without(request.GET, "cursor", "saved"),
        "keeps": listing.without(request.GET, "cursor"),
        "counted_among": None if first is None else READ,
    }


def _stands_in(query: QueryDict, does: dict[str, str]) -> bool:
    return all(query.get(name, "").strip().lower() == does.get(name, "") for name in _OF_TABS)


def _row(search: SavedSearch, username: str, count: str) -> dict[str, Json]:
    return {
        "id": search.pk,
        "name": search.name,
        "of": "" if search.owner == username else search.owner,
        "group": search.group.name if search.group else "",
        "count": count,
        "address": address_of(search),
    }


def address_of(search: SavedSearch) -> str:
    """The query string of the list that a saved search is."""
    return listing.with_parameters(QueryDict(search.query), {"saved": str(search.pk)})


def _counts(request: PageRequest, searches: list[SavedSearch], first: UUID | None) -> dict[str, str]:
    """How many runs each tab finds, none older than the `first`, by its key or id, in one statement; a search that
    reads inputs is not counted.
    """
    tab_queries = {
        key: listing.with_parameters(request.GET, {name: does.get(name, "") for name in _OF_TABS}, _KEPT)
        for key, (_, does) in TABS.items()
        if key not in _UNCOUNTED
    }
    tab_queries |= {str(one.pk): one.query for one in searches[:SEARCHES_COUNTED]}
    mine = readable(Run.objects.for_tenant(request.principal.tenant_id), request.principal)
    parts = [
        part for key, query in tab_queries.items() for part in _counted(request, mine, key, query, first)
    ]
    if not parts:
        return {}
    tally = Counter(key for key, _ in reduce(lambda first, more: first.union(more, all=True), parts))
    return {key: _at_most(tally[key], there_are_older=first is not None) for key in tab_queries}


def _at_most(count: int, *, there_are_older: bool) -> str:
    """A count in words: with a plus where there may be more."""
    if count > COUNTED:
        return f"{number_text(str(COUNTED))}+"
    return f"{number_text(str(count))}{'+' if there_are_older and count else ''}"


def _counted(
    request: PageRequest, mine: QuerySet[Run], key: str, query: str, first: UUID | None
) -> list[QuerySet[Run, Any]]:
    """The runs to count of those that they may read, none older than the `first`, at most one more than are told; none
    where the search can't be read or reads inputs.
    """
    form = FilterForm(QueryDict(query))
    filters = form.asked(request.principal.username)
    if not form.is_valid() or filters.keys() & {"q", "inputs"}:
        return []
    rows = listing.matching(request.principal.tenant_id, filters | {"from_id": first}, mine)
    rows = rows.annotate(tab=Value(key, output_field=TextField()))
    return [rows.values_list("tab", "pk")[: COUNTED + 1]]


@page(RUNS_READ)
def counts(request: PageRequest) -> HttpResponse:
    """The tabs with how many runs each finds."""
    return render(request, "runs/_views.html", tabs_context(request, with_counts=True))

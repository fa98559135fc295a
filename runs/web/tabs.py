"""The tabs above the list of runs: those that everybody has and one's saved searches, with bounded counts.

The page asks for them once it is there, then every 15 s at most and never while it is hidden.
"""

from django.http import HttpResponse, QueryDict
from django.shortcuts import render

from accounts import people
from accounts.access import PageRequest, page
from accounts.roles import RUNS_READ
from engine.catalogue import Json
from lib.counts import Count
from runs.access import readable_runs
from runs.commands import saved
from runs.models import SavedSearch
from runs.reading import counting
from runs.reading.filters import FilterForm, fault_of
from runs.reading.queries import reads_inputs
from runs.web import listing

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
_OF_TABS = ("by", "status", "test", "saved")
_KEPT = ("workflow", "since", "until", "columns", "order")
"""What of the address stays from one tab to the next."""


def tabs_context(request: PageRequest, *, with_counts: bool = False) -> dict[str, Json]:
    """The tabs with their addresses and which is the current one, and what may be done with it; counts where asked."""
    who = request.principal
    searches = list(saved.searches_for(who))
    people.learn(who.tenant_id, [one.owner for one in searches])
    counts = _counts(request, searches) if with_counts else {}
    now = next((one for one in searches if str(one.pk) == request.GET.get("saved")), None)
    tabs = [
        {
            "key": key,
            "words": words,
            "address": listing.with_parameters(
                request.GET, {name: does.get(name, "") for name in _OF_TABS}, (*_OF_TABS, *_KEPT)
            ),
            "is_current": now is None and _stands_in(request.GET, does),
            "count": counts.get(key),
            "is_bad": key == "unresolved",
        }
        for key, (words, does) in TABS.items()
    ]
    return {
        "tabs": tabs,
        "searches": [_row(one, who.username, counts.get(str(one.pk))) for one in searches],
        "search_now": now and _row(now, who.username, None),
        "own_groups": saved.own_groups(who),
        "keeps_search": listing.without(request.GET, "cursor", "saved"),
        "keeps": listing.without(request.GET, "cursor"),
    }


def _stands_in(query: QueryDict, does: dict[str, str]) -> bool:
    return all(query.get(name, "").strip().lower() == does.get(name, "") for name in _OF_TABS)


def _row(search: SavedSearch, username: str, count: Count | None) -> dict[str, Json]:
    return {
        "id": search.pk,
        "name": search.name,
        "of": "" if search.owner == username else search.owner,
        "group": search.group.name if search.group else "",
        "count": count,
        "address": address_of(search),
        "fault": fault_of(search.query),
    }


def address_of(search: SavedSearch) -> str:
    """The query string of the list that a saved search is."""
    return listing.with_parameters(QueryDict(search.query), {"saved": str(search.pk)})


def _counts(request: PageRequest, searches: list[SavedSearch]) -> dict[str, Count]:
    """How many runs each tab finds, by its key or id, in one statement; a search that can't be read, or that reads
    inputs, is not counted.
    """
    who = request.principal
    tab_queries = {
        key: listing.with_parameters(request.GET, {name: does.get(name, "") for name in _OF_TABS}, _KEPT)
        for key, (_, does) in TABS.items()
    }
    tab_queries |= {str(one.pk): one.query for one in searches[:SEARCHES_COUNTED]}
    lists: dict[str, dict[str, Json]] = {}
    for key, query in tab_queries.items():
        form = FilterForm(QueryDict(query))
        filters = form.asked(who.username)
        if form.is_valid() and not reads_inputs(filters):
            lists[key] = filters
    return counting.counts_of(who.tenant_id, lists, readable_runs(who))


@page(RUNS_READ)
def counts(request: PageRequest) -> HttpResponse:
    """The tabs with how many runs each finds."""
    return render(request, "runs/_views.html", tabs_context(request, with_counts=True))

"""What people keep of the list of runs by forms: which columns it has, what is at its end, searches under a name."""

from django.contrib import messages
from django.http import HttpResponse, QueryDict
from django.shortcuts import redirect
from django.urls import reverse

from accounts.access import PageRequest, page
from accounts.roles import RUNS_READ
from lib.refusals import Refusal
from runs.commands import saved
from runs.limits import SEARCH_CHARACTERS
from runs.models import SavedSearch
from runs.reading.filters import COLUMNS, NOT_KEPT
from runs.web import listing, tabs
from runs.web.listing import Shown

_A_YEAR = 365 * 86_400


@page(RUNS_READ, "POST")
def columns(request: PageRequest) -> HttpResponse:
    """Keeps for whoever asks which columns the list has and what is at its end, in a cookie."""
    names = listing.columns_of(".".join(request.POST.getlist("column")[: len(COLUMNS)]))
    layout = Shown(names, request.POST.get("way") == listing.SCROLL)
    response = redirect(_list_at(listing.without(request.GET, "columns", "cursor")))
    response.set_cookie(
        listing.COOKIE,
        layout.written(),
        max_age=_A_YEAR,
        samesite="Lax",
        httponly=True,
        secure=request.is_secure(),
    )
    return response


@page(RUNS_READ, "POST")
def keep(request: PageRequest) -> HttpResponse:
    """Keeps the list as somebody has it before them, with its columns."""
    try:
        name, group = request.POST.get("name", ""), request.POST.get("group", "")
        search = saved.keep_search(request.principal, name, _query(request), group)
    except Refusal as error:
        messages.error(request, error.message)
        return redirect(_list_at(_here(request)))
    messages.success(request, f"“{search.name}” is kept.")
    return redirect(_list_of(search))


@page(RUNS_READ, "POST")
def change(request: PageRequest, view_id: int) -> HttpResponse:
    """Keeps a search as the list is before its owner now, renames it and says with whom it is shared."""
    search = saved.search_of(request.principal, view_id)
    try:
        name, group = request.POST.get("name", ""), request.POST.get("group", "")
        search = saved.change_search(request.principal, view_id, name, group, query=_query(request))
        messages.success(request, f"“{search.name}” is changed.")
    except Refusal as error:
        messages.error(request, error.message)
    return redirect(_list_of(search))


@page(RUNS_READ, "POST")
def delete(request: PageRequest, view_id: int) -> HttpResponse:
    """Deletes a search; the list that it was stays before them."""
    search = saved.search_of(request.principal, view_id)
    try:
        saved.delete_search(request.principal, view_id)
    except Refusal as error:
        messages.error(request, error.message)
        return redirect(_list_of(search))
    messages.success(request, f"“{search.name}” is deleted; its results are still shown here.")
    return redirect(_list_at(search.query))


def _here(request: PageRequest) -> str:
    """The query of the list from which a form was sent."""
    parameters = QueryDict(request.POST.get("query", "")[:SEARCH_CHARACTERS])
    return listing.without(parameters, *NOT_KEPT)


def _query(request: PageRequest) -> str:
    """That query with the columns that were shown."""
    here = QueryDict(_here(request))
    layout = listing.shown_for(request, here.get("columns", ""))
    return listing.with_parameters(here, {"columns": ".".join(layout.columns)})


def _list_of(search: SavedSearch) -> str:
    return _list_at(tabs.address_of(search))


def _list_at(query: str) -> str:
    return f"{reverse('runs')}?{query}" if query else reverse("runs")

"""The saved views on the page of the inbox: their list with counts, and the forms that keep, change and delete them."""

from uuid import UUID

from django.contrib import messages
from django.core import signing
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode

from accounts import people
from accounts.access import PageRequest, page
from accounts.roles import TASKS_READ
from engine.catalogue import Json
from lib.counts import up_to
from lib.refusals import Refusal
from tasks_inbox.eligibility.identity import Who
from tasks_inbox.models import InboxView
from tasks_inbox.reading import listing, saved, sources
from tasks_inbox.web import panes
from tasks_inbox.web.asking import who_of
from tasks_inbox.web.panes import Place

_SALT = "deleted inbox view"
UNDO_SECONDS = 600


def whole_list(request: PageRequest, who: Who, place: Place, at: UUID | None = None) -> dict[str, Json]:
    """The list as `panes.list_pane` gives it, with the saved views; what asks for the list alone waits for counts."""
    context = panes.list_pane(request, who, place, at)
    context |= kept_context(
        request, who, context["place"], with_counts=bool(request.headers.get("HX-Request"))
    )
    # A saved view is what one stands in, whichever it was made of.
    current = context["kept_now"]
    return context | {"more_shown": current["name"] if current else context["more_shown"]}


def kept_context(request: PageRequest, who: Who, place: Place, *, with_counts: bool) -> dict[str, Json]:
    """The saved views of who looks, and what may be done with the one in which they stand; counts only if asked."""
    saved_views = list(saved.views_for(request.principal, who))
    counts = saved.counts_of(who, saved_views) if with_counts else {}
    people.learn(who.tenant_id, [one.owner for one in saved_views])
    rows = [
        {
            "id": one.pk,
            "name": one.name,
            "of": "" if one.owner == who.username else one.owner,
            "group": one.group.name if one.group else "",
            "count": up_to(counts[one.pk], sources.COUNTED)
            if with_counts and not listing.fault_of(one.filter)
            else None,
            "address": address_of(one),
            "fault": listing.fault_of(one.filter),
        }
        for one in saved_views
    ]
    current = next((row for row in rows if row["id"] == place.saved), None)
    may_keep = current is None and place.run is None and bool(place.text or place.sort != place.usual())
    return {
        "kept": rows,
        "kept_now": current,
        "may_keep": may_keep,
        "own_groups": saved.groups_of(who) if current or may_keep else (),
        "undo": _undo(request),
        "undo_token": request.GET.get("undo", ""),
    }


def address_of(view: InboxView) -> str:
    """The query string of the list that a saved view is."""
    fields = {"view": view.view, "sort": view.sort, "filter": view.filter, "saved": view.pk}
    return urlencode({key: str(value) for key, value in fields.items() if value})


def _undo(request: PageRequest) -> dict[str, Json] | None:
    """What was just deleted, as its form would keep it again."""
    try:
        fields: dict[str, Json] = signing.loads(request.GET.get("undo", ""), salt=_SALT, max_age=UNDO_SECONDS)
    except signing.BadSignature:
        return None
    return fields


@page(TASKS_READ)
def views(request: PageRequest) -> HttpResponse:
    """The saved views with how many tasks each finds."""
    place = Place.of(request)
    context = kept_context(request, who_of(request, request.principal), place, with_counts=True)
    context["keeps"] = place.address()
    return render(request, "inbox/_kept.html", context)


@page(TASKS_READ, "POST")
def add(request: PageRequest) -> HttpResponse:
    """Keeps the search in which somebody stands."""
    fields = {name: request.POST.get(name, "") for name in ("name", "view", "filter", "sort", "group")}
    try:
        view = saved.add_view(request.principal, **fields)
    except Refusal as error:
        messages.error(request, error.message)
        fields = {name: fields[name] for name in ("view", "filter", "sort")}
        return redirect(f"{reverse('inbox')}?{urlencode(fields)}")
    messages.success(request, f"“{view.name}” is kept.")
    return redirect(f"{reverse('inbox')}?{address_of(view)}")


@page(TASKS_READ, "POST")
def change(request: PageRequest, view_id: int) -> HttpResponse:
    """Renames a view and says with whom it is shared."""
    view = saved.view_of(request.principal, view_id)
    try:
        name, group = request.POST.get("name", ""), request.POST.get("group", "")
        view = saved.change_view(request.principal, view_id, name=name, group=group)
        messages.success(request, f"“{view.name}” is changed.")
    except Refusal as error:
        messages.error(request, error.message)
    return redirect(f"{reverse('inbox')}?{address_of(view)}")


@page(TASKS_READ, "POST")
def delete(request: PageRequest, view_id: int) -> HttpResponse:
    """Deletes a view, which may be taken back for a while."""
    view = saved.view_of(request.principal, view_id)
    try:
        saved.delete_view(request.principal, view_id)
    except Refusal as error:
        messages.error(request, error.message)
        return redirect(f"{reverse('inbox')}?{address_of(view)}")
    fields = {name: getattr(view, name) for name in ("name", "view", "filter", "sort")}
    undo = signing.dumps(fields | {"group": view.group.name if view.group else ""}, salt=_SALT)
    return redirect(f"{reverse('inbox')}?{urlencode({'view': view.view, 'undo': undo})}")

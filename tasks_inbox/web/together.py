"""What the inbox' page does with the tasks that were selected in its list."""

from collections.abc import Sequence
from datetime import timedelta
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from accounts.access import PageRequest, page
from accounts.roles import TASKS_DECIDE
from engine.catalogue import Json
from lib.clock import now_here
from lib.refusals import Invalid
from tasks_inbox.actions import bulk
from tasks_inbox.actions.bulk import ASSIGN, CLAIM, DECIDE, DONE, SNOOZE, UNDO, Wanted
from tasks_inbox.web import pages, panes, undoing
from tasks_inbox.web.panes import Place

_SAID = {CLAIM: "claimed", ASSIGN: "assigned", SNOOZE: "snoozed", DECIDE: "decided", UNDO: "taken back"}


@page(TASKS_DECIDE)
def review(request: PageRequest) -> HttpResponse:
    """The selected tasks, their sums, and the outcomes by which they may be decided together."""
    context: dict[str, Json] = {"stays": Place.of(request).address()}
    try:
        context |= bulk.review(request.principal, _ids(request.GET.getlist("ids")))
    except Invalid as refused:
        context["refused"] = refused.message
    return _shown(request, context)


@page(TASKS_DECIDE, "POST")
def do(request: PageRequest) -> HttpResponse:
    """Does one thing with all selected tasks, and says what became of each that was refused."""
    ids, wanted = _ids(request.POST.getlist("ids")), _wanted(request)
    place = Place.of(request).address()
    try:
        if unsaid := _unsaid(request, ids, wanted):
            return _shown(request, unsaid | {"stays": place})
        results = _acted(request, ids, wanted)
    except Invalid as refused:
        messages.error(request, refused.message)
        return redirect(f"{reverse('inbox')}?{place}")
    refusals = [one for one in results if one["result"] != DONE]
    if refusals:
        told = {"results": results, "words": _words(results, wanted), "stays": place}
        return _shown(request, told | undoing.held_context(request))
    # What can be undone is said where it can be.
    if not all(one["held_until"] for one in results):
        messages.success(request, _words(results, wanted))
    return redirect(f"{reverse('inbox')}?{place}")


def _acted(request: PageRequest, ids: list[UUID], wanted: Wanted) -> list[dict[str, Json]]:
    if wanted.action == UNDO:
        return undoing.undo_together(request, ids)
    return bulk.act(request.principal, ids, wanted)


def _words(results: Sequence[dict[str, Json]], wanted: Wanted) -> str:
    done = sum(one["result"] == DONE for one in results)
    held = any(one["held_until"] for one in results)
    what = "count in a moment" if held else _SAID[wanted.action]
    nothing = ": nothing was decided" if wanted.action == UNDO and done == len(results) else ""
    return f"{done} of {len(results)} {what}{nothing}."


def _unsaid(request: PageRequest, ids: list[UUID], wanted: Wanted) -> dict[str, Json] | None:
    """The review again, where it is to be said why and nothing was. Raises Invalid as the review."""
    if wanted.action != DECIDE or wanted.comment:
        return None
    context = bulk.review(request.principal, ids)
    chosen = next((one for one in context["outcomes"] if one["name"] == wanted.outcome), None)
    if chosen is None or not chosen["require_comment"]:
        return None
    return context | {"comment_error": f"Say why: “{chosen['label']}” needs a comment."}


def _shown(request: PageRequest, context: dict[str, Json]) -> HttpResponse:
    dialog = request.headers.get("HX-Request")
    return render(request, "inbox/_bulk_review.html" if dialog else "inbox/bulk.html", context)


def _wanted(request: PageRequest) -> Wanted:
    asked = request.POST
    action = asked.get("action", "")
    hours = asked.get("hours", "")
    if hours in dict(panes.SNOOZES):
        return Wanted(SNOOZE, until=now_here() + timedelta(hours=int(hours)))
    seen = {name.removeprefix("seen-"): asked[name] for name in asked if name.startswith("seen-")}
    return Wanted(
        DECIDE if asked.get("outcome") else action if action in (CLAIM, ASSIGN, UNDO) else CLAIM,
        assignee=asked.get("assignee", "").strip()[: pages.MAX_NAME],
        outcome=asked.get("outcome", ""),
        comment=asked.get("comment", "").replace("\r\n", "\n").replace("\x00", "").strip(),
        seen=seen,
        undoable=True,
    )


def _ids(said: Sequence[str]) -> list[UUID]:
    return [id for text in said if (id := panes.id_of(text)) is not None]

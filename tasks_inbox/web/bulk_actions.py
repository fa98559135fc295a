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
from lib.typed_values import plain_text
from runs.ports import BULK_RECORDS
from tasks_inbox.actions import bulk
from tasks_inbox.actions.bulk import ASSIGN, CLAIM, DECIDE, DONE, SNOOZE, UNDO, BulkCommand
from tasks_inbox.forms.texts import title_of
from tasks_inbox.limits import ASSIGNEE_CHARACTERS, BULK_FACTS
from tasks_inbox.web import panes, undoing
from tasks_inbox.web.panes import Place

_SAID = {CLAIM: "claimed", ASSIGN: "assigned", SNOOZE: "snoozed", DECIDE: "decided", UNDO: "taken back"}


@page(TASKS_DECIDE)
def review(request: PageRequest) -> HttpResponse:
    """The selected tasks, their sums, and the outcomes by which they may be decided together."""
    context: dict[str, Json] = {"stays": Place.of(request).address()}
    try:
        context |= bulk.review(request.principal, _ids(request.GET.getlist("ids")))
    except Invalid as error:
        context["refused"] = error.message
    return _shown(request, context)


@page(TASKS_DECIDE, "POST")
def do(request: PageRequest) -> HttpResponse:
    """Does one thing with all selected tasks, and says what became of each that was refused."""
    ids, command = _ids(request.POST.getlist("ids")), _wanted(request)
    place = Place.of(request).address()
    try:
        if unsaid := _unsaid(request, ids, command):
            return _shown(request, unsaid | {"stays": place})
        results = _acted(request, ids, command)
    except Invalid as error:
        messages.error(request, error.message)
        return redirect(f"{reverse('inbox')}?{place}")
    job = bulk.recorded(request.principal, command, results)
    refusals = [one for one in results if one["result"] != DONE]
    if refusals:
        context = {"results": results, "words": _words(results, command), "stays": place}
        if job is not None and (records := BULK_RECORDS.first):
            context["kept_at"] = records.address(job, command.action)
        return _shown(request, context | undoing.held_context(request))
    # What can be undone is said where it can be.
    if not all(one["held_until"] for one in results):
        messages.success(request, _words(results, command))
    return redirect(f"{reverse('inbox')}?{place}")


def _acted(request: PageRequest, ids: list[UUID], command: BulkCommand) -> list[dict[str, Json]]:
    if command.action == UNDO:
        return undoing.undo_together(request, ids)
    return bulk.act(request.principal, ids, command)


def _words(results: Sequence[dict[str, Json]], command: BulkCommand) -> str:
    count = sum(one["result"] == DONE for one in results)
    are_held = any(one["held_until"] for one in results)
    words = "count in a moment" if are_held else _SAID[command.action]
    ending = ": nothing was decided" if command.action == UNDO and count == len(results) else ""
    return f"{count} of {len(results)} {words}{ending}."


def _unsaid(request: PageRequest, ids: list[UUID], command: BulkCommand) -> dict[str, Json] | None:
    """The review again, where it is to be said why and nothing was. Raises Invalid as the review."""
    if command.action != DECIDE or command.comment:
        return None
    context = bulk.review(request.principal, ids)
    choice = next((one for one in context["outcomes"] if one["name"] == command.outcome), None)
    if choice is None or not choice["require_comment"]:
        return None
    return context | {"comment_error": f"Add a comment: “{choice['label']}” needs one."}


def _shown(request: PageRequest, context: dict[str, Json]) -> HttpResponse:
    for one in context.get("tasks", ()):
        task = one["task"]
        one |= {"title": title_of(task), "facts": [_fact(fact) for fact in task.facts[:BULK_FACTS]]}
    dialog = request.headers.get("HX-Request")
    return render(request, "inbox/_bulk_review.html" if dialog else "inbox/bulk.html", context)


def _fact(fact: dict[str, Json]) -> tuple[str, str]:
    return fact["label"], plain_text(fact["value"], fact.get("type"))


def _wanted(request: PageRequest) -> BulkCommand:
    fields = request.POST
    action = fields.get("action", "")
    hours = fields.get("hours", "")
    if hours in dict(panes.SNOOZES):
        return BulkCommand(SNOOZE, until=now_here() + timedelta(hours=int(hours)))
    hashes = {name.removeprefix("seen-"): fields[name] for name in fields if name.startswith("seen-")}
    return BulkCommand(
        DECIDE if fields.get("outcome") else action if action in (CLAIM, ASSIGN, UNDO) else CLAIM,
        assignee=fields.get("assignee", "").strip()[:ASSIGNEE_CHARACTERS],
        outcome=fields.get("outcome", ""),
        comment=fields.get("comment", "").replace("\r\n", "\n").replace("\x00", "").strip(),
        seen=hashes,
        undoable=True,
    )


def _ids(texts: Sequence[str]) -> list[UUID]:
    return [id for text in texts if (id := panes.id_of(text)) is not None]

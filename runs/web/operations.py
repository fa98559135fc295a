"""The pages of operations: timers, dead letters, repairs. Each row leads to its run."""

from typing import Any
from uuid import UUID

from django.contrib import messages
from django.db.models import QuerySet
from django.http import HttpResponse
from django.shortcuts import redirect, render

from accounts import pages
from accounts.access import PageRequest, page
from accounts.roles import DEAD_LETTERS_READ, RUNS_OPERATE, RUNS_READ
from lib.api.pagination import Page, keyset_page
from lib.refusals import Invalid
from runs.access import readable_letters
from runs.commands import dead_letters
from runs.limits import FILTER_CHARACTERS
from runs.reading import letters, operations, queries
from runs.reading.histories import history_standing
from workflows import titles

DUE_IN_WORDS = (("", "All"), ("overdue", "Overdue"), ("hour", "Within an hour"), ("day", "Within a day"))


@page(RUNS_READ)
def timer_list(request: PageRequest) -> HttpResponse:
    """The timers that have not fired, the next first; `?due=overdue`, `hour` or `day`."""
    who = request.principal
    choice = request.GET.get("due", "")
    due = choice if choice in operations.DUE else None
    timer_page = _page(request, operations.timers_of(who, due), ("fire_at", "id"), oldest_first=True)
    rows = operations.timer_rows(who.tenant_id, timer_page.rows)
    titles.learn(who.tenant_id, {str(row["workflow"]) for row in rows})
    context = {"timers": rows, "due": due or "", "choices": DUE_IN_WORDS}
    return render(request, "operations/timers.html", context | pages.neighbours(timer_page))


@page(DEAD_LETTERS_READ)
def letter_list(request: PageRequest) -> HttpResponse:
    """The open dead letters, newest first; what can be done to a step otherwise is on the page of its run."""
    who = request.principal
    text, fault = request.GET.get("query", "").replace("\x00", "").strip()[:FILTER_CHARACTERS], ""
    rows = readable_letters(queries.dead_letters_of(who.tenant_id), who).filter(resolution=None)
    try:
        rows = letters.found(who.tenant_id, rows, text)
    except Invalid as error:
        rows, fault = rows.none(), error.message
    letter_page = _page(request, rows, ("id",))
    places = operations.places_of(
        who.tenant_id, [(letter.run_id, letter.node) for letter in letter_page.rows]
    )
    titles.learn(who.tenant_id, {place.workflow for place in places.values()})
    mendable = operations.mendable_letters(who, letter_page.rows)
    context = {
        "letters": [
            (letter, places.get((letter.run_id, letter.node)), letter.pk in mendable)
            for letter in letter_page.rows
        ],
        "may_operate": bool(mendable),
        "text": text,
        "fault": fault,
    }
    return render(request, "operations/letters.html", context | pages.neighbours(letter_page))


@page(RUNS_OPERATE, "POST")
def redrive_letter(request: PageRequest, letter_id: UUID) -> HttpResponse:
    """Lets the run of a dead letter go on: the failed step runs again."""
    letters = list(queries.dead_letters_of(request.principal.tenant_id).filter(pk=letter_id))
    outcome = dead_letters.redrive(request.principal, letters)
    for refusal in outcome.refused.values():
        messages.error(request, refusal.message)
    if outcome.done:
        messages.success(request, "The run goes on at the step that failed.")
    return redirect("operations-letters")


@page(RUNS_OPERATE)
def repair_list(request: PageRequest) -> HttpResponse:
    """What nothing would have moved any more, newest first: repaired, or for a person; the check of ended runs."""
    repair_page = _page(request, operations.repairs_of(request.principal), ("id",))
    context = {
        "repairs": repair_page.rows,
        "standing": history_standing(),
        "differences": operations.differences_of(request.principal).order_by("-id")[: operations.SHOWN],
    }
    return render(request, "operations/repairs.html", context | pages.neighbours(repair_page))


def _page(
    request: PageRequest, rows: QuerySet[Any], keys: tuple[str, ...], *, oldest_first: bool = False
) -> Page:
    cursor = request.GET.get("cursor") or None
    return keyset_page(
        rows, request, keys=keys, limit=pages.ON_A_PAGE, cursor=cursor, oldest_first=oldest_first
    )

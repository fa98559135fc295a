"""The pages of dead letters: searched, and tried again one by one; many at once are a bulk job."""

from collections.abc import Sequence
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render

from accounts import pages
from accounts.access import PageRequest, page
from accounts.roles import DEAD_LETTERS_READ, RUNS_OPERATE
from engine.catalogue import Json
from lib.api.pagination import keyset_page
from lib.refusals import Invalid
from runs.access import readable_letters
from runs.commands import dead_letters
from runs.limits import FILTER_CHARACTERS
from runs.models import DeadLetter
from runs.reading import letters, operations, queries
from workflows import titles


@page(DEAD_LETTERS_READ)
def letter_list(request: PageRequest) -> HttpResponse:
    """The open dead letters, newest first; what can be done to a step otherwise is on the page of its run."""
    who = request.principal
    text, fault = _query(request), ""
    rows = readable_letters(queries.dead_letters_of(who.tenant_id), who).filter(resolution=None)
    try:
        rows = letters.found(who.tenant_id, rows, text)
    except Invalid as error:
        rows, fault = rows.none(), error.message
    cursor = request.GET.get("cursor") or None
    letter_page = keyset_page(rows, request, keys=("id",), limit=pages.ON_A_PAGE, cursor=cursor)
    mendable = operations.mendable_letters(who, letter_page.rows)
    context = {
        "letters": [
            {**row, "is_mendable": row["letter"].pk in mendable} for row in _rows(request, letter_page.rows)
        ],
        # Also where this page has none that they may operate: all that match may have some.
        "may_operate": RUNS_OPERATE in request.principal.scopes,
        "text": text,
        "fault": fault,
    }
    return render(request, "operations/letters.html", context | pages.neighbours(letter_page))


@page(RUNS_OPERATE, "POST")
def redrive_letter(request: PageRequest, letter_id: UUID) -> HttpResponse:
    """Lets the run of a dead letter go on: the failed step runs again."""
    some = list(queries.dead_letters_of(request.principal.tenant_id).filter(pk=letter_id))
    outcome = dead_letters.redrive(request.principal, some)
    for refusal in outcome.refused.values():
        messages.error(request, refusal.message)
    if outcome.done:
        messages.success(request, "The run goes on at the step that failed.")
    return redirect("operations-letters")


def _rows(request: PageRequest, some: Sequence[DeadLetter]) -> list[dict[str, Json]]:
    """Each with where its step is; so many statements whatever their number."""
    tenant = request.principal.tenant_id
    places = operations.places_of(tenant, [(letter.run_id, letter.node) for letter in some])
    titles.learn(tenant, {place.workflow for place in places.values()})
    return [{"letter": letter, "place": places.get((letter.run_id, letter.node))} for letter in some]


def _query(request: PageRequest) -> str:
    return request.GET.get("query", "").replace("\x00", "").strip()[:FILTER_CHARACTERS]

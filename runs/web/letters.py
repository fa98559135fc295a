"""The pages of dead letters: searched, and retried or discarded together with a reason."""

from collections import Counter
from collections.abc import Sequence
from urllib.parse import urlencode
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from accounts import pages
from accounts.access import PageRequest, page
from accounts.roles import DEAD_LETTERS_READ, RUNS_OPERATE
from engine.catalogue import Json
from lib.api.pagination import keyset_page
from lib.refusals import Invalid
from runs.access import readable_letters
from runs.commands import dead_letters
from runs.limits import FILTER_CHARACTERS, REDRIVEN_STEPS, RUN_REASON_CHARACTERS
from runs.models import DeadLetter
from runs.reading import letters, operations, queries
from runs.web.contexts import uuid_of
from workflows import titles

SHOWN = 10
"""Dead letters that are named before something is done with them."""
TOLD = 100
"""Refused dead letters of which the result names each."""
RETRY, DISCARD = "retry", "discard"


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


@page(RUNS_OPERATE, "POST")
def letters_together(request: PageRequest) -> HttpResponse:
    """Retries or discards the selected dead letters, or all that match: first which these are, then the result."""
    verb = DISCARD if request.POST.get("verb") == DISCARD else RETRY
    text = _query(request)
    back = f"{reverse('operations-letters')}?{request.GET.urlencode()}"
    reason = _reason(request)
    is_confirmed = "confirm" in request.POST
    try:
        selection = _selection(request, text)
    except Invalid as error:
        messages.error(request, error.message)
        return redirect(back)
    action = f"{reverse('operations-letters-together')}?{urlencode({'query': text})}"
    context: dict[str, Json] = {"verb": verb, "back": back, "action": action, "left": selection.left}
    context["is_all"] = "all" in request.POST or "rest" in request.POST
    if is_confirmed and (reason or verb == RETRY):
        context |= _result(request, verb, selection.letters, reason)
        if context["is_all"]:
            context |= _behind(request, text, selection.letters[-1])
        return render(request, "operations/letters_result.html", context)
    context |= _review(request, selection.letters, is_confirmed=is_confirmed)
    return render(request, "operations/letters_together.html", context, status=422 if is_confirmed else 200)


def _review(request: PageRequest, some: Sequence[DeadLetter], *, is_confirmed: bool) -> dict[str, Json]:
    """Which these are, before something is done; `is_confirmed`: it was to be done, and no reason was given."""
    return {
        "count": len(some),
        "rows": _rows(request, some[:SHOWN]),
        "more": max(0, len(some) - SHOWN),
        "ids": ",".join(str(letter.pk) for letter in some),
        "reason": _reason(request),
        "reason_error": "Say why: the reason stays with each dead letter." if is_confirmed else "",
    }


def _selection(request: PageRequest, text: str) -> dead_letters.Selection:
    """The open letters that were selected, or all that match. Raises Invalid."""
    if "all" in request.POST:
        after = uuid_of(request.POST.get("after", ""))
        selection = dead_letters.matching(request.principal, query=text, after=after)
    else:
        texts = [*request.POST.getlist("ids"), *request.POST.get("letters", "").split(",")]
        ids = [id_ for one in texts[: REDRIVEN_STEPS + 1] if (id_ := uuid_of(one))]
        selection = dead_letters.matching(request.principal, ids=ids)
    if not selection.letters:
        raise Invalid("No dead letter is selected.")
    return selection


def _result(request: PageRequest, verb: str, some: Sequence[DeadLetter], reason: str) -> dict[str, Json]:
    """What became of each; of many that were refused the first are named."""
    act = dead_letters.redrive if verb == RETRY else dead_letters.discard_each
    outcome = act(request.principal, some, reason=reason)
    refused = [letter for letter in some if str(letter.pk) in outcome.refused]
    return {
        "count": len(some),
        "done": len(outcome.done),
        "reasons": Counter(why.message for why in outcome.refused.values()).most_common(),
        "refused": [
            {**row, "why": outcome.refused[str(row["letter"].pk)].message}
            for row in _rows(request, refused[:TOLD])
        ],
        "untold": max(0, len(refused) - TOLD),
    }


def _behind(request: PageRequest, text: str, last: DeadLetter) -> dict[str, Json]:
    """How many more match behind this one, which the next review begins with."""
    rest = dead_letters.matching(request.principal, query=text, after=last.pk)
    return {"left": len(rest.letters) + rest.left, "after": last.pk}


def _rows(request: PageRequest, some: Sequence[DeadLetter]) -> list[dict[str, Json]]:
    """Each with where its step is; so many statements whatever their number."""
    tenant = request.principal.tenant_id
    places = operations.places_of(tenant, [(letter.run_id, letter.node) for letter in some])
    titles.learn(tenant, {place.workflow for place in places.values()})
    return [{"letter": letter, "place": places.get((letter.run_id, letter.node))} for letter in some]


def _reason(request: PageRequest) -> str:
    return request.POST.get("reason", "").replace("\x00", "").strip()[:RUN_REASON_CHARACTERS]


def _query(request: PageRequest) -> str:
    return request.GET.get("query", "").replace("\x00", "").strip()[:FILTER_CHARACTERS]

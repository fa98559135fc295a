"""What the list of runs does with those that are selected in it: first what it would mean, then the verb."""

from collections import Counter
from collections.abc import Sequence

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from accounts.access import PageRequest, page
from accounts.roles import RUNS_OPERATE
from engine.catalogue import Json
from lib.reader import number_text
from lib.refusals import Invalid
from operations.bulk import selection, service, target_forms
from operations.bulk.limits import REASON_CHARACTERS
from operations.bulk.models import DONE, REFUSED
from operations.bulk.words import WORDS
from runs.access import readable
from runs.commands import bulk
from runs.commands.bulk import Sorted
from runs.limits import BULK_RUNS
from runs.models import Run
from runs.ports import BulkResult
from runs.reading.filters import FilterForm
from runs.reading.queries import has_text
from runs.web import listing

SHOWN = 10
"""So many of the runs are named before something is done with them."""


@page(RUNS_OPERATE, "POST")
def together(request: PageRequest) -> HttpResponse:
    """Says what a verb would do to the selected runs; once that is confirmed, does it and leads to each refusal."""
    keeps = listing.without(request.GET, "cursor")
    verb = request.POST.get("verb", "")
    back = f"{reverse('runs')}?{keeps}"
    if verb in target_forms.FORMS:
        return target_forms.aimed(request, verb, keeps, back)
    try:
        ids = _ids(request, verb)
        if not ids:
            raise Invalid("No run is selected.")
        if len(ids) > BULK_RUNS:
            query = FilterForm(request.GET).searched()
            return redirect("bulk-job", service.begin_verb(request.principal, verb, query, dry_run=True).pk)
        if "confirm" in request.POST:
            return _done(request, ids, verb, back)
        context = _reviewed(request, ids, verb)
    except Invalid as error:
        messages.error(request, error.message)
        return redirect(back)
    return render(request, "bulk/together.html", context | {"keeps": keeps, "back": back})


def _done(request: PageRequest, ids: list[str], verb: str, back: str) -> HttpResponse:
    reason = request.POST.get("reason", "").replace("\x00", "").strip()[:REASON_CHARACTERS]
    result = bulk.act(request.principal, ids, verb, reason=reason, compensate="compensate" in request.POST)
    rows = [BulkResult(run, None, DONE) for run in result.done]
    rows += [BulkResult(run, None, REFUSED, why.code, why.message) for run, why in result.refused.items()]
    job = service.record(request.principal, verb, rows, reason=reason)
    if result.refused:
        return redirect("bulk-job", job)
    messages.success(request, f"{_number(len(result.done))} of {_number(len(ids))} {WORDS[verb].done}.")
    return redirect(back)


def _reviewed(request: PageRequest, ids: list[str], verb: str) -> dict[str, Json]:
    """What the verb would mean. Raises Invalid as the review."""
    result = bulk.review(request.principal, ids, verb)
    rows = _named(request, result.done[:SHOWN])
    return {
        "verb": verb,
        "words": WORDS[verb],
        "count": len(ids),
        "able": len(result.done),
        "able_ids": ",".join(result.done),
        "rows": rows,
        "more": len(result.done) - len(rows),
        "reasons": _reasons(result),
        "is_all": selection.is_all(request),
        "can_compensate": verb == "cancel",
    }


def _reasons(result: Sorted) -> list[tuple[str, int]]:
    """Why it is refused and for how many, the most first."""
    return Counter(why.message for why in result.refused.values()).most_common()


def _named(request: PageRequest, ids: Sequence[str]) -> list[dict[str, Json]]:
    """Rows that tell these runs from one another, of those that whoever asks may read."""
    runs = readable(Run.objects.for_tenant(request.principal.tenant_id), request.principal)
    readable_ids = {str(run) for run in runs.filter(pk__in=ids).values_list("pk", flat=True)}
    return listing.brief_rows(request.principal, [run for run in ids if run in readable_ids])


def _ids(request: PageRequest, verb: str) -> list[str]:
    """The ids that were selected, or of the newest runs that match and with which this can be done: of one more than
    are taken at once, where there are more.

    Raises Invalid where the filter can't be read.
    """
    if not selection.is_all(request):
        return selection.picked(request)
    form = FilterForm(request.GET)
    filters = form.asked(request.principal.username)
    if not form.is_valid():
        raise Invalid("The filter can't be read.")
    if has_text(filters):
        raise Invalid("Text searches can't be applied to all runs. Select runs on this page.")
    return bulk.newest_able(request.principal, verb, **filters)


def _number(count: int) -> str:
    return number_text(str(count))

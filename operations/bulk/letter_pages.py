"""Verbs of the list of dead letters for those that are selected, or all that match: a review, then a job."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from accounts.access import PageRequest, page
from accounts.roles import RUNS_OPERATE
from lib.refusals import Invalid
from operations.bulk import web
from operations.bulk.letters import begin_letters
from operations.bulk.limits import CHOSEN_ITEMS
from operations.bulk.models import DISCARD, RETRY
from runs.limits import FILTER_CHARACTERS
from runs.web.contexts import uuid_of


@page(RUNS_OPERATE, "POST")
def together(request: PageRequest) -> HttpResponse:
    """Finds out for which of the dead letters the verb is possible, and leads to that."""
    verb = DISCARD if request.POST.get("verb") == DISCARD else RETRY
    query = request.GET.get("query", "").replace("\x00", "").strip()[:FILTER_CHARACTERS]
    ids = None
    if "all" not in request.POST:
        ids = [id_ for text in request.POST.getlist("ids")[:CHOSEN_ITEMS] if (id_ := uuid_of(text))]
        query = ""
    try:
        job, _ = begin_letters(request.principal, verb, query=query, ids=ids, dry_run=True)
        if not job.total:
            raise Invalid("No dead letter is selected.")
    except Invalid as error:
        messages.error(request, error.message)
        return redirect(f"{reverse('operations-letters')}?{request.GET.urlencode()}")
    return web.to_job(job)

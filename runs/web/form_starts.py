"""What came of a form that starts a run: the run, once however often the form is sent."""

from dataclasses import replace
from functools import partial
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect

from accounts import once
from accounts.access import PageRequest
from accounts.roles import RUNS_READ
from runs.commands.starts import IfExists, NewRun, Started, Terms, start_runs
from runs.kernel.refused import RunRefused
from runs.models import StartedFrom
from runs.reading import queries
from runs.reading.requests import is_own
from runs.store import payloads
from workflows.access import may
from workflows.models import Workflow


def started(request: PageRequest, version: int, item: NewRun, *, if_exists: IfExists) -> Started:
    """The run; where its form was sent before, the one that it started then. Raises RunRefused and Conflict."""
    who = request.principal
    terms = Terms(
        who.tenant_id, version, who.username, requested_by=who.user_id, started_from=StartedFrom.PAGE
    )
    start = partial(start_runs, terms, if_exists=if_exists)
    run_id = once.id_of(who, request.POST.get("once", ""))
    try:
        return start([replace(item, id=run_id)])[0]
    except RunRefused as refusal:
        if run_id is None or refusal.code != "started_already":
            raise
    earlier = queries.get_run_for(who.tenant_id, run_id)
    if earlier is None or payloads.whole(who.tenant_id, earlier.input) != item.input:
        # Somebody went back to the form and changed what is in it: this is another run.
        return start([item])[0]
    messages.info(request, "This form was already sent; this is the run that it started.")
    return Started(run_id, item.business_key, created=True)


def to_run(request: PageRequest, workflow: Workflow, start: Started) -> HttpResponse:
    """The way to the run, with what is to be told of it; for who may start it and not read it, to their request."""
    if start.input_mismatch:
        messages.warning(
            request,
            "A run with this business key already exists: this one. It was started with different input,"
            " and yours was not used.",
        )
    elif not start.created:
        messages.info(
            request, "A run with this business key already exists: this one. No new one was started."
        )
    for text in start.warnings:
        messages.warning(request, text)
    if may(request.principal, RUNS_READ, workflow):
        return redirect("run", start.id)
    if not is_own(request.principal, UUID(start.id)):
        return redirect("requests")
    if start.created:
        messages.success(request, f"{workflow.title or workflow.name} is started. Follow its progress here.")
    return redirect("request", start.id)

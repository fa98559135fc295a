"""What came of a form that starts a run: the run, once however often the form is sent."""

from dataclasses import replace
from functools import partial
from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect

from accounts import once
from accounts.access import PageRequest
from accounts.queries import members_of
from accounts.roles import RUNS_READ
from runs.commands.filing import filing_of, recorded_filing
from runs.commands.starts import IfExists, NewRun, Started, Terms, start_runs
from runs.kernel import graphs
from runs.kernel.refused import RunRefused
from runs.limits import PICKED_PEOPLE
from runs.models import StartedFrom
from runs.reading import queries
from runs.reading.requests import is_filed_by, is_own
from runs.store import payloads
from workflows.access import may
from workflows.models import Workflow

ON_BEHALF_OF = "on_behalf_of"


def started(request: PageRequest, version: int, item: NewRun, *, if_exists: IfExists) -> Started:
    """The run; where its form was sent before, the one that it started then. Raises RunRefused and Conflict."""
    who = request.principal
    workflow = graphs.shown(version).workflow
    filing = filing_of(who, workflow, request.POST.get(ON_BEHALF_OF, "").replace("\x00", "").strip()[:150])
    terms = Terms(
        who.tenant_id,
        version,
        filing.by,
        requested_by=filing.requested_by,
        acts_for=filing.acts_for if filing.person else None,
        filed_by=filing.filed_by,
        started_from=StartedFrom.PAGE,
    )

    def start(items: list[NewRun]) -> list[Started]:
        return recorded_filing(who, filing, partial(start_runs, terms, items, if_exists=if_exists))

    run_id = once.id_of(who, request.POST.get("once", ""))
    try:
        return start([replace(item, id=run_id)])[0]
    except RunRefused as refusal:
        if run_id is None or refusal.code != "started_already":
            raise
    earlier = queries.get_run_for(who.tenant_id, run_id)
    is_same = earlier is not None and earlier.created_by == filing.by
    if earlier is None or not is_same or payloads.whole(who.tenant_id, earlier.input) != item.input:
        # Somebody went back to the form and changed what is in it: this is another run.
        return start([item])[0]
    messages.info(request, "This form was already sent; this is the run that it started.")
    return Started(run_id, item.business_key, created=True)


def people_of(tenant: int) -> list[tuple[str, str]]:
    """The usernames and names of the members, to pick for whom a run is started."""
    members = members_of(tenant).filter(user__is_active=True).order_by("user__username")
    return list(members.values_list("user__username", "user__name")[:PICKED_PEOPLE])


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
    if is_filed_by(request.principal, UUID(start.id)):
        messages.success(request, f"{workflow.title or workflow.name} is started for them.")
        return redirect("request", start.id)
    if not is_own(request.principal, UUID(start.id)):
        return redirect("requests")
    if start.created:
        messages.success(request, f"{workflow.title or workflow.name} is started. Follow its progress here.")
    return redirect("request", start.id)

"""Pages that show runs."""

from urllib.parse import urlencode
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from accounts.access import PageRequest, page
from accounts.roles import RUNS_READ
from runs.limits import FILTER_CHARACTERS
from runs.reading.presentation import found_run
from runs.web import contexts, listing, tabs
from runs.web.below import steps_below
from runs.web.history_context import bounds_of, view_context, view_history
from runs.web.offers import offers
from runs.web.values import reading_context
from runs.web.view_options import look_of, remember
from workflows.queries import get_workflow


@page(RUNS_READ)
def runs_page(request: PageRequest) -> HttpResponse:
    """The runs that fit what the address asks for, newest first. `query` is `q` by the name that REST has for it."""
    if "query" in request.GET:
        text = {"q": request.GET.get("q") or request.GET["query"], "query": ""}
        return redirect(f"{request.path}?{listing.with_parameters(request.GET, text)}")
    context = listing.list_context(request)
    if not request.headers.get("HX-Request"):
        context |= tabs.tabs_context(request)
    if context["is_first"]:
        # Back at the newest by a cursor, which would hold the page to the runs of a while ago.
        return redirect(f"{request.path}?{listing.without(request.GET, 'cursor')}")
    return contexts.following(request, "runs/list.html", "runs/_list.html", context)


@page(RUNS_READ)
def search_offers(request: PageRequest) -> HttpResponse:
    """How the word at the end of a search may go on, as options of its field."""
    options = offers(request.principal, request.GET.get("q", "")[:FILTER_CHARACTERS])
    return render(request, "runs/_search_offers.html", {"offers": options})


@page(RUNS_READ)
def run_page(request: PageRequest, run_id: UUID) -> HttpResponse:
    """A run with its steps."""
    tenant, look = request.principal.tenant_id, look_of(request)
    history = view_history(tenant, run_id, look)
    run = found_run(tenant, run_id, bounds_of(look, history), request.principal)
    # The view comes first: where it shows the past, the rest is told of the steps as they were.
    below = steps_below(request.principal, run)
    context = {"run": run, **view_context(request, run, look, history, below)}
    context |= contexts.run_context(request.principal, run, below)
    response = contexts.following(request, "runs/detail.html", "runs/_live.html", context)
    return remember(request, response, look)


@page(RUNS_READ)
def run_preview(request: PageRequest, run_id: UUID) -> HttpResponse:
    """A run at a glance, as a fragment beside the list."""
    return render(request, "runs/_preview.html", listing.preview_context(request.principal, run_id))


@page(RUNS_READ)
def run_value(request: PageRequest, run_id: UUID) -> HttpResponse:
    """A payload of a run or of one of its steps, whole, as a file; where a `page` is asked for, to be read there."""
    content = contexts.value_of(request.principal, run_id, request.GET)
    if "page" in request.GET:
        return render(request, "runs/value.html", reading_context(request, run_id, content))
    return contexts.as_file(content)


@page(RUNS_READ)
def run_params(request: PageRequest, run_id: UUID) -> HttpResponse:
    """The params of the step `node` of a run, computed from what is recorded, as a fragment."""
    rendered = contexts.rendered_of(request.principal, run_id, request.GET)
    parameters = [
        ("of", contexts.PARAMS),
        *((key, request.GET[key]) for key in ("node", "index") if key in request.GET),
    ]
    download = f"{reverse('run-value', args=[run_id])}?{urlencode(parameters)}"
    return render(request, "runs/_params.html", {"rendered": rendered, "download": download})


@page(RUNS_READ)
def workflow_runs(request: PageRequest, name: str) -> HttpResponse:
    """The last runs of a workflow, as a fragment of its page."""
    workflow = get_workflow(request.principal.tenant_id, name)
    return render(request, "runs/_of_workflow.html", contexts.workflow_context(request.principal, workflow))

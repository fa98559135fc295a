"""The home page, and what the palette finds: a first look at all that goes on."""

import uuid

from django.db.models import Case, Q, When
from django.http import HttpResponse, JsonResponse
from django.urls import reverse

from accounts.access import PageRequest, page
from accounts.roles import RUNS_READ, RUNS_START, WORKFLOWS_READ, WORKFLOWS_WRITE
from lib.visible import visible
from runs.models import Run
from runs.reading import filters, queries
from runs.reading.presentation import run_rows
from runs.reading.stored import NOTHING
from runs.web import contexts, listing
from workflows import titles
from workflows.access import may, may_anywhere, sees_nothing
from workflows.queries import list_workflows, published_workflows

LAST, FOUND = 5, 8
COLUMNS = ("status", "now", "started", "took")
"""The columns of its lists beside the run."""


@page(RUNS_READ)
def home_page(request: PageRequest) -> HttpResponse:
    """The last runs, what runs now, what failed, and what can be started."""
    last, open_now, failed = queries.at_a_glance(request.principal, LAST)
    workflows = published_workflows(request.principal)[:FOUND]
    titles.learn_titles((workflow.name, workflow.title) for workflow in workflows)
    rows = {row["id"]: row for row in listing.brief_rows(request.principal, [*{*last, *open_now, *failed}])}
    context = {
        "headings": [(name, filters.COLUMNS[name]) for name in COLUMNS],
        "last": [rows[run] for run in last if run in rows],
        "open_now": [rows[run] for run in open_now if run in rows],
        "failed": [rows[run] for run in failed if run in rows],
        "workflows": [
            (one, may(request.principal, WORKFLOWS_READ, one), may(request.principal, RUNS_START, one))
            for one in workflows
        ],
        "sees_nothing": sees_nothing(request.principal),
        "may_start": may_anywhere(request.principal, RUNS_START),
        "may_write": may_anywhere(request.principal, WORKFLOWS_WRITE),
    }
    return contexts.following(request, "runs/home.html", "runs/_glance.html", context)


@page(RUNS_READ)
def find(request: PageRequest) -> HttpResponse:
    """What `?q=` names, for the palette: workflows by name or title, a run by its id."""
    q = request.GET.get("q", "").replace("\x00", "").strip()[:200]
    if not q:
        return JsonResponse({"results": []})
    results = [
        {
            "name": visible(workflow.title or workflow.name),
            "about": f"Workflow · {workflow.name}" if workflow.title else "Workflow",
            "url": reverse("workflow", args=[workflow.name]),
        }
        for workflow in list_workflows(request.principal, q=q).order_by(_how_near(q), "-id")[:FOUND]
    ]
    if (run_id := _as_uuid(q)) and (run := queries.find_readable(request.principal, run_id)):
        results.insert(0, _found_run(request.principal.tenant_id, run))
    return JsonResponse({"results": results})


def _found_run(tenant: int, run: Run) -> dict[str, str]:
    """A run by what it is of: who searches for an id has the id."""
    row = run_rows(tenant, [run.id], NOTHING)[0]
    about = f"Run · {row['business_key'] or run.id}, {run.status.lower().replace('_', ' ')}"
    return {
        "name": visible(titles.title_of(row["workflow"])),
        "about": visible(about),
        "url": reverse("run", args=[run.id]),
    }


def _how_near(q: str) -> Case:
    """What is called exactly so comes first, then what begins so."""
    return Case(
        When(Q(name__iexact=q) | Q(title__iexact=q), then=0),
        When(Q(name__istartswith=q) | Q(title__istartswith=q), then=1),
        default=2,
    )


def _as_uuid(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None

"""Pages that show runs."""

from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import render

from accounts.access import PageRequest, page
from accounts.roles import RUNS_READ
from lib.refusals import Missing
from runs import queries
from runs.shown import NOTHING, run_row, run_rows

LAST = 50


@page(RUNS_READ)
def runs_page(request: PageRequest) -> HttpResponse:
    """The last runs."""
    last = queries.runs_of(request.principal.tenant_id).order_by("-id").values_list("id", flat=True)[:LAST]
    rows = run_rows(request.principal.tenant_id, list(last), NOTHING)
    return render(request, "runs/list.html", {"runs": rows, "most": LAST})


@page(RUNS_READ)
def run_page(request: PageRequest, run_id: UUID) -> HttpResponse:
    """A run with its steps."""
    run = run_row(request.principal.tenant_id, run_id)
    if run is None:
        raise Missing("There is no such run.")
    return render(request, "runs/detail.html", {"run": run})

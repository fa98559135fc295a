"""The page of the runs that a run began."""

from uuid import UUID

from django.http import HttpResponse

from accounts.access import PageRequest, page
from accounts.roles import RUNS_READ
from lib.api.pagination import keyset_page
from runs.reading import children
from runs.reading.presentation import NOTHING, found_run, run_rows
from runs.web import contexts

ON_A_PAGE = 50


@page(RUNS_READ)
def children_page(request: PageRequest, run_id: UUID) -> HttpResponse:
    """The runs that the steps of a run began, in the order in which they began; all, or those of a status."""
    principal = request.principal
    run = found_run(principal.tenant_id, run_id, NOTHING)
    counts = children.counts_of_children(principal, run_id)
    status = request.GET.get("status", "")
    runs = children.children_of(principal, run_id)
    if status in counts:
        runs = runs.filter(status=status)
    else:
        status = ""
    shown = keyset_page(
        runs.only("id"),
        request,
        keys=("id",),
        oldest_first=True,
        limit=ON_A_PAGE,
        cursor=request.GET.get("cursor"),
    )
    context = {
        "run": run,
        "counts": counts,
        "total": sum(counts.values()),
        "status": status,
        "runs": run_rows(principal.tenant_id, [one.id for one in shown.rows], NOTHING),
        "newer": shown.previous,
        "older": shown.next,
        "follows": run["completed_at"] is None,
    }
    return contexts.following(request, "runs/children.html", "runs/_children.html", context)

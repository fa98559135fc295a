"""The page of the runs that a run began."""

from uuid import UUID

from django.http import HttpResponse

from accounts.access import PageRequest, page
from accounts.roles import RUNS_READ
from engine.catalogue import Json
from lib.api.pagination import keyset_page
from runs.reading import children
from runs.reading.presentation import found_run
from runs.reading.stored import NOTHING
from runs.web import contexts
from runs.web.below import rows_below

ON_A_PAGE = 50


@page(RUNS_READ)
def children_page(request: PageRequest, run_id: UUID) -> HttpResponse:
    """The runs that the steps of a run began, in the order in which they began; all, or those of a status."""
    context = _context(request, run_id)
    return contexts.following(request, "runs/children.html", "runs/_children.html", context)


def _context(request: PageRequest, run_id: UUID) -> dict[str, Json]:
    who, status, cursor = request.principal, request.GET.get("status", ""), request.GET.get("cursor")
    run = found_run(who.tenant_id, run_id, NOTHING)
    counts = children.counts_of_children(who, run_id)
    runs = children.children_of(who, run_id).only("id")
    if status in counts:
        runs = runs.filter(status=status)
    child_page = keyset_page(runs, request, keys=("id",), oldest_first=True, limit=ON_A_PAGE, cursor=cursor)
    return {
        "run": run,
        "counts": counts,
        "total": sum(counts.values()),
        "status": status if status in counts else "",
        "runs": rows_below(who, run, [one.id for one in child_page.rows]),
        "newer": child_page.previous,
        "older": child_page.next,
        "follows": run["completed_at"] is None,
    }

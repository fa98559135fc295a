"""The page of a container's items: a grid by status, and what became of one of them."""

from uuid import UUID

from django.http import HttpResponse

from accounts.access import PageRequest, page
from accounts.roles import RUNS_READ
from engine.catalogue import Json
from lib.refusals import Missing
from runs.reading import items
from runs.reading.presentation import found_run
from runs.reading.step_logs import said_by
from runs.reading.stored import NOTHING, ONE_RUN
from runs.web import contexts
from steps.catalogue import EXECUTABLE

MAX_PLACE = 2**31 - 1


@page(RUNS_READ)
def items_page(request: PageRequest, run_id: UUID, node: str) -> HttpResponse:
    """The items of a step in their order; all, or those of a status, and the one that is chosen."""
    context = _context(request, run_id, node)
    return contexts.following(request, "runs/items.html", "runs/_items.html", context)


def _context(request: PageRequest, run_id: UUID, node: str) -> dict[str, Json]:
    tenant, status = request.principal.tenant_id, request.GET.get("status", "")
    run = found_run(tenant, run_id, NOTHING)
    step = next((one for one in run["steps"] if one["node"] == node), None)
    if step is None:
        raise Missing(f"The run has no step {node}.")
    step_type = EXECUTABLE.get(step["type"])
    if step_type is not None and not step_type.has_children:
        raise Missing(f"The step {node} has no items.")
    counts = items.counts_of_items(tenant, run_id, node)
    status = status if status in counts else ""
    after, place = _place(request, "after"), _place(request, "item")
    grid = items.grid(tenant, run_id, node, status=status, after=-1 if after is None else after)
    rows = items.rows(tenant, run_id, node, [] if place is None else [place], ONE_RUN)
    return {
        "run": run,
        "step": step,
        "counts": counts,
        "begun": sum(counts.values()),
        "status": status,
        "items": grid.items,
        "after": after,
        "next": grid.next,
        "chosen": rows[0] if rows else None,
        "logs": contexts.log_shown(rows[0]["type"], said_by(tenant, run_id, node, place)) if rows else None,
        "said_by_worker": bool(rows) and not contexts.is_ours(rows[0]["type"]),
        "follows": run["completed_at"] is None,
    }


def _place(request: PageRequest, name: str) -> int | None:
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None

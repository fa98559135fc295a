"""The page of a container's items: a grid by status, and what became of one of them."""

from uuid import UUID

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse

from accounts.access import PageRequest, page
from accounts.roles import RUNS_OPERATE, RUNS_READ
from engine.catalogue import Json
from lib.refusals import Missing
from runs.limits import FORM_ITEMS
from runs.reading import items
from runs.reading.presentation import found_run
from runs.reading.run_view import StepView
from runs.reading.step_logs import said_by
from runs.reading.stored import NOTHING, ONE_RUN
from runs.web import contexts, item_forms
from steps.catalogue import EXECUTABLE


@page(RUNS_OPERATE, "POST")
def act_on_items(request: PageRequest, run_id: UUID, node: str) -> HttpResponse:
    """Does something to some of the items, to each by itself, and says why not to others."""
    form = item_forms.ItemsForm(request.POST)
    context = _context(request, run_id, node)
    if not form.is_valid():
        return render(request, "runs/items.html", context | {"form": form}, status=422)
    outcome = item_forms.act(request.principal, str(run_id), node, form)
    done = item_forms.SAID[form.cleaned_data["verb"]][1]
    if outcome.done:
        text = f"1 item is {done}." if outcome.done == 1 else f"{outcome.done} items are {done}."
        messages.success(request, text)
    for reason in outcome.reasons():
        messages.error(request, reason)
    item = f"?item={form.indexes[0]}#item" if len(form.indexes) == 1 else ""
    return redirect(f"{reverse('run-items', args=[run_id, node])}{item}")


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
    rows = items.rows(request.principal, run_id, node, [] if place is None else [place], ONE_RUN)
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
        "verbs": _verbs(rows[0]) if rows else [],
        "places": item_forms.in_ranges(_places(grid.items, place, status)),
        "verb": request.GET.get("verb", ""),
        "choices": [(verb, label) for verb, (label, _) in item_forms.SAID.items()],
        **contexts.may(request.principal, run["workflow"]),
    }


def _verbs(item: StepView) -> list[tuple[str, str]]:
    """What may be done to the chosen item, and what the page calls it."""
    return [(verb, item_forms.SAID[verb][0]) for verb in item["verbs"] if verb in item_forms.SAID]


def _places(shown: list[items.Item], place: int | None, status: str) -> list[int]:
    """The items that the form is about at first: the chosen one, or those of the status that is shown."""
    if place is not None:
        return [place]
    return [item.place for item in shown[:FORM_ITEMS]] if status else []


def _place(request: PageRequest, name: str) -> int | None:
    text = request.GET.get(name, "")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None

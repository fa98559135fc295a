"""Two runs side by side: the page, and the one that asks with which run to compare."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.shortcuts import redirect, render

from accounts.access import PageRequest, page
from accounts.principal import Principal
from accounts.roles import RUNS_READ
from engine.catalogue import Json
from runs.reading import queries
from runs.reading.compared import compared_runs, to_compare_with
from runs.reading.comparing_words import differences, said
from runs.reading.presentation import found_run
from runs.reading.stored import NOTHING
from runs.web.contexts import uuid_of
from runs.web.listing import brief_rows

_THIN = 0.5
"""So many percent wide is the bar of a step that took next to nothing."""


@page(RUNS_READ)
def choose(request: PageRequest, run_id: UUID) -> HttpResponse:
    """Which run to compare with, of those of its workflow or by its id; `with` leads to the comparison."""
    other_id = request.GET.get("with", "").strip()
    other = uuid_of(other_id)
    if other is not None and queries.find_readable(request.principal, other) is not None:
        return redirect("run-compared", run_id, other)
    run = found_run(request.principal.tenant_id, run_id, NOTHING)
    offered = to_compare_with(request.principal, run_id, run["workflow"], test=run["test"])
    choices = brief_rows(request.principal, offered)
    fault = "There is no run with this id." if other_id else ""
    context = {"run": run, "choices": choices, "asked": other_id, "fault": fault}
    return render(request, "runs/compare_choose.html", context, status=404 if other_id else 200)


@page(RUNS_READ)
def compare_page(request: PageRequest, run_id: UUID, other_id: UUID) -> HttpResponse:
    """Two runs side by side."""
    return render(request, "runs/compare.html", _context(request.principal, run_id, other_id))


def _context(principal: Principal, run_id: UUID, other_id: UUID) -> dict[str, Json]:
    compared = compared_runs(principal.tenant_id, run_id, other_id, masks=True)
    left, right = compared["runs"]
    offered = to_compare_with(principal, run_id, left["workflow"], test=left["test"])
    rows = {row["id"]: row for row in brief_rows(principal, [*{run_id, other_id, *offered}])}
    return {
        "compared": compared,
        "sides": [("A", left, rows[left["id"]]), ("B", right, rows[right["id"]])],
        "said": said(compared),
        "values": [("Input", "input", compared["input"]), ("Output", "output", compared["output"])],
        "steps": _steps(compared),
        "over": all(run["duration_seconds"] is not None for run in compared["runs"]),
        "choices": [rows[str(one)] for one in offered if str(one) in rows],
        "other": right["id"],
    }


def _steps(compared: dict[str, Json]) -> list[dict[str, Json]]:
    """The steps as rows: each with bars for how long it took on each side, and what differs in words."""
    took = [
        side["duration_seconds"] or 0
        for step in compared["steps"]
        for side in (step["left"], step["right"])
        if side
    ]
    longest = max(took, default=0) or 1
    first = next((step["node"] for step in compared["steps"] if step["differs"]), None)
    parting = compared["ways_part"] and compared["ways_part"]["node"]
    return [
        step
        | {
            "sides": [_side(label, step[name], longest) for label, name in (("A", "left"), ("B", "right"))],
            "is_first": step["node"] == first,
            "words": differences(step),
            "values": _values(step),
            "count": len(step["input_changes"]) + len(step["output_changes"]),
            "parts": step["node"] == parting,
        }
        for step in compared["steps"]
    ]


def _side(label: str, side: dict[str, Json] | None, longest: float) -> dict[str, Json]:
    if side is None:
        return {"label": label, "status": None}
    took = side["duration_seconds"]
    width = None if took is None else f"{max(_THIN, 100 * took / longest):.2f}%"
    return {"label": label, **side, "width": width, "milliseconds": None if took is None else took * 1000}


def _values(step: dict[str, Json]) -> list[tuple[str, list[Any], str]]:
    """The values of a step of which something is told: their name, the changes, or why there are none."""
    values = [
        ("Input", step["input_changes"], step["not_told"].get("input", "")),
        ("Output", step["output_changes"], step["not_told"].get("output", "")),
    ]
    return [(name, changes, why) for name, changes, why in values if changes or why]

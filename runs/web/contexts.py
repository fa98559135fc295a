"""What the pages of runs show: the contexts of their templates, and values as files."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from uuid import UUID

from django.db.models import F
from django.http import HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.utils.http import content_disposition_header

from accounts import once
from accounts.access import PageRequest
from accounts.principal import Principal
from accounts.roles import RUNS_OPERATE, RUNS_SIGNAL, RUNS_START
from engine.catalogue import Json
from engine.statuses import RUN_UNDOING
from lib.masking import masked
from lib.refusals import Conflict, Missing
from runs.limits import COLUMN_INTEGER, STARTED_RUNS
from runs.reading import children, queries
from runs.reading.boundary_timers import timers_beside
from runs.reading.presentation import COLUMNS, STEP_COLUMNS, run_row, run_rows, step_rows
from runs.reading.rendered import Rendered, rendered_params
from runs.reading.run_view import RunView, facts_of
from runs.reading.step_logs import SaidOfAttempt
from runs.reading.stored import NOTHING, WHOLE
from runs.reading.times import times_of
from runs.store import undo_entries
from runs.store.trees import StepBelow
from runs.web.below import crumbs_of, may_begin_runs, rows_below
from runs.web.view_options import UNFOLDED, number_of
from steps.catalogue import BUILT_IN, CATALOGUE, EXECUTABLE
from workflows import titles
from workflows.access import scopes_for
from workflows.models import Workflow
from workflows.queries import get_workflow, startable_of

LAST = 10
PARAMS = "params"
_OF_THE_INPUT = {"BadInput"}
_OF_THE_VERSION = {"BadParams", "ExpressionError", "JoinNeverFired", "NoBranchMatched", "TooMuchWork"}
"""Errors that another attempt, with the same input or of the same version, would meet again."""


def following(request: PageRequest, page: str, fragment: str, context: dict[str, Json]) -> HttpResponse:
    """The page; where it only asks what has changed, the fragment of it that does."""
    response = render(request, fragment if request.headers.get("HX-Request") else page, context)
    patch_vary_headers(response, ["HX-Request"])
    return response


def run_context(principal: Principal, run: RunView, below: Sequence[StepBelow]) -> dict[str, Json]:
    """What the page of a run shows whatever the view; `below`: the steps in the runs that it began."""
    run_id = UUID(run["id"])
    now, verbs, mays = datetime.now(UTC), frozenset(run["verbs"]), may(principal, run["workflow"])
    return {
        "run": run,
        "facts": facts_of(run),
        "running_for": (now - run["created_at"]) / timedelta(milliseconds=1),
        "times": times_of([*run["steps"], *(step._asdict() for step in below)], now),
        "unfolded": len(run["steps"]) <= UNFOLDED,
        "needs_input": (run["error"] or {}).get("code") in _OF_THE_INPUT,
        "needs_version": (run["error"] or {}).get("code") in _OF_THE_VERSION,
        # A rerun starts another run.
        "offers": {
            step["id"]: [verb for verb in step["verbs"] if mays["may_start"] or verb != "rerun"]
            for step in run["steps"]
        },
        "others": run["status"] == "FAILED" and _has_newer(principal, run),
        "failures": any(step["error"] for step in run["steps"]),
        "failed_step": _failed_step(run),
        "at_work": any(step["status"] == "RUNNING" for step in run["steps"]),
        "waits_for_ours": any(step["status"] == "QUEUED" and is_ours(step["type"]) for step in run["steps"]),
        "verbs": verbs,
        # Nothing ever changes in a run that has ended, unless it can be resumed.
        "follows": run["completed_at"] is None or "resume" in verbs,
        "origin": _origin(principal, run),
        "crumbs": crumbs_of(principal, run),
        "beside": _beside(principal, run_id, run),
        "undone": undo_entries.undo_progress(run["id"]) if run["status"] in RUN_UNDOING else None,
        **_begun(principal, run),
        **mays,
    }


def _begun(principal: Principal, run: RunView) -> dict[str, Json]:
    """The first of the runs that it began, where steps of it may have begun any, and the one that follows it."""
    context: dict[str, Json] = {}
    run_id = UUID(run["id"])
    if any(may_begin_runs(step["type"]) and step["id"] for step in run["steps"]):
        counts = children.counts_of_children(principal, run_id)
        # What is open comes first.
        order = (F("completed_at").asc(nulls_first=True), "id")
        ids = children.children_of(principal, run_id).order_by(*order).values_list("id", flat=True)
        begun = rows_below(principal, run, list(ids[:STARTED_RUNS])) if counts else []
        context |= {"begun": begun, "begun_counts": counts, "begun_total": sum(counts.values())}
    if run["status"] == "COMPLETED" and run["next_workflow"]:
        context["follower"] = children.follower_of(principal, run_id)
    return context


def _beside(principal: Principal, run_id: UUID, run: RunView) -> dict[str, Json]:
    """The timers beside its steps, by step."""
    is_open = run["completed_at"] is None
    return dict(timers_beside(principal.tenant_id, run_id)) if is_open else {}


def _origin(principal: Principal, run: RunView) -> children.Origin | None:
    """The step that began it, where one did."""
    if run["parent_run"] is None:
        return None
    origin = children.origin_of(principal, UUID(run["id"]))
    if origin is not None:
        titles.learn(principal.tenant_id, [origin.workflow])
    return origin


def is_ours(step_type: str) -> bool:
    """Whether workers of Handoff's own do steps of this type."""
    return step_type in CATALOGUE and CATALOGUE[step_type].kind != "external"


def log_shown(step_type: str, logs: list[SaidOfAttempt]) -> list[SaidOfAttempt] | None:
    """What the log of a step shows; None where it has none and is of a type that never says anything."""
    entry = EXECUTABLE.get(step_type)
    if entry is None or entry.kind not in ("inline", "blocking", "external"):
        return logs or None
    return logs if logs or entry.kind == "external" or entry not in BUILT_IN else None


def _has_newer(principal: Principal, run: RunView) -> bool:
    """Whether its workflow has a newer version that is not withdrawn; without a number it stays on its own."""
    if run["version"] is None:
        return False
    newest = startable_of(get_workflow(principal.tenant_id, run["workflow"]))
    return newest is not None and newest.number is not None and newest.number > run["version"]


def _failed_step(run: RunView) -> dict[str, Json] | None:
    """What people call the step whose failure ended the run, and its place on the page, from 1."""
    node = (run["error"] or {}).get("node")
    steps = (
        {"place": place, "title": step["title"], "node": node}
        for place, step in enumerate(run["steps"], 1)
        if node and step["node"] == node
    )
    return next(steps, None)


def may(principal: Principal, workflow: str) -> dict[str, Json]:
    """Which actions are offered on runs of a workflow, and what makes a start that is sent twice happen once."""
    scopes = scopes_for(principal, workflow)
    may_start = RUNS_START in scopes
    return {
        "may_signal": RUNS_SIGNAL in scopes,
        "may_operate": RUNS_OPERATE in scopes,
        "may_start": may_start,
        "once": once.ticket(principal) if may_start else "",
    }


def workflow_context(principal: Principal, workflow: Workflow) -> dict[str, Json]:
    """The last runs of a workflow."""
    runs_of_workflow = queries.runs_of(principal.tenant_id, workflow=workflow.name)
    titles.learn_titles([(workflow.name, workflow.title)])
    ids = runs_of_workflow.order_by("-id").values_list("id", flat=True)[:LAST]
    return {"workflow": workflow, "runs": run_rows(principal.tenant_id, list(ids), NOTHING, who=principal)}


def uuid_of(text: str) -> UUID | None:
    """The id that a text is; None for another text."""
    try:
        return UUID(text)
    except ValueError:
        return None


@dataclass(frozen=True, slots=True)
class Value:
    """A payload and what its file is called."""

    name: str
    value: Json


def value_of(principal: Principal, run_id: UUID, query: QueryDict) -> Value:
    """The payload `of` (input, output, error; progress, params) of a run, or of its step `node` (and `index`), with
    what has the name of a secret masked; of an object its `field` where that is named. Raises Missing.
    """
    of, node = query.get("of", ""), query.get("node")
    node = node and node.replace("\x00", "")
    if of == PARAMS and node is not None:
        return _params_of(principal, run_id, node, query)
    columns = COLUMNS if node is None else STEP_COLUMNS
    rows = _rows(principal, run_id, node, query.get("index")) if of in columns else []
    if not rows:
        raise Missing("There is no such value.")
    if why := rows[0].get("unreadable", {}).get(of):
        raise Conflict(why, code="payload_unreadable")
    return _named(run_id, node, of, masked(rows[0][of]), query.get("field"))


def _named(run_id: UUID, node: str | None, of: str, value: Json, field: str | None) -> Value:
    if field is not None:
        if not isinstance(value, dict) or field not in value:
            raise Missing("There is no such value.")
        value = value[field]
    return Value("-".join(part for part in (str(run_id)[-12:], node, of, field) if part), value)


def rendered_of(principal: Principal, run_id: UUID, query: QueryDict) -> Rendered | None:
    """The params of the step `node` (and `index`) of a run; None where there is no such step, or not yet."""
    node, index = query.get("node", "").replace("\x00", ""), query.get("index")
    place = None if index is None else number_of(index)
    if index is not None and (place is None or place > COLUMN_INTEGER):
        return None
    return rendered_params(principal.tenant_id, run_id, node, place)


def _params_of(principal: Principal, run_id: UUID, node: str, query: QueryDict) -> Value:
    """The params of a step as a value. Raises Missing, and Conflict where they can't be computed."""
    rendered = rendered_of(principal, run_id, query)
    if rendered is None:
        raise Missing("There is no such value.")
    if rendered.why_not:
        raise Conflict(rendered.why_not, code="not_computed")
    return _named(run_id, node, PARAMS, rendered.params, query.get("field"))


def _rows(
    principal: Principal, run_id: UUID, node: str | None, index: str | None
) -> Sequence[Mapping[str, Json]]:
    if node is None:
        run = run_row(principal.tenant_id, run_id, WHOLE)
        return [run] if run else []
    rows = step_rows(principal.tenant_id, run_id, node) or []
    return [row for row in rows if index is None or str(row["index"]) == index]


def as_file(content: Value) -> HttpResponse:
    """A text as .txt, anything else as .json."""
    is_text = isinstance(content.value, str)
    body = content.value if is_text else json.dumps(content.value, ensure_ascii=False, indent=2) + "\n"
    kind, suffix = ("text/plain", "txt") if is_text else ("application/json", "json")
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", content.name)[:100]
    headers = {"Content-Disposition": content_disposition_header(True, f"run-{name}.{suffix}") or ""}
    return HttpResponse(body, content_type=f"{kind}; charset=utf-8", headers=headers)

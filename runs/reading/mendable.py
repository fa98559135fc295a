"""What can be done to the steps of a run as it is shown, and what that would mean; pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from engine.graph import UNDO, Graph
from engine.statuses import StepStatus

Json = Any
Shown = Mapping[str, Json]

_OPEN = {"PENDING", "WAITING", "RUNNING", "PAUSED"}


def offers(run: Shown, step: Shown) -> list[str]:
    """Which of retry, skip and rerun make sense for a step; the services decide."""
    if step["status"] == "PENDING":
        return []
    if step["node"].endswith(UNDO):
        return _offers_to_undo(run, step)
    found: list[str] = []
    is_queued = run["status"] in _OPEN and step["status"] == StepStatus.QUEUED
    if is_queued or (run["status"] == "FAILED" and has_failed(step)):
        found = ["retry", "skip"]
    elif run["status"] in _OPEN and step["status"] == StepStatus.WAITING:
        found = ["skip"]
    was_reached = step["status"] != StepStatus.SKIPPED or step["cause"] == "operator"
    return [*found, "rerun"] if run["completed_at"] and was_reached else found


def _offers_to_undo(run: Shown, step: Shown) -> list[str]:
    """What makes sense for a compensation. One that failed for good has a task as well, which says the same."""
    by_status = {
        ("COMPENSATING", StepStatus.QUEUED): ["retry", "skip"],
        ("COMPENSATING", StepStatus.WAITING): ["skip"],
        ("WAITING_FOR_MANUAL_ACTION", StepStatus.FAILED): ["retry", "skip"],
    }
    return by_status.get((run["status"], step["status"]), [])


def has_failed(step: Shown) -> bool:
    """Whether a resume would do the step again."""
    handled = step["output"] is not None or "output" in step.get("truncated", {})
    return is_redone(step["status"], step["cause"], handled)


def is_redone(status: str, cause: str | None, has_output: bool) -> bool:
    """Whether a resume does such a step again: it failed its run, or was cancelled by that."""
    if status == StepStatus.CANCELLED:
        return cause in ("failure", "unknown")
    return status == StepStatus.FAILED and not has_output


def means(graph: Graph, run: Shown, step: Shown) -> dict[str, Json]:
    """What the page of a verb on a step tells: the steps that are `kept`, done `again`, and that go on too (`also`)."""
    if step["node"].endswith(UNDO):
        return {"also": [], "branches": [], "again": [], "kept": []}
    steps = {one["node"]: one for one in run["steps"] if not one["node"].endswith(UNDO)}
    node, behind = graph.nodes[step["node"]], graph.behind(step["node"])
    failed = [one["title"] for one in steps.values() if has_failed(one) and one["node"] != step["node"]]
    return {
        "also": failed if run["status"] == "FAILED" else [],
        "branches": list(dict.fromkeys(edge.branch for edge in node.edges if edge.branch)),
        "again": [steps[name]["title"] for name in behind],
        "kept": [
            one["title"]
            for name, one in steps.items()
            if name not in (node.id, *behind)
            and one["status"] in ("COMPLETED", "FAILED", "SKIPPED")
            and not has_failed(one)
        ],
    }


@dataclass(frozen=True, slots=True)
class Differs:
    """What another version has that this one has not, by the titles of steps."""

    added: list[str]
    removed: list[str]
    changed: list[str]
    edges: bool


def differs(here: Mapping[str, Json], there: Mapping[str, Json]) -> Differs:
    """How the graph of a definition differs from that of another."""
    mine, its = _nodes(here), _nodes(there)
    return Differs(
        added=_titles(its[name] for name in its if name not in mine),
        removed=_titles(mine[name] for name in mine if name not in its),
        changed=_titles(its[name] for name in its if name in mine and its[name] != mine[name]),
        edges=here.get("edges") != there.get("edges"),
    )


def _nodes(definition: Mapping[str, Json]) -> dict[str, Mapping[str, Json]]:
    return {node["id"]: node for node in definition["nodes"]}


def _titles(nodes: Iterable[Mapping[str, Json]]) -> list[str]:
    return [node.get("title") or node["id"] for node in nodes]

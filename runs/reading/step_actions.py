"""What can be done to the steps of a run as it is shown, and what that would mean; pure."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from engine.catalogue import Json
from engine.graph import Graph
from engine.statuses import StepStatus
from engine.step_titles import step_title
from engine.verbs import is_redone, run_verbs, step_verbs
from runs.kernel import wait_kinds
from steps.catalogue import EXECUTABLE

Shown = Mapping[str, Json]


def offers(status: str, step: Shown, *, part: bool = False) -> list[str]:
    """Which of retry, skip and rerun make sense for a step of a run of this `status`; the services decide.

    What may be done to an item of a map depends on its container, too (`runs.reading.items`). `part`: the run does the
    steps of an item.
    """
    if step["status"] == "PENDING" or step["index"] is not None:
        return []
    undoes = step["undoes"] is not None
    asks = wait_kinds.asks_operator(step["waiting"] or {})
    verbs = list(step_verbs(status, step["status"], redone=has_failed(step), undoes=undoes, asks=asks))
    was_reached = step["status"] != StepStatus.SKIPPED or step["cause"] == "operator"
    return (
        [*verbs, "rerun"] if "rerun" in run_verbs(status, part=part) and was_reached and not undoes else verbs
    )


def has_failed(step: Shown) -> bool:
    """Whether a resume would do the step again."""
    handled = step["output"] is not None or "output" in step.get("truncated", {})
    return is_redone(step["status"], step["cause"], handled)


def means(graph: Graph, run: Shown, step: Shown) -> dict[str, Json]:
    """What the page of a verb on a step tells: the steps that are `kept`, done `again`, and that go on too (`also`).

    `decides`: skipping it decides what it asks people, by one of the `branches`.
    """
    if step["undoes"]:
        return {"also": [], "branches": [], "again": [], "kept": [], "decides": False}
    steps = {one["node"]: one for one in run["steps"] if not one["undoes"]}
    node, behind = graph.nodes[step["node"]], graph.behind(step["node"])
    failed = [one["title"] for one in steps.values() if has_failed(one) and one["node"] != step["node"]]
    return {
        "also": failed if has_failed(step) else [],
        "branches": list(
            dict.fromkeys([*(node.outcomes or ()), *(edge.branch for edge in node.edges if edge.branch)])
        ),
        "decides": node.spec.asks_people,
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
    return [step_title(node, EXECUTABLE) for node in nodes]

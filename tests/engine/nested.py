"""Containers among the steps of random workflows: what their children do, so that each ends as its script says."""

from collections.abc import Callable, Mapping
from typing import Any

from engine.catalogue import Json

CONTAINERS = ("map", "loop", "subworkflow")
CHILD = "child"
"""The workflow that a `subworkflow` runs."""
INSIDE = "inside"
"""The queue of jobs in runs that containers begin; a job that is all a container does is in one of its own name."""
CHILD_DEFINITION: Json = {
    "name": CHILD,
    "nodes": [{"id": "do", "type": "job", "queue": INSIDE, "retry": "none"}],
    "edges": [],
}
BAD = {"code": "Boom", "message": "It broke."}

Ending = tuple[str, Json]
Of = Callable[[list[Any]], Any]


def params_of(kind: str, name: str, of: Of) -> dict[str, Json]:
    """The params of a container of this type, of one to three children."""
    if kind == "subworkflow":
        return {"workflow": CHILD}
    inner = {"id": f"{name}_do", "type": "job", "queue": INSIDE, "retry": "none"}
    body = of([{"type": "job"}, {"steps": [inner]}])
    if kind == "loop":
        return {"body": body, "count": of([1, 2, 3])}
    tolerated = of([0, 0, 1])
    items = list(range(of([2, 3, 2] if tolerated else [1, 2, 3])))
    return {"items": items, "body": body, "max_concurrency": of([1, 5, 2]), "tolerate_failures": tolerated}


def completed(node: Mapping[str, Json], value: Json) -> Ending:
    """How a step ends well that gives this; a map gives what its items gave, of which as many fail as may."""
    if node["type"] != "map":
        return "completed", value
    results = [_item(node, index, fails=False) for index in range(len(node["params"]["items"]))]
    return "completed", {"results": [one if kind == "completed" else {"error": one} for kind, one in results]}


def failed(node: Mapping[str, Json]) -> Ending:
    """How a container fails."""
    code = {"map": "ItemsFailed", "loop": "RoundFailed", "subworkflow": "ChildFailed"}[node["type"]]
    return "failed", {"code": code, "message": "What is in it failed."}


def child_ending(node: Mapping[str, Json], ending: Ending, index: int | None) -> Ending:
    """How a child ends of a container which is to end so; None: the run that a `subworkflow` began."""
    kind, value = ending
    if node["type"] == "map":
        return _item(node, index or 0, fails=kind == "failed")
    if node["type"] == "loop" and index != node["params"]["count"] - 1:
        return "completed", {"round": index}
    return ("failed", BAD) if kind == "failed" else ("completed", value)


def _item(node: Mapping[str, Json], index: int, *, fails: bool) -> Ending:
    """The first items of a map fail: as many as are tolerated, and one more where it is to fail."""
    if index >= node["params"]["tolerate_failures"] + fails:
        return "completed", {"n": index}
    return "failed", (BAD if "type" in node["params"]["body"] else {"code": "ChildFailed"})

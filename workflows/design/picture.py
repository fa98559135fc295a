"""What the picture of a definition is drawn from: its steps and ways without what they are told. Pure."""

from collections.abc import Mapping

from engine.bodies import body_of, edges_of, steps_within
from engine.catalogue import Json
from engine.dialects import DialectError, to_native
from engine.limits import WORKFLOW_NODES
from steps.catalogue import CATALOGUE
from workflows.design.ends import ends_in_words

_OF_A_STEP = ("id", "type", "title", "boundary_timers")
_OF_A_WAY = ("from", "to", "on", "when", "branch", "default")
_OF_A_LAYOUT = ("nodes", "notes", "groups", "collapsed")


def picture(document: Json, layout: Mapping[str, Json]) -> dict[str, Json] | None:
    """Steps, ways, places and faces of a definition of any dialect; None where it has no steps, more than are
    drawn, or can't be read as a graph.
    """
    try:
        native = to_native(document)
    except DialectError:
        return None
    nodes, edges = native.get("nodes"), native.get("edges") or []
    if not isinstance(nodes, list) or not isinstance(edges, list) or not 0 < len(nodes) <= WORKFLOW_NODES:
        return None
    if not all(_is_step(node) for node in nodes):
        return None
    inner = [step for node in nodes for step in steps_within(node, CATALOGUE)]
    if len(nodes) + len(inner) > WORKFLOW_NODES:
        return None
    kinds = {step["type"] for step in (*nodes, *inner) if _is_step(step)}
    return {
        "definition": {"nodes": [_step(node, edges) for node in nodes], "edges": _ways(edges)},
        "layout": _only(_OF_A_LAYOUT, layout),
        "faces": {kind: _face(kind) for kind in sorted(kinds)},
    }


def _is_step(node: Json) -> bool:
    return isinstance(node, dict) and bool(node.get("id")) and isinstance(node.get("type"), str)


def _step(node: Mapping[str, Json], among: list[Json], *, within: bool = False) -> dict[str, Json]:
    """A step, with those that it does for each item if they can be drawn."""
    step, body = _only(_OF_A_STEP, node), body_of(node, CATALOGUE)
    if ends := ends_in_words(node, among, within=within):
        step["ends"] = ends
    steps = None if body is None else body.get("steps")
    if body is None or not isinstance(steps, list) or not all(_is_step(inner) for inner in steps):
        return step
    edges = {"edges": _ways(body["edges"])} if isinstance(body.get("edges"), list) else {}
    inner_edges = edges_of(body) if edges or body.get("edges") is None else []
    inner = [_step(each, inner_edges, within=True) for each in steps]
    return step | {"params": {"body": {"steps": inner} | edges}}


def _ways(edges: list[Json]) -> list[Json]:
    return [_only(_OF_A_WAY, edge) for edge in edges if isinstance(edge, dict)]


def _only(names: tuple[str, ...], whole: Mapping[str, Json]) -> dict[str, Json]:
    return {name: whole[name] for name in names if name in whole}


def _face(kind: str) -> dict[str, Json]:
    step_type = CATALOGUE.get(kind)
    if step_type is None:
        return {"title": kind, "icon": "circle-help", "group": "unknown"}
    return {"title": step_type.title, "icon": step_type.icon, "group": step_type.group}

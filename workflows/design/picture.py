"""What the picture of a definition is drawn from: its steps and ways without what they are told. Pure."""

from collections.abc import Mapping

from engine.catalogue import Json
from engine.checks.outline import MAX_NODES
from engine.dialects import DialectError, to_native
from steps.catalogue import CATALOGUE

_OF_A_STEP = ("id", "type", "title", "boundary_timers")
_OF_A_WAY = ("from", "to", "on", "when", "branch", "default")
_OF_A_LAYOUT = ("nodes", "notes", "groups")


def picture(document: Json, layout: Mapping[str, Json]) -> dict[str, Json] | None:
    """Steps, ways, places and faces of a definition of any dialect; None where it has no steps, more than are
    drawn, or can't be read as a graph.
    """
    try:
        native = to_native(document)
    except DialectError:
        return None
    nodes, edges = native.get("nodes"), native.get("edges") or []
    if not isinstance(nodes, list) or not isinstance(edges, list) or not 0 < len(nodes) <= MAX_NODES:
        return None
    if not all(
        isinstance(node, dict) and node.get("id") and isinstance(node.get("type"), str) for node in nodes
    ):
        return None
    steps = [_only(_OF_A_STEP, node) for node in nodes]
    return {
        "definition": {
            "nodes": steps,
            "edges": [_only(_OF_A_WAY, edge) for edge in edges if isinstance(edge, dict)],
        },
        "layout": _only(_OF_A_LAYOUT, layout),
        "faces": {kind: _face(kind) for kind in sorted({step["type"] for step in steps})},
    }


def _only(names: tuple[str, ...], whole: Mapping[str, Json]) -> dict[str, Json]:
    return {name: whole[name] for name in names if name in whole}


def _face(kind: str) -> dict[str, Json]:
    step_type = CATALOGUE.get(kind)
    if step_type is None:
        return {"title": kind, "icon": "circle-help", "group": "unknown"}
    return {"title": step_type.title, "icon": step_type.icon, "group": step_type.group}

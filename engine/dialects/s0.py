"""The dialect `s0`: a `dag` whose nodes have a `step_name`, `max_retries` and `timeout_s`, and whose edges have a
`condition` (R-001, R-002).
"""

from engine.catalogue import Json
from engine.dialects.base import Dialect, DialectError, Document, objects, renamed

_NODE_FIELDS = {"step_name": "id", "timeout_s": "timeout_seconds"}
_RECORD_FIELDS = ("definition_id", "version")


def _matches(document: Document) -> bool:
    if isinstance(document.get("dag"), dict):
        return True
    nodes, edges = document.get("nodes"), document.get("edges")
    return _any_has(nodes, "step_name") or _any_has(edges, "condition")


def _to_native(document: Document) -> dict[str, Json]:
    dag = document.get("dag", document)
    if not isinstance(dag, dict):
        raise DialectError("`dag` must be an object with nodes and edges.", "dag")
    prefix = "dag." if "dag" in document else ""
    nodes = [
        _node(item, f"{prefix}nodes[{at}]")
        for at, item in enumerate(objects(dag.get("nodes"), f"{prefix}nodes"))
    ]
    items = objects(dag.get("edges", []), f"{prefix}edges")
    edges = [_edge(item, f"{prefix}edges[{at}]") for at, item in enumerate(items)]
    return {**_around(document, dag), "nodes": nodes, "edges": edges}


def _around(document: Document, dag: Document) -> dict[str, Json]:
    """What is said of the workflow beside its graph; the record's id and version are kept as metadata."""
    rest = {key: value for part in (dag, document) for key, value in part.items()}
    record = {key: rest.pop(key) for key in _RECORD_FIELDS if key in rest}
    if record:
        metadata = rest.get("metadata")
        rest["metadata"] = {**(metadata if isinstance(metadata, dict) else {}), **record}
    return {key: value for key, value in rest.items() if key not in ("dag", "nodes", "edges")}


def _node(item: Document, field: str) -> dict[str, Json]:
    node = renamed(item, _NODE_FIELDS, field)
    if "id" not in node:
        raise DialectError(f"`{field}` needs a step_name.", f"{field}.step_name")
    if "max_retries" in node:
        if "retry" in node:
            raise DialectError(f"`{field}` has both max_retries and retry: keep one of them.", field)
        node["retry"] = {"max_retries": node.pop("max_retries")}
    # It has no step types: its steps are done by workers that poll for them.
    node.setdefault("type", "job")
    return node


def _edge(item: Document, field: str) -> dict[str, Json]:
    edge = dict(item)
    condition = edge.pop("condition", None)
    if condition is None:
        return edge
    if not isinstance(condition, str):
        raise DialectError(f"`{field}.condition` must be a branch or null.", f"{field}.condition")
    if "branch" in edge:
        raise DialectError(f"`{field}` has both condition and branch: keep one of them.", field)
    return {**edge, "branch": condition}


def _any_has(items: Json, key: str) -> bool:
    return isinstance(items, list) and any(isinstance(item, dict) and key in item for item in items)


S0 = Dialect("s0", _matches, _to_native)

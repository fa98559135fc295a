"""`steps: ["text.clean", {"type": …, "params": …}, …]`: a chain without writing nodes and edges."""

import re
from itertools import pairwise

from engine.catalogue import Json
from engine.dialects.activity_options import in_our_words
from engine.dialects.base import Dialect, DialectError, Document


def _matches(document: Document) -> bool:
    return "steps" in document and "nodes" not in document


def _to_native(document: Document) -> dict[str, Json]:
    steps = document.get("steps")
    if not isinstance(steps, list):
        raise DialectError("`steps` must be a list of step types or nodes.", "steps")
    if "nodes" in document:
        raise DialectError("The document has both steps and nodes: keep one of them.", "steps")
    own_nodes = [_node(step, f"steps[{index}]") for index, step in enumerate(in_our_words(steps, "steps"))]
    ids = {node["id"] for node in own_nodes if isinstance(node.get("id"), str)}
    nodes = [node if "id" in node else {"id": _free_id(node["type"], ids), **node} for node in own_nodes]
    native = {key: value for key, value in document.items() if key != "steps"}
    chain = [{"from": one["id"], "to": two["id"]} for one, two in pairwise(nodes)]
    return {**native, "nodes": nodes, "edges": document.get("edges", chain)}


def _node(step: Json, field: str) -> dict[str, Json]:
    node = {"type": step} if isinstance(step, str) else step
    if not isinstance(node, dict):
        raise DialectError(f"`{field}` must be a step type or a node.", field)
    if not isinstance(node.get("type"), str):
        raise DialectError(f"`{field}` needs a type, such as text.clean.", f"{field}.type")
    return dict(node)


def _free_id(kind: str, ids: set[str]) -> str:
    """`text.clean` becomes `clean`, the second one `clean_2`."""
    base = re.sub(r"[^A-Za-z0-9_-]+", "_", kind.rpartition(".")[2])[:58] or "step"
    base = base if base[0].isalpha() or base[0] == "_" else f"_{base}"
    candidate, number = base, 1
    while candidate in ids:
        number += 1
        candidate = f"{base}_{number}"
    ids.add(candidate)
    return candidate


STEPS = Dialect("steps", _matches, _to_native)

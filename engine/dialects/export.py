"""A definition in another dialect, where that can say it: what comes out is what the import takes for the same."""

from collections.abc import Callable, Mapping
from itertools import pairwise

from engine.canonical import canonical_bytes
from engine.catalogue import Json
from engine.dialects.base import Dialect, DialectError, Document, cannot_say
from engine.dialects.configuration import CONFIGURATION
from engine.dialects.depends_on import DEPENDS_ON
from engine.dialects.native import NATIVE
from engine.dialects.rochallor import ROCHALLOR, written
from engine.dialects.s0 import S0
from engine.dialects.steps import STEPS


def exported(definition: Document, dialect: Dialect) -> dict[str, Json]:
    """The definition as a document of the dialect. Raises DialectError with what this can't say.

    Edges without a condition may come back in another order from `depends_on`, which means the same.
    """
    if dialect is NATIVE:
        return dict(definition)
    if dialect is ROCHALLOR:
        return written(definition)
    document = _WRITERS[dialect.name](definition)
    try:
        back = dialect.to_native(document) if dialect.matches(document) else {}
    except DialectError as refusal:
        raise _cannot(dialect, refusal.message, refusal.field) from None
    for key in dict.fromkeys([*definition, *back]):
        if _spelled(key, definition, dialect) != _spelled(key, back, dialect):
            raise _cannot(dialect, f"`{key}` would be read as something else.", key)
    return document


def _cannot(dialect: Dialect, message: str, field: str = "") -> DialectError:
    return cannot_say(dialect.name, message, field)


def _spelled(key: str, definition: Document, dialect: Dialect) -> object:
    value = definition.get(key)
    if key == "edges" and dialect is DEPENDS_ON and isinstance(value, list):
        return sorted(canonical_bytes(edge) for edge in value)
    return key in definition, canonical_bytes(value)


def _rest(definition: Document) -> dict[str, Json]:
    return {key: value for key, value in definition.items() if key not in ("nodes", "edges")}


def _listed(definition: Document, key: str, dialect: Dialect) -> list[dict[str, Json]]:
    value = definition.get(key, [])
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise _cannot(dialect, f"`{key}` is not a list of objects.", key)
    return value


def _chain(definition: Document, dialect: Dialect) -> list[Json]:
    """The steps of a chain: a type alone where that says it all."""
    nodes, edges = _listed(definition, "nodes", dialect), _listed(definition, "edges", dialect)
    links = [{"from": one.get("id"), "to": two.get("id")} for one, two in pairwise(nodes)]
    for at, edge in enumerate(edges):
        if at >= len(links) or edge != links[at]:
            raise _cannot(
                dialect,
                "It has steps one after the other alone, and this edge is none of those.",
                f"edges[{at}]",
            )
    if len(edges) < len(links):
        at = len(edges)
        message = f"No edge leads from {links[at]['from']} to {links[at]['to']}, the next step."
        raise _cannot(dialect, message, f"nodes[{at + 1}]")
    with_ids: set[int] = set()
    while True:
        steps = [_step(node, at in with_ids) for at, node in enumerate(nodes)]
        nodes_again = STEPS.to_native({"steps": steps})["nodes"]
        wrong = {
            at for at, node in enumerate(nodes) if nodes_again[at].get("id") != node.get("id")
        } - with_ids
        if not wrong:
            return steps
        with_ids |= wrong


def _step(node: dict[str, Json], is_named: bool) -> Json:
    if is_named:
        return node
    step = {key: value for key, value in node.items() if key != "id"}
    return step["type"] if set(step) == {"type"} else step


def _steps(definition: Document) -> dict[str, Json]:
    return _rest(definition) | {"steps": _chain(definition, STEPS)}


def _configuration(definition: Document) -> dict[str, Json]:
    return _rest(definition) | {"configuration": _chain(definition, CONFIGURATION)}


def _depends_on(definition: Document) -> dict[str, Json]:
    before: dict[Json, list[Json]] = {}
    for at, edge in enumerate(_listed(definition, "edges", DEPENDS_ON)):
        if set(edge) != {"from", "to"}:
            message = "A step that depends on another has no condition, and this edge has one."
            raise _cannot(DEPENDS_ON, message, f"edges[{at}]")
        before.setdefault(str(edge["to"]), []).append(edge["from"])
    nodes = _listed(definition, "nodes", DEPENDS_ON)
    if not nodes:
        raise _cannot(DEPENDS_ON, "There are no steps.", "nodes")
    steps = [{**node, "depends_on": before.get(str(node.get("id")), [])} for node in nodes]
    return _rest(definition) | {"steps": steps}


def _s0(definition: Document) -> dict[str, Json]:
    nodes = [_s0_node(node) for node in _listed(definition, "nodes", S0)]
    edges = [
        {"condition" if key == "branch" else key: value for key, value in edge.items()}
        for edge in _listed(definition, "edges", S0)
    ]
    return _rest(definition) | {"dag": {"nodes": nodes, "edges": edges}}


_S0_NAMES = {"id": "step_name", "timeout_seconds": "timeout_s"}


def _s0_node(node: dict[str, Json]) -> dict[str, Json]:
    result = {_S0_NAMES.get(key, key): value for key, value in node.items()}
    retry = node.get("retry")
    if isinstance(retry, dict) and set(retry) == {"max_retries"}:
        del result["retry"]
        result["max_retries"] = retry["max_retries"]
    return result


_WRITERS: Mapping[str, Callable[[Document], dict[str, Json]]] = {
    "steps": _steps,
    "configuration": _configuration,
    "depends_on": _depends_on,
    "s0": _s0,
}

"""Steps that name the steps before them in `depends_on` (R-003); their other fields are ours or those of the dialect
`s0`.
"""

from engine.catalogue import Json
from engine.dialects.base import Dialect, DialectError, Document, objects
from engine.dialects.s0 import S0

_KEYS = ("nodes", "steps")
# Such documents have kinds for parting and meeting, which edges and joins already do here.
_KINDS = {"parallel": "noop", "join": "noop", "task": "job"}


def _matches(document: Document) -> bool:
    _around, key, items = _listed(document)
    return bool(key) and any(isinstance(item, dict) and "depends_on" in item for item in items)


def _to_native(document: Document) -> dict[str, Json]:
    around, key, _listed_items = _listed(document)
    prefix = f"dag.{key}" if around is not document else key
    if not key:
        raise DialectError("The document has no list of steps.", "steps")
    nodes, edges = [], []
    for at, item in enumerate(objects(around.get(key), prefix)):
        node = {name: value for name, value in item.items() if name != "depends_on"}
        if "id" not in node and "step_name" not in node and isinstance(node.get("name"), str):
            node["id"] = node.pop("name")
        kind = node.get("type")
        node["type"] = _KINDS.get(kind, kind) if isinstance(kind, str) else node.get("type", "job")
        nodes.append(node)
        own = node.get("id", node.get("step_name"))
        edges += [{"from": before, "to": own} for before in _before(item, f"{prefix}[{at}].depends_on")]
    own_edges = objects(around.get("edges", []), f"{prefix}.edges")
    rest = {name: value for part in (around, document) for name, value in part.items()}
    rest = {name: value for name, value in rest.items() if name not in (*_KEYS, "edges", "dag")}
    return S0.to_native({**rest, "nodes": nodes, "edges": [*own_edges, *edges]})


def _listed(document: Document) -> tuple[Document, str, list[Json]]:
    """The object that has the steps, the key that they have there, and they."""
    dag = document.get("dag")
    around = dag if isinstance(dag, dict) else document
    key = next((key for key in _KEYS if isinstance(around.get(key), list)), "")
    return around, key, around.get(key, [])


def _before(item: Document, field: str) -> list[str]:
    names = item.get("depends_on")
    names = [] if names is None else [names] if isinstance(names, str) else names
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise DialectError(f"`{field}` must be a list of the steps before this one.", field)
    return list(dict.fromkeys(names))


DEPENDS_ON = Dialect("depends_on", _matches, _to_native)

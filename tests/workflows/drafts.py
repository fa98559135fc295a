"""Any drafts: definitions with steps within steps, layouts, and the documents that they are kept as.

Made from plain bytes, each of which makes one choice, as in `tests/engine/strategies.py` and for its reasons.
"""

from collections.abc import Callable, Sequence
from typing import TypeVar

from hypothesis import settings
from hypothesis import strategies as st

from engine.catalogue import Json
from tests.engine import strategies
from tests.engine.strategies import Choices
from workflows.document.changes import keyed

Made = TypeVar("Made")

# They are cheap.
QUICK = settings(strategies.QUICK, max_examples=400)

BYTES = 400
DEEPEST = 3
IDS = "abcdefg"
KEYS = ("type", "params", "url", "json", "retry")
SCALARS: tuple[Json, ...] = (None, False, True, 0, 1, 2, -1, -2, 0.0, 1.0, 1.5, "", "x")


def _some(choices: Choices, names: Sequence[str], most: int) -> list[str]:
    """Some of the names, each once, in any order."""
    left, found = list(names), []
    for _ in range(choices.of(range(most + 1))):
        found.append(choices.of(left))
        left.remove(found[-1])
    return found


def _value(choices: Choices, depth: int = 0) -> Json:
    kind = choices.of(("scalar", "scalar", "object", "list")) if depth < DEEPEST else "scalar"
    if kind == "object":
        return _object(choices, depth + 1)
    if kind == "list":
        return [_value(choices, depth + 1) for _ in range(choices.of(range(3)))]
    return choices.of(SCALARS)


def _object(choices: Choices, depth: int = 0) -> dict[str, Json]:
    return {key: _value(choices, depth) for key in _some(choices, KEYS, 3)}


def _edges(choices: Choices) -> list[Json]:
    return [
        {**_object(choices, 2), "from": choices.of(IDS), "to": choices.of(IDS)}
        for _ in range(choices.of(range(7)))
    ]


def _nodes(choices: Choices, depth: int = 0) -> list[Json]:
    return [{"id": key, **_node(choices, depth)} for key in _some(choices, IDS, 6)]


def _node(choices: Choices, depth: int) -> dict[str, Json]:
    """A step, or a container whose steps may be called as others are and whose edges may lead anywhere."""
    if depth == DEEPEST or not choices.one_in(4):
        return _object(choices)
    body: dict[str, Json] = {"steps": _nodes(choices, depth + 1) or [{"id": "a"}]}
    match choices.of(("edges", "none", "absent")):
        case "edges":
            body["edges"] = _edges(choices)
        case "none":
            body["edges"] = None
    return {"type": "map", "params": {"items": [], "body": body}}


def _definition(choices: Choices) -> dict[str, Json]:
    nodes, edges = _nodes(choices), _edges(choices)
    return {**_object(choices), "name": "flow", "nodes": nodes, "edges": edges}


def _layout(choices: Choices) -> dict[str, Json]:
    return {
        part: {key: _value(choices) for key in _some(choices, IDS, 3)}
        for part in _some(choices, ("nodes", "notes", "pins"), 3)
    }


def _document(choices: Choices) -> dict[str, Json]:
    return keyed(_definition(choices), _layout(choices))


def _made(make: Callable[[Choices], Made]) -> st.SearchStrategy[Made]:
    return st.binary(min_size=BYTES, max_size=BYTES).map(lambda data: make(Choices(data)))


DEFINITIONS, LAYOUTS, DOCUMENTS = _made(_definition), _made(_layout), _made(_document)

"""S4's dialect: the JSON of the public engine (R-016, R-017, R-024)."""

from collections.abc import Mapping

from engine.catalogue import Json
from engine.dialects.base import Dialect, Document
from engine.dialects.s4.hints import KEY, difference
from engine.dialects.s4.naming import WORKER_FAILED, failure_reason, step_ids
from engine.dialects.s4.reading import Read, around, normal_form, read
from engine.dialects.s4.shape import matches
from engine.dialects.s4.sketch import said_around, said_of, sketched
from engine.dialects.s4.writing import written

__all__ = ["S4", "WORKER_FAILED", "failure_reason", "normal_form", "step_ids", "written"]


def _to_native(document: Document) -> dict[str, Json]:
    made = read(document)
    whole = made.document
    native = {**around(whole), "nodes": made.nodes, "edges": made.edges}
    own: dict[str, Json] = {**whole.get("metadata", {})}
    hints = _hints(made, native)
    if KEY in own:
        hints["own"] = own[KEY]
    metadata = {**own, **({KEY: hints} if hints else {})}
    return native | ({"metadata": metadata} if metadata else {})


def _hints(made: Read, native: Document) -> dict[str, Json]:
    """What an export would not say by itself as the document has it."""
    beside: dict[str, dict[str, Json]] = {}
    for node, choice in made.choices.items():
        beside.setdefault(node, {})["choice"] = choice
    for node, copy in made.copies.items():
        beside.setdefault(copy, {})["copy_of"] = node
    names: Mapping[str, Mapping[str, Json]] = {
        node: {"keep": {"id": name}} for name, node in made.ids.items() if name != node
    }
    sketch = sketched(
        native, {node: {**beside.get(node, {}), **names.get(node, {})} for node in {*beside, *names}}
    )
    derived = {node["id"]: said_of(node, sketch) for node in sketch.said}
    for step in made.document["steps"]:
        node = made.ids[step["id"]]
        if keep := {**names.get(node, {}).get("keep", {}), **difference(step, derived[node])}:
            beside.setdefault(node, {})["keep"] = keep
    said = {key: value for key, value in made.document.items() if key not in ("steps", "metadata")}
    top = difference(said, said_around(native))
    return {**({"steps": beside} if beside else {}), **({"keep": top} if top else {})}


S4 = Dialect("s4", matches, _to_native)

"""Rochallor's dialect: the JSON of the public engine (R-016, R-017, R-024)."""

from collections.abc import Mapping

from engine.catalogue import Json
from engine.dialects.base import Dialect, Document
from engine.dialects.rochallor.hints import KEY, difference
from engine.dialects.rochallor.naming import WORKER_FAILED, failure_reason, step_ids
from engine.dialects.rochallor.reading import Read, around, normal_form, read
from engine.dialects.rochallor.shape import matches
from engine.dialects.rochallor.sketch import said_around, said_of, sketched
from engine.dialects.rochallor.writing import written

__all__ = ["ROCHALLOR", "WORKER_FAILED", "failure_reason", "normal_form", "step_ids", "written"]


def _to_native(document: Document) -> dict[str, Json]:
    reading = read(document)
    whole = reading.document
    native = {**around(whole), "nodes": reading.nodes, "edges": reading.edges}
    own: dict[str, Json] = {**whole.get("metadata", {})}
    hints = _hints(reading, native)
    if KEY in own:
        hints["own"] = own[KEY]
    metadata = {**own, **({KEY: hints} if hints else {})}
    return native | ({"metadata": metadata} if metadata else {})


def _hints(reading: Read, native: Document) -> dict[str, Json]:
    """What an export would not say by itself as the document has it."""
    beside: dict[str, dict[str, Json]] = {}
    for node, choice in reading.choices.items():
        beside.setdefault(node, {})["choice"] = choice
    for node, copy in reading.copies.items():
        beside.setdefault(copy, {})["copy_of"] = node
    names: Mapping[str, Mapping[str, Json]] = {
        node: {"keep": {"id": name}} for name, node in reading.ids.items() if name != node
    }
    sketch = sketched(
        native, {node: {**beside.get(node, {}), **names.get(node, {})} for node in {*beside, *names}}
    )
    derived = {node["id"]: said_of(node, sketch) for node in sketch.said}
    for step in reading.document["steps"]:
        node = reading.ids[step["id"]]
        if keep := {**names.get(node, {}).get("keep", {}), **difference(step, derived[node])}:
            beside.setdefault(node, {})["keep"] = keep
    fields = {key: value for key, value in reading.document.items() if key not in ("steps", "metadata")}
    top = difference(fields, said_around(native))
    return {**({"steps": beside} if beside else {}), **({"keep": top} if top else {})}


ROCHALLOR = Dialect("s4", matches, _to_native)

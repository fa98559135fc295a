"""What the form that starts a workflow asks for, and what stands in it at first."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import orjson

from engine.catalogue import Json
from steps.catalogue import CATALOGUE, TEXT_GROUPS

InputKind = Literal["text", "json"]


@dataclass(frozen=True, slots=True)
class StartForm:
    """The start form: `kind` of the input, and what stands in it. What is refused is shown by the page of `runs`."""

    kind: InputKind
    given: str = ""


def start_form(definition: Mapping[str, Json]) -> StartForm:
    """The form for a version of this definition, with its sample input (`metadata.sample_input`) if it has one."""
    kind: InputKind = "text" if takes_text(definition) else "json"
    return StartForm(kind, _input_text(kind, sample_of(definition)))


def sample_of(definition: Mapping[str, Json]) -> Json:
    """Its sample input; None where it has none."""
    metadata = definition.get("metadata")
    return metadata.get("sample_input") if isinstance(metadata, dict) else None


def json_text(value: Json) -> str:
    """An input as people write it as JSON."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2).decode()


def takes_text(definition: Mapping[str, Json]) -> bool:
    """Whether a person gives it a text: its input schema says so, or else the steps it begins with."""
    schema = definition.get("input_schema")
    if isinstance(schema, dict):
        return schema.get("type") == "string" or set(schema.get("properties") or {}) == {"text"}
    targets = {edge["to"] for edge in definition.get("edges") or []}
    firsts = [node["type"] for node in definition["nodes"] if node["id"] not in targets]
    return all(kind in CATALOGUE and CATALOGUE[kind].group in TEXT_GROUPS for kind in firsts)


def _input_text(kind: InputKind, sample: Json) -> str:
    if sample is None:
        # What needs nothing is started by a press.
        return "{}" if kind == "json" else ""
    if kind == "json":
        return json_text(sample)
    text = sample.get("text") if isinstance(sample, dict) else sample
    return text if isinstance(text, str) else ""

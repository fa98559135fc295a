"""Pure: with which values the expressions of a draft are shown: what is pinned, what the last run gave, or examples."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from engine.errors import TooMuchWork
from engine.json_schema import Pointers
from engine.surroundings import ABSENT, Sample
from engine.work import VALUE_UNITS, Work
from lib.json import Json
from lib.masking import masked
from steps.catalogue import CATALOGUE
from workflows.limits import SAMPLE_LEVELS
from workflows.ports import LastRun


@dataclass(frozen=True, slots=True)
class Chosen:
    """A sample, and where it comes from as the API says it; None where there is none."""

    sample: Sample
    source: dict[str, Json] | None


def chosen(
    definition: Mapping[str, Json],
    last_run: LastRun | None,
    *,
    workflow: str,
    tenant: str,
    pins: Mapping[str, Json],
    input: Json = ABSENT,
) -> Chosen:
    """The sample for a draft: `pins` (outputs by node) before the run's, `input` as the run's input before all.

    What has the name of a secret is masked in what the run gave, before an expression reads it: what that makes of it
    is shown under whatever name.
    """
    last_run = None if last_run is None else _masked(last_run)
    origin, run_input = _input(definition, last_run, input)
    outputs = dict(last_run.outputs) if last_run else _examples(definition)
    pin_nodes = [node for node in pins if node in _ids(definition)]
    run: Json = {
        "id": last_run.run_id if last_run else "sample",
        "workflow": workflow,
        "business_key": last_run.business_key if last_run else None,
        "created_by": last_run.created_by if last_run else "somebody",
        "tenant": tenant,
        "now": datetime.now(UTC).isoformat().replace("+00:00", "Z"),
    }
    sample = Sample(run_input, outputs | dict(pins), last_run.inputs if last_run else {}, run)
    if origin is None and not pin_nodes and not last_run:
        return Chosen(sample, None)
    source: dict[str, Json] = {"from": origin or "pins", "run_id": None, "at": None, "pins": pin_nodes}
    if last_run:
        source |= {"run_id": last_run.run_id, "at": last_run.at}
    return Chosen(sample, source)


def _masked(run: LastRun) -> LastRun:
    outputs, inputs = masked(dict(run.outputs)), masked(dict(run.inputs))
    return replace(run, input=masked(run.input), outputs=outputs, inputs=inputs)


def _input(definition: Mapping[str, Json], last_run: LastRun | None, input: Json) -> tuple[str | None, Json]:
    """(where the run's input comes from, the input)"""
    if input is not ABSENT:
        return "given", input
    if last_run is not None:
        return "run", last_run.input
    metadata = definition.get("metadata")
    if isinstance(metadata, dict) and "sample_input" in metadata:
        return "sample_input", metadata["sample_input"]
    example = example_of(definition.get("input_schema"))
    return (None, ABSENT) if example is ABSENT else ("schema", example)


def _examples(definition: Mapping[str, Json]) -> dict[str, Json]:
    """What the schemas of outputs give as examples; no value is made up."""
    examples: dict[str, Json] = {}
    for node in _nodes(definition):
        kind, params = node.get("type"), node.get("params")
        spec = CATALOGUE.get(kind) if isinstance(kind, str) else None
        schema = spec.output_schema(params if isinstance(params, dict) else {}) if spec else None
        example = example_of(schema)
        if example is not ABSENT:
            examples[node["id"]] = example
    return examples


def example_of(schema: Json) -> Any:
    """A value that the schema itself names (examples, default, const, enum); ABSENT where it leaves something open, or
    where it refers to itself so often that the value would be large.
    """
    try:
        return _example(schema, Pointers(schema), Work("the schema", VALUE_UNITS), 0)
    except TooMuchWork:
        return ABSENT


def _example(schema: Json, pointers: Pointers, work: Work, depth: int) -> Any:
    work.spend(10)
    plain = pointers.resolved(schema)
    if not isinstance(plain, dict) or depth > SAMPLE_LEVELS:
        return ABSENT
    value = _named(plain)
    if value is not ABSENT:
        work.spend_on(value)
        return value
    properties = plain.get("properties")
    if not isinstance(properties, dict) or not properties:
        return ABSENT
    values = {key: _example(inner, pointers, work, depth + 1) for key, inner in properties.items()}
    required = plain.get("required")
    work.spend(len(required) if isinstance(required, list) else 0)
    if any(
        values.get(key, ABSENT) is ABSENT for key in (required if isinstance(required, list) else properties)
    ):
        return ABSENT
    return {key: value for key, value in values.items() if value is not ABSENT}


def _named(plain: Mapping[str, Json]) -> Any:
    examples, choices = plain.get("examples"), plain.get("enum")
    if isinstance(examples, list) and examples:
        return examples[0]
    for key in ("default", "const"):
        if key in plain:
            return plain[key]
    return choices[0] if isinstance(choices, list) and choices else ABSENT


def _nodes(definition: Mapping[str, Json]) -> list[dict[str, Json]]:
    value = definition.get("nodes")
    nodes = value if isinstance(value, list) else []
    return [node for node in nodes if isinstance(node, dict) and isinstance(node.get("id"), str)]


def _ids(definition: Mapping[str, Json]) -> set[str]:
    return {node["id"] for node in _nodes(definition)}

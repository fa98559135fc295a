"""The schema of what a container gives, from what is done for each of its items or in each round. Pure."""

from collections.abc import Mapping
from typing import Final

from engine.bodies import edges_of
from engine.catalogue import Catalogue, Json, StepSpec

_LEVELS: Final = 8
"""Containers in containers that are looked into."""


def container_schema(spec: StepSpec, params: Mapping[str, Json], catalogue: Catalogue) -> Json:
    """The schema of the output of a container; None where nothing is known.

    Arguments are of whatever quality. A step in rounds gives what its last round gives, another one the results of its
    items.
    """
    return _container(spec, params, catalogue, _LEVELS)


def _container(spec: StepSpec, params: Mapping[str, Json], catalogue: Catalogue, levels: int) -> Json:
    schema = spec.output_schema(params)
    child = _child(spec, params, catalogue, levels)
    if spec.conditions:
        return child
    results = schema["properties"].get("results") if schema and "properties" in schema else None
    if schema is None or child is None or not isinstance(results, Mapping):
        return schema
    return {**schema, "properties": {**schema["properties"], "results": {**results, "items": child}}}


def _child(spec: StepSpec, params: Mapping[str, Json], catalogue: Catalogue, levels: int) -> Json:
    body = spec.body(params)
    if not isinstance(body, Mapping) or not levels:
        return None
    if body.get("steps") is None:
        return _step(body, catalogue, levels)
    last = _last_step(body)
    return None if last is None else _step(last, catalogue, levels)


def _step(step: Mapping[str, Json], catalogue: Catalogue, levels: int) -> Json:
    kind, params = step.get("type"), step.get("params") or {}
    spec = catalogue.get(kind) if isinstance(kind, str) else None
    if (
        spec is None
        or spec.gives_input
        or not isinstance(params, Mapping)
        or step.get("on_error") == "continue"
    ):
        return None
    if spec.has_children:
        return _container(spec, params, catalogue, levels - 1)
    schema = spec.output_schema(params)
    # It stands within another schema, whose definitions are not its own.
    return None if schema is None or "$defs" in schema else schema


def _last_step(body: Mapping[str, Json]) -> Mapping[str, Json] | None:
    """The only step of a body that leads to no other one; None where several do, or its shape is wrong."""
    steps = body["steps"]
    if not isinstance(steps, list) or not all(
        isinstance(step, Mapping) and isinstance(step.get("id"), str) for step in steps
    ):
        return None
    edges = edges_of(body) if isinstance(body.get("edges", []), list | None) else []
    sources = {
        edge.get("from") for edge in edges if isinstance(edge, Mapping) and isinstance(edge.get("from"), str)
    }
    last = [step for step in steps if step["id"] not in sources]
    return last[0] if len(last) == 1 else None

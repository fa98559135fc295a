"""Pure: what a form must know of the step types and of the fields of a definition, as JSON."""

from dataclasses import asdict
from functools import cache

from pydantic import BaseModel

from engine.definition import BoundaryTimer, Compensation, Definition, Edge, Node, Retry
from engine.retry import PRESETS, RetryPolicy
from lib.forms.hints import with_hints
from lib.json import Json
from steps.base import StepType
from steps.catalogue import CATALOGUE, group_title

SHAPES: dict[str, type[BaseModel]] = {
    "node": Node,
    "edge": Edge,
    "settings": Definition,
    "retry": Retry,
    "compensation": Compensation,
    "boundary_timer": BoundaryTimer,
}
# They have places of their own in a draft.
NO_SETTINGS = ("nodes", "edges")


@cache
def step_types() -> list[dict[str, Json]]:
    """Every step type in the order of the catalogue."""
    return [_entry(step_type) for step_type in CATALOGUE.values()]


def _entry(step_type: StepType) -> dict[str, Json]:
    return {
        "name": step_type.name,
        "title": step_type.title,
        "help": step_type.help,
        "icon": step_type.icon,
        "keywords": step_type.keywords.split(),
        "group": step_type.group,
        "group_title": group_title(step_type.group),
        "kind": step_type.kind,
        "example": dict(step_type.example),
        "params_schema": step_type.params_schema,
        "input_schema": step_type.input_schema,
        "output_schema": step_type.output_schema({}),
        "default_queue": step_type.default_queue,
        "lease_seconds": step_type.lease_seconds,
        "timeout_seconds": step_type.timeout_seconds,
        "retry": step_type.retry,
        "on_error": step_type.on_error,
        "has_side_effects": step_type.has_side_effects,
        "read_only_params": _read_only_params(step_type),
        "waits": step_type.waits,
        "decides": step_type.decides,
        "asks_people": step_type.asks_people,
        "has_rounds": bool(step_type.conditions),
    }


def _read_only_params(step_type: StepType) -> dict[str, Json]:
    """By param those of its choices with which a step has no side effects, where they decide whether it has any."""
    params: dict[str, Json] = {}
    for name, schema in step_type.params_schema["properties"].items():
        choices = (False, True) if schema.get("type") == "boolean" else schema.get("enum", ())
        without = [value for value in choices if not step_type.side_effects({name: value})]
        if 0 < len(without) < len(choices):
            params[name] = without
    return params


@cache
def definition_schema() -> dict[str, Json]:
    """JSON Schema of each part of a definition, and what the presets of a retry stand for."""
    shapes = {name: with_hints(model.model_json_schema()) for name, model in SHAPES.items()}
    settings = shapes["settings"]
    settings["properties"] = {
        name: schema for name, schema in settings["properties"].items() if name not in NO_SETTINGS
    }
    settings["required"] = [name for name in settings["required"] if name not in NO_SETTINGS]
    terms = settings["$defs"]["RequestTerms"]
    settings["properties"]["request"] |= {"anyOf": [terms, {"type": "null"}]}
    settings.pop("$defs", None)
    return shapes | {"retry_presets": {name: _preset(policy) for name, policy in PRESETS.items()}}


def _preset(policy: RetryPolicy) -> dict[str, Json]:
    return asdict(policy) | {"non_retryable": sorted(policy.non_retryable)}

"""Rules about what expressions read of values whose schemas are known: a field that is never there, or not always."""

from collections.abc import Iterator, Mapping

from engine.catalogue import Json
from engine.cel_reads import Path
from engine.checks.outline import Outline, OutlineNode, did_you_mean
from engine.checks.places import Place
from engine.errors import ExpressionInvalid
from engine.expressions import Expression, compile_expression
from engine.holes import join_path, split_holes, strings_with_holes
from engine.json_schema import resolved
from engine.problems import Problem, error, quoted, warning

_OPEN = ("anyOf", "oneOf", "allOf", "not", "if", "patternProperties", "unevaluatedProperties")
"""With one of these a schema may have fields that its `properties` don't name."""


def unknown_fields(outline: Outline, expression: Expression, place: Place) -> Iterator[Problem]:
    """What an expression reads that a closed schema does not have: it fails whenever it is evaluated."""
    for path in expression.paths:
        if path in expression.asked:
            continue
        schema, origin, at = _schema_of(outline, path, place)
        for key, names in _missing(schema, path[at:]):
            message = f"{origin} has no field {quoted(key)}{did_you_mean(key, names)}: read one that it has."
            if path[0] == "input":
                yield error("no_such_field", place.field, message, place.node)
            else:
                # An operator may have given another output in its place.
                yield warning("no_such_output", place.field, message, place.node)


def optional_facts(outline: Outline) -> Iterator[Problem]:
    """An input that need not be given is no fact of a task by itself: without it nobody would be asked."""
    schema = outline.document.get("input_schema")
    for item in outline.nodes:
        facts = (item.node.params or {}).get("facts")
        if item.spec is None or not item.spec.asks_people or not isinstance(schema, dict):
            continue
        for field, text in strings_with_holes(facts, join_path(f"{item.field}.params", "facts")):
            for name in _optional(schema, text):
                message = (
                    f"The input {quoted(name)} need not be given, and without it {quoted(item.id)} fails: "
                    f"ask has(input.{name}) first, or require it."
                )
                yield warning("optional_fact", field, message, item.id)


def _optional(schema: Mapping[str, Json], text: str) -> list[str]:
    properties, required = schema.get("properties"), schema.get("required", [])
    if not isinstance(properties, dict) or not isinstance(required, list):
        return []
    try:
        expressions = [compile_expression(source) for is_hole, source in split_holes(text) if is_hole]
    except ExpressionInvalid:
        return []
    reads = [
        path[1]
        for one in expressions
        for path in one.paths
        if path[0] == "input" and len(path) > 1 and path[:2] not in one.asked
    ]
    return [
        name
        for name in dict.fromkeys(reads)
        if name in properties and name not in required and "default" not in _object(properties[name])
    ]


def _object(value: Json) -> Mapping[str, Json]:
    return value if isinstance(value, dict) else {}


def _schema_of(outline: Outline, path: Path, place: Place) -> tuple[Json, str, int]:
    """The schema of what a path begins with, what people call that, and how much of the path says it."""
    if path[0] == "input" and outline.outer is None:
        return outline.document.get("input_schema"), "The input", 1
    item = None
    if path[0] == "steps" and path[2:3] == ("output",):
        item, at = outline.by_id.get(path[1]), 3
    elif path[0] == "output" and place.field.endswith(".when"):
        item, at = outline.by_id.get(place.node or ""), 1
    if item is None or not _always_gives(item):
        return None, "", 0
    return item.gives, f"The output of {quoted(item.id)}", at


def _always_gives(item: OutlineNode) -> bool:
    """Whether what its type gives is all that may stand for its output."""
    return item.on_error == "fail" and not item.node.boundary_timers and not item.has_bad_params


def _missing(schema: Json, path: Path) -> Iterator[tuple[str, list[str]]]:
    """The first key that is not there, with those that are."""
    root = schema
    for key in path:
        here = resolved(schema, root)
        if not isinstance(here, dict) or any(word in here for word in _OPEN):
            return
        properties = here.get("properties")
        if not isinstance(properties, dict):
            return
        if key not in properties:
            if here.get("additionalProperties") is False:
                yield key, list(properties)
            return
        schema = properties[key]

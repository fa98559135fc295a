"""Rules about schemas: the input's is one, and what a step gives can be taken by the next (R-014)."""

from collections.abc import Iterator

from engine.catalogue import Json
from engine.checks.flow import Flow
from engine.checks.nodes import has_bad_params
from engine.checks.outline import Outline, SeenNode
from engine.json_schema import clash, schema_faults, schema_of
from engine.problems import Problem, error, quoted

_UNDONE: Json = {
    "type": "object",
    "properties": {"input": {}, "output": {}},
    "required": ["input", "output"],
    "additionalProperties": False,
}


def input_schema(outline: Outline) -> Iterator[Problem]:
    """The definition's `input_schema` is a JSON Schema."""
    schema = outline.document.get("input_schema")
    if isinstance(schema, dict):
        for field, fault in schema_faults(schema, "input_schema"):
            yield error("bad_input_schema", field, f"{quoted(field)} {fault}.")


def inputs(outline: Outline, flow: Flow) -> Iterator[Problem]:
    """Each node can take what it is given, as far as the schemas tell."""
    for seen in outline.nodes:
        wanted = seen.spec.input_schema if seen.spec else None
        if wanted is None:
            continue
        given, giver, field = _given(outline, flow, seen)
        reason = clash(given, wanted) if isinstance(given, dict) else None
        if reason:
            message = f"{quoted(seen.id)} cannot take what {giver} gives: {reason}; map its input."
            yield error("incompatible_input", field, message, seen.id)


def inputs_of_undoing(outline: Outline) -> Iterator[Problem]:
    """A compensation is given `{input, output}` of what it undoes; no mapping could change that."""
    for seen in outline.nodes:
        undo = seen.node.compensate
        spec = outline.catalogue.get(undo.type) if undo else None
        wanted = spec.input_schema if spec else None
        reason = clash(_UNDONE, wanted) if wanted else None
        if undo and reason:
            message = (
                f"{quoted(undo.type)} cannot undo {quoted(seen.id)}: it would be given an object of its input and "
                f"output, and {reason}; choose another type."
            )
            yield error("incompatible_input", f"{seen.field}.compensate.type", message, seen.id)


def _given(outline: Outline, flow: Flow, seen: SeenNode) -> tuple[Json, str, str]:
    """(schema of what the node gets or None, who gives it, the field to point at)."""
    if seen.node.input is not None:
        return schema_of(seen.node.input), "its input mapping", f"{seen.field}.input"
    sources = flow.into[seen.id]
    if not sources:
        return outline.document.get("input_schema"), "the run's input", seen.field
    source = outline.by_id[sources[0].source]
    if len(sources) > 1 or _only_after_failure(outline, source, seen) or has_bad_params(source):
        return None, "", seen.field
    # Several predecessors give an object of their outputs, which only a mapping can make fit.
    spec = source.spec
    return spec.output_schema(source.node.params or {}) if spec else None, quoted(source.id), seen.field


def _only_after_failure(outline: Outline, source: SeenNode, target: SeenNode) -> bool:
    edges = [edge.edge for edge in outline.leaving(source) if edge.edge.target == target.id]
    return all(edge.on for edge in edges)

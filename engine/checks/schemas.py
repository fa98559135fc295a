"""Rules about schemas: the input's is one, and what a step gives can be taken by the next (R-014)."""

from collections.abc import Iterator

from engine.catalogue import Json
from engine.checks.flow import Flow
from engine.checks.outline import Outline, OutlineNode
from engine.json_schema import clash, schema_faults, schema_of
from engine.problems import Problem, error, quoted
from engine.searchable import SEARCHABLE_FIELDS, searchable_fields

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
        if len(searchable_fields(schema)) > SEARCHABLE_FIELDS:
            message = (
                f"At most {SEARCHABLE_FIELDS} fields can be searchable: remove `x-searchable` from some."
            )
            yield error("bad_input_schema", "input_schema", message)


def inputs(outline: Outline, flow: Flow) -> Iterator[Problem]:
    """Each node can take what it is given, as far as the schemas tell."""
    known = dict[tuple[int, int], str | None]()
    for item in outline.nodes:
        taker_schema = item.spec.input_schema if item.spec else None
        if taker_schema is None:
            continue
        giver_schema, giver, field = _find_giver(outline, flow, item)
        pair = (id(giver_schema), id(taker_schema))
        if isinstance(giver_schema, dict) and pair not in known:
            known[pair] = clash(giver_schema, taker_schema, field)
        reason = known.get(pair)
        if reason:
            message = f"{quoted(item.id)} cannot take what {giver} gives: {reason}; map its input."
            yield error("incompatible_input", field, message, item.id)


def inputs_of_undoing(outline: Outline) -> Iterator[Problem]:
    """A compensation is given `{input, output}` of what it undoes; no mapping could change that."""
    for item in outline.nodes:
        undo = item.node.compensate
        spec = outline.catalogue.get(undo.type) if undo else None
        taker_schema = spec.input_schema if spec else None
        reason = clash(_UNDONE, taker_schema) if taker_schema else None
        if undo and reason:
            message = (
                f"{quoted(undo.type)} cannot undo {quoted(item.id)}: it would be given an object of its input and "
                f"output, and {reason}; choose another type."
            )
            yield error("incompatible_input", f"{item.field}.compensate.type", message, item.id)


def _find_giver(outline: Outline, flow: Flow, item: OutlineNode) -> tuple[Json, str, str]:
    """(schema of what the node gets or None, who gives it, the field to point at)."""
    if item.node.input is not None:
        return schema_of(item.node.input), "its input mapping", f"{item.field}.input"
    sources = flow.into[item.id]
    if not sources:
        return outline.document.get("input_schema"), "the run's input", item.field
    source = outline.by_id[sources[0].source]
    if len(sources) > 1 or _only_after_failure(outline, source, item) or source.has_bad_params:
        return None, "", item.field
    # Several predecessors give an object of their outputs, which only a mapping can make fit.
    return source.gives, quoted(source.id), item.field


def _only_after_failure(outline: Outline, source: OutlineNode, target: OutlineNode) -> bool:
    edges = [edge.edge for edge in outline.leaving(source) if edge.edge.target == target.id]
    return all(edge.on for edge in edges)

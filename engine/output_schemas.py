"""The schemas of what the steps of a definition take and give, those of containers among them. Pure."""

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Final

from engine.bodies import ONLY_STEP, level_of
from engine.catalogue import Catalogue, Json
from engine.checks.flow import Flow
from engine.checks.outline import Limits, Outline, OutlineNode, outline_of
from engine.holes import has_holes
from engine.json_schema import schema_of, self_contained
from engine.schemas import ERROR_SCHEMA, FAILED_SCHEMA, TIMER_SCHEMA

_LEVELS: Final = 8
"""Containers in containers that are looked into."""


class OutputSchemas:
    """The schemas of one level: the steps of a definition, or those of a container. None: nothing is known.

    The definition may be of whatever quality. `first`: the schema of what the first steps are given; it is asked for
    when a step gives its input on.
    """

    def __init__(
        self, outline: Outline, flow: Flow, first: Callable[[], Json], levels: int = _LEVELS
    ) -> None:
        self._outline = outline
        self._flow = flow
        self._first = first
        self._levels = levels

    def of(self, name: str) -> Json:
        """What a step gives to those behind it."""
        return self._schemas.get(name)

    def result(self) -> Json:
        """What a run of these steps gives: the output of its only last step. None where there are several."""
        last = [item for item in self._outline.by_id.values() if self._is_last(item)]
        if len(last) != 1:
            return None
        schema = self._completed(last[0])
        is_certain = self._flow.is_small and bool(self._flow.certain_at_end & self._bit(last[0].id))
        # A last step that was skipped, or that failed and lets the run go on, gives nothing.
        return schema if is_certain and last[0].on_error == "fail" else _optional(schema)

    def given_to(self, item: OutlineNode) -> Json:
        """What comes before a step, ahead of the mapping of its input."""
        sources = [link.source for link in self._flow.into[item.id]]
        if not sources:
            return self._first()
        if len(sources) == 1:
            return self._carried(sources[0], item)
        schemas = {name: self._carried(name, item) or {} for name in sources}
        sure = [name for name in sources if self._is_certain(name, item)]
        return {"type": "object", "properties": schemas, "required": sure}

    @cached_property
    def _schemas(self) -> dict[str, Json]:
        self.__dict__["_schemas"] = schemas = dict[str, Json]()
        # In their order, so that a long chain of steps that give their input on is no deep recursion.
        for name in self._flow.order or tuple(self._outline.by_id):
            item = self._outline.by_id[name]
            schema = self._completed(item)
            if item.on_error == "continue" and isinstance(schema, dict):
                # One that goes on after a failure may give its error instead.
                properties = {**schema.get("properties", {}), "error": ERROR_SCHEMA}
                schema = {**schema, "properties": properties, "required": []}
            schemas[name] = schema
        return schemas

    def _completed(self, item: OutlineNode) -> Json:
        """What a step gives that has completed."""
        if item.spec is None:
            return None
        if item.spec.gives_input:
            return self.given_to(item) if item.node.input is None else schema_of(item.node.input)
        return self._of_container(item) if item.spec.has_children else self_contained(item.gives)

    def _of_container(self, item: OutlineNode) -> Json:
        """A step in rounds gives what its last round gives, another one the results of its items."""
        params, schema = item.node.params or {}, self_contained(item.gives)
        body = item.spec.body(params) if item.spec is not None else None
        child = _of_body(body, self._outline.catalogue, self._levels) if isinstance(body, Mapping) else None
        if item.spec is not None and item.spec.conditions:
            return _of_rounds(child, params.get("count"))
        results = schema["properties"].get("results") if schema and "properties" in schema else None
        if schema is None or child is None or not isinstance(results, Mapping):
            return schema
        return {**schema, "properties": {**schema["properties"], "results": {**results, "items": child}}}

    def _carried(self, name: str, target: OutlineNode) -> Json:
        """What the edges from one step to another carry; None where they may carry different things."""
        source = self._outline.by_id[name]
        edges = [edge.edge for edge in self._outline.leaving(source) if edge.edge.target == target.id]
        by_timer = any(timer.to == target.id for timer in source.node.boundary_timers or ())
        failed = [edge for edge in edges if edge.on]
        kinds = [bool(failed), len(failed) < len(edges), by_timer]
        if sum(kinds) != 1:
            return None
        return FAILED_SCHEMA if kinds[0] else TIMER_SCHEMA if kinds[2] else self.of(name)

    def _is_last(self, item: OutlineNode) -> bool:
        """Whether its output may be what the run gives: only errors and reminders lead on from it (`links.is_sink`)."""
        if item.spec is not None and item.spec.fails:
            return False
        reminders = {timer.to for timer in item.node.boundary_timers or () if timer.interrupting is False}
        edges = [edge.edge for edge in self._outline.leaving(item)]
        return all(edge.on or edge.target in reminders for edge in edges)

    def _is_certain(self, name: str, item: OutlineNode) -> bool:
        if item.node.join == "all":
            return True
        sure = all(link.sure for link in self._flow.into[item.id] if link.source == name)
        return sure and bool(self._flow.order and self._flow.certain[item.id] & self._bit(name))

    def _bit(self, name: str) -> int:
        return self._flow.bits.get(name, 0)


def output_schemas(document: Mapping[str, Json], catalogue: Catalogue) -> OutputSchemas:
    """The schemas of a definition's own steps."""
    outline = outline_of(document, catalogue, Limits())
    return OutputSchemas(outline, Flow(outline), lambda: document.get("input_schema"))


def _of_body(body: Mapping[str, Json], catalogue: Catalogue, levels: int) -> Json:
    """What a container's body gives for one item, or in one round."""
    only = [{**body, "id": ONLY_STEP}] if body.get("steps") is None else []
    level = level_of(body) or {"nodes": only}
    outline = outline_of(level, catalogue, Limits())
    if not levels or len(outline.nodes) < len(level["nodes"]):
        return None
    return OutputSchemas(outline, Flow(outline), lambda: None, levels - 1).result()


def _of_rounds(child: Json, count: Json) -> Json:
    """What a loop gives: without a round its first input, else what its last round gives."""
    if count == 0:
        return None
    return _optional(child) if has_holes(count) else child


def _optional(schema: Json) -> Json:
    return {**schema, "required": []} if isinstance(schema, dict) else schema

"""What is known of the values at a place of a definition: from schemas, and from a sample of what a run gave."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final, Literal

from engine.catalogue import Json, Keys
from engine.cel_reads import CONTEXT
from engine.checks.flow import Flow
from engine.checks.outline import Outline, OutlineNode
from engine.checks.places import Place, Places
from engine.errors import ExpressionError, ExpressionInvalid
from engine.holes import field_at
from engine.json_schema import schema_of
from engine.output_schemas import OutputSchemas
from engine.schemas import INDEX_SCHEMA, ROUND_SCHEMA, RUN_SCHEMA
from engine.templates import compile_template
from engine.typed_texts import FACTS

PlaceName = Literal[
    "params", "input", "set_vars", "when", "output", "business_key", "compensate", "body", "round"
]
OF_NODE = ("params", "input", "set_vars", "compensate", "body")


class Absent(Enum):
    """No value is known; null is one."""

    ABSENT = "absent"


ABSENT: Final = Absent.ABSENT


class NoSuchPlace(ValueError):
    """There is no such place in the definition; `field` is what of the question is wrong."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field
        self.message = message


@dataclass(frozen=True, slots=True)
class Spot:
    """A place as somebody asks for it: `source` of the edge for `when`, else `node`, if any.

    `body`: what a container does for each item, where that is one step; `round`: a condition of a loop.
    `keys`: the path within the params, or within those of a body.
    """

    place: PlaceName
    node: str | None = None
    source: str | None = None
    keys: Keys = ()


@dataclass(frozen=True, slots=True)
class Sample:
    """Values as a run had them: its input, what steps gave, and what they were given where that is known."""

    input: Json = ABSENT
    outputs: Mapping[str, Json] = field(default_factory=dict)
    inputs: Mapping[str, Json] = field(default_factory=dict)
    run: Json = ABSENT


@dataclass(frozen=True, slots=True)
class Known:
    """A value that can be read: by which path, its schema (None: not known), its sample, and whose it is."""

    path: tuple[str, ...]
    schema: Json
    sample: Json
    origin: str
    always: bool


BeforeEach = Callable[[], None] | None


class Surroundings:
    """A definition (native, of whatever quality) with a sample. Never raises on the definition itself.

    `before_each` is called before each expression; where it raises OutOfTime there is no sample of what that gives.
    """

    def __init__(self, outline: Outline, sample: Sample, before_each: BeforeEach = None) -> None:
        self.before_each = before_each
        self.outline = outline
        self.flow = Flow(outline)
        self.places = Places(outline, self.flow)
        self.sample = sample
        self.schemas = OutputSchemas(outline, self.flow, self._first_schema)

    def place(self, spot: Spot) -> Place:
        """The rules of this place. Raises NoSuchPlace."""
        if spot.place == "when":
            return self.places.after(self._node(spot.source, "edge").id, "when")
        if spot.place == "output":
            return self.places.output()
        if spot.place == "business_key":
            return self.places.business_key()
        item = self._node(spot.node, "node")
        match spot.place:
            case "set_vars":
                return self.places.sets(item)
            case "compensate":
                return self.places.undo(item)
            case "body":
                place = self.places.body(item)
                return self.places.texts.get(field_at(f"{place.field}.params", spot.keys), place)
            case "round":
                return self.places.round(item, "until")
            case other:
                place = self.places.step(item, other)
                return self.places.texts.get(field_at(place.field, spot.keys), place)

    def known(self, spot: Spot) -> list[Known]:
        """All that may be read there, the nearest first. Raises NoSuchPlace."""
        place = self.place(spot)
        values: list[Known] = []
        if spot.place == "when":
            source = self._node(spot.source, "edge")
            values.append(
                Known(("output",), self._given_by(source), self._output(source.id), source.title, True)
            )
            values.append(self._prev(source, behind_mapping=True))
        elif spot.place in OF_NODE:
            item = self._node(spot.node, "node")
            values.append(
                self._undone(item) if spot.place == "compensate" else self._prev(item, spot.place != "input")
            )
            if spot.place == "body":
                values = [*items(self.item_of(item), item.title), *values]
            if spot.place == "set_vars":
                output = Known(("output",), self._given_by(item), self._output(item.id), item.title, True)
                values.append(output)
            if FACTS in place.names:
                values = [*self._facts(item, spot), *values]
        elif spot.place == "round":
            item = self._node(spot.node, "node")
            schema = self._given_by(item)
            values.append(Known(("output",), schema, self._output(item.id), "Output of the round", True))
            values.append(Known(("iteration",), ROUND_SCHEMA, 1, item.title, True))
        values += self._steps(place)
        values += self._variables(place)
        return values + self.outside(place)

    def outside(self, place: Place) -> list[Known]:
        """What is known of the run, whatever its steps give."""
        schema = self.outline.document.get("input_schema")
        values = [Known(("input",), schema, self.sample.input, "Input of the run", True)]
        if "run" in place.names:
            values.append(Known(("run",), RUN_SCHEMA, self.sample.run, "The run", True))
        if CONTEXT in place.names:
            origin = "The input with the variables over it"
            values.append(Known((CONTEXT,), None, self.sample.input, origin, True))
        return values

    def around_items(self, container: OutlineNode) -> list[Known]:
        """What the steps in a container see of what is around it."""
        place = self.places.step(container, "params")
        return [*self._steps(place), *self._variables(place), *self.outside(place)]

    def item_of(self, container: OutlineNode) -> Known:
        """The first of a container's items; of one that works in rounds what the first is given."""
        params = container.node.params or {}
        name = "items" if "items" in params else "input"
        before = self._prev(container, behind_mapping=True)
        if name not in params:
            return replace(before, path=("item",), origin=container.title)
        scope = self.scope(Spot("params", container.id))
        sample: Json = ABSENT
        with suppress(ExpressionError, ExpressionInvalid):
            sample = compile_template(params[name]).render(scope, self.before_each)
        if name == "items":
            sample = sample[0] if isinstance(sample, list) and sample else ABSENT
        schema = None if sample is ABSENT else schema_of(sample)
        return Known(("item",), schema, sample, container.title, True)

    def _facts(self, item: OutlineNode, spot: Spot) -> Iterator[Known]:
        """The facts of a step that asks people, which its texts may read; where a value is known, with it."""
        params = item.node.params or {}
        if spot.place == "body" and item.spec is not None:
            params = (item.spec.body(params) or {}).get("params") or {}
        facts, schemas = params.get(FACTS), params.get("facts_schema")
        scope = self.scope(replace(spot, keys=()))
        rows = facts if isinstance(facts, Mapping) else {"": facts}
        samples = dict[str, Json]()
        for label, value in rows.items():
            with suppress(ExpressionError, ExpressionInvalid):
                samples[label] = compile_template(value).render(scope, self.before_each)
        if facts is not None and not isinstance(facts, Mapping):
            yield Known((FACTS,), None, samples.get("", ABSENT), item.title, True)
        elif facts:
            types = schemas if isinstance(schemas, Mapping) else {}
            properties = {label: types.get(label) or schema_of(value) for label, value in facts.items()}
            schema = {"type": "object", "properties": properties, "required": [*facts]}
            yield Known((FACTS,), schema, samples, "Facts of this step", True)

    def scope(self, spot: Spot) -> dict[str, Json]:
        """What an expression there sees, as far as the sample tells. Raises NoSuchPlace."""
        place = self.place(spot)
        scope: dict[str, Json] = {"vars": {}, "steps": self._outputs(place)}
        for value in self.known(spot):
            if value.sample is not ABSENT and len(value.path) == 1:
                scope[value.path[0]] = value.sample
            elif value.sample is not ABSENT and value.path[0] == "vars":
                scope["vars"][value.path[1]] = value.sample
        return scope

    def _node(self, name: str | None, argument: str) -> OutlineNode:
        if name is None:
            raise NoSuchPlace(argument, f"Say which {argument}.")
        item = self.outline.by_id.get(name)
        if item is None:
            raise NoSuchPlace(argument, f"There is no node {name[:64]} in this definition.")
        return item

    def _steps(self, place: Place) -> Iterator[Known]:
        # The last ones first: what was just done is what is read most.
        for name in reversed(self.flow.order or tuple(self.outline.by_id)):
            bit = self.flow.bits.get(name, 0)
            if name == place.node and not place.possible & bit:
                continue
            if place.possible & bit or not self.flow.order:
                item = self.outline.by_id[name]
                always = bool(place.certain & bit)
                schema = self._given_by(item)
                yield Known(("steps", name, "output"), schema, self._output(name), item.title, always)

    def _variables(self, place: Place) -> Iterator[Known]:
        """The variables of the run that steps set which may be over by then; of several that set one, the last."""
        if "vars" not in place.names:
            return
        last: dict[str, Known] = {}
        for name in self.flow.order:
            item, bit = self.outline.by_id[name], self.flow.bits[name]
            if name == place.node or not place.possible & bit:
                continue
            samples = self._samples_of(item)
            variables = item.node.set_vars if isinstance(item.node.set_vars, Mapping) else samples
            for variable, value in variables.items():
                always = bool(place.certain & bit) or (variable in last and last[variable].always)
                sample = samples.get(variable, ABSENT)
                last[variable] = Known(("vars", variable), schema_of(value), sample, item.title, always)
        yield from last.values()

    def _samples_of(self, item: OutlineNode) -> Mapping[str, Json]:
        """What a step would set with the sample, as far as that is known."""
        output = self._output(item.id)
        if item.node.set_vars is None or output is ABSENT:
            return {}
        scope = {"vars": {}, "steps": self._outputs(self.places.sets(item)), "output": output}
        before = self._prev(item, behind_mapping=True)
        more = {"prev": before.sample, "input": self.sample.input, "run": self.sample.run}
        scope |= {name: value for name, value in more.items() if value is not ABSENT}
        try:
            samples: Json = compile_template(item.node.set_vars).render(scope, self.before_each)
        except (ExpressionError, ExpressionInvalid):
            return {}
        return samples if isinstance(samples, dict) else {}

    def _outputs(self, place: Place) -> dict[str, Json]:
        bits = self.flow.bits
        return {
            name: {"output": output}
            for name, output in self.sample.outputs.items()
            if name in self.outline.by_id and (not bits or place.possible & bits.get(name, 0))
        }

    def _output(self, name: str) -> Json:
        return self.sample.outputs.get(name, ABSENT)

    def _first_schema(self) -> Json:
        """The schema of what the first steps are given."""
        return self.outline.document.get("input_schema")

    def _given_by(self, item: OutlineNode) -> Json:
        """The schema of what a node gives, None where nothing is known of it."""
        return self.schemas.of(item.id)

    def _undone(self, item: OutlineNode) -> Known:
        input_value = self._prev(item, behind_mapping=True)
        schema = {
            "type": "object",
            "required": ["input", "output", "idempotency_key", "idempotency_keys"],
            "properties": {
                "input": input_value.schema if isinstance(input_value.schema, dict) else {},
                "output": self._given_by(item) or {},
                "idempotency_key": {"type": "string"},
                "idempotency_keys": {"type": "array", "items": {"type": "string"}},
            },
        }
        sample: Json = ABSENT
        output = self._output(item.id)
        if output is not ABSENT:
            before = None if input_value.sample is ABSENT else input_value.sample
            sample = {
                "input": before,
                "output": output,
                "idempotency_key": "sample",
                "idempotency_keys": ["sample"],
            }
        return Known(("prev",), schema, sample, item.title, True)

    def _prev(self, item: OutlineNode, behind_mapping: bool) -> Known:
        """What a node is given: what comes before it, or what its mapping makes of that."""
        before = self._before(item)
        if not behind_mapping or item.node.input is None:
            return before
        schema = schema_of(item.node.input)
        return Known(("prev",), schema, self._mapped(item, before), "Input of this step", True)

    def _mapped(self, item: OutlineNode, before: Known) -> Json:
        scope = {"vars": {}, "steps": self._outputs(self.places.step(item, "input"))}
        more = {"prev": before.sample, "input": self.sample.input, "run": self.sample.run}
        scope |= {name: value for name, value in more.items() if value is not ABSENT}
        try:
            return compile_template(item.node.input).render(scope, self.before_each)
        except (ExpressionError, ExpressionInvalid):
            return self.sample.inputs.get(item.id, ABSENT)

    def _before(self, item: OutlineNode) -> Known:
        sources = [link.source for link in self.flow.into[item.id]]
        schema = self.schemas.given_to(item)
        if not sources:
            return Known(("prev",), schema, self.sample.input, "Input of the run", True)
        if len(sources) == 1:
            source = self.outline.by_id[sources[0]]
            sample = self.sample.outputs.get(source.id, self.sample.inputs.get(item.id, ABSENT))
            if item.node.input is not None and source.id not in self.sample.outputs:
                sample = ABSENT
            return Known(("prev",), schema, sample, source.title, True)
        outputs = {name: self.sample.outputs[name] for name in sources if name in self.sample.outputs}
        return Known(("prev",), schema, outputs or ABSENT, "The steps before", True)


def items(item: Known, origin: str) -> list[Known]:
    """What is known of an item, and of its number."""
    return [item, Known(("index",), INDEX_SCHEMA, 0, origin, True)]

"""The types of values that expressions read by a plain path: schemas, reduced to what changes how a value reads. Pure.

A type comes from the schema at the end of the path (`input.amount`), or from the form of the step that people filled
in. A computed value has none. Steps inside a container see the types outside it (`outer`).
"""

import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final, TypeVar

from engine.bodies import every_step
from engine.catalogue import Catalogue, Json
from engine.cel_reads import Path
from engine.errors import ExpressionInvalid
from engine.limits import TYPE_HOPS, TYPE_LEVELS, TYPE_NODES, TYPE_STEPS
from engine.templates import Template, compile_template

Type = Mapping[str, Json]
Key = TypeVar("Key")

log = logging.getLogger(__name__)

PERSON: Final[Type] = {"type": "string", "format": "person"}
MOMENT: Final[Type] = {"type": "string", "format": "date-time"}
FORMATS: Final = frozenset({"date", "date-time", "time", "person", "file", "money", "email", "uri"})
OUTER: Final = "outer"
"""The key of a part's definition that has the types of what is outside its container."""
_OF_RUN: Final[Mapping[str, Type]] = {"created_by": PERSON, "now": MOMENT}
_BRANCHES = ("then", "else")
_SEVERAL = ("allOf", "anyOf", "oneOf")


def reduced(schema: Json) -> Type | None:
    """The type that a schema gives its values, references followed; None where they read like any other value."""
    return _Reduction(schema).of(schema, 0, is_root=True) if isinstance(schema, Mapping) else None


class _Reduction:
    def __init__(self, root: Json) -> None:
        self.root = root
        self.left = TYPE_NODES

    def of(self, schema: Json, depth: int, *, is_root: bool = False) -> Type | None:
        schema = self._whole(schema)
        self.left -= 1
        if not schema or depth > TYPE_LEVELS or self.left < 0:
            return None
        kind: dict[str, Json] = {}
        if isinstance(schema.get("format"), str) and schema["format"] in FORMATS:
            kind["format"] = schema["format"]
        if isinstance(schema.get("x-currency"), str):
            kind["x-currency"] = schema["x-currency"]
        if choices := _titled_choices(schema):
            kind["oneOf"] = choices
        parts = {key: part for key, one in self._properties(schema) if (part := self.of(one, depth + 1))}
        if parts:
            kind["properties"] = parts
        if "items" in schema and (items := self.of(schema["items"], depth + 1)):
            kind["items"] = items
        if not is_root and isinstance(schema.get("title"), str):
            kind["title"] = schema["title"]
        return kind or None

    def _properties(self, schema: Type) -> Iterator[tuple[str, Json]]:
        """The properties of an object, those that it has under a condition too; the first description counts."""
        seen: set[str] = set()
        pending: list[Json] = [schema]
        while pending and self.left > 0:
            self.left -= 1
            one = self._whole(pending.pop(0))
            own = one.get("properties")
            for key, value in own.items() if isinstance(own, Mapping) else ():
                if key not in seen:
                    seen.add(key)
                    yield key, value
            pending += [one[key] for key in _BRANCHES if key in one]
            pending += one["allOf"] if isinstance(one.get("allOf"), list) else ()
            dependent = one.get("dependentSchemas")
            pending += dependent.values() if isinstance(dependent, Mapping) else ()

    def _whole(self, schema: Json) -> Type:
        """A schema with its reference followed; of "this or null" this."""
        for _ in range(TYPE_HOPS):
            if not isinstance(schema, Mapping):
                return {}
            if isinstance(schema.get("$ref"), str):
                schema = self._at(schema["$ref"])
                continue
            only = [
                [part for part in schema[key] if part != {"type": "null"}]
                for key in _SEVERAL
                if isinstance(schema.get(key), list)
            ]
            if "properties" in schema or len(only) != 1 or len(only[0]) != 1:
                return schema
            schema = only[0][0]
        return {}

    def _at(self, reference: str) -> Json:
        value = self.root
        if not reference.startswith("#"):
            return None
        for key in reference[1:].split("/")[1:]:
            name = key.replace("~1", "/").replace("~0", "~")
            value = value.get(name) if isinstance(value, Mapping) else None
        return value


def _titled_choices(schema: Type) -> list[Json]:
    parts = schema.get("oneOf")
    if not isinstance(parts, list) or not all(
        isinstance(part, Mapping) and "const" in part for part in parts
    ):
        return []
    return [
        {"const": part["const"], "title": part["title"]}
        for part in parts
        if isinstance(part.get("title"), str)
    ]


def below(kind: Type | None, keys: Path) -> Type | None:
    """The type of what is at these keys of a value of this type."""
    for key in keys:
        kind = ((kind or {}).get("properties") or {}).get(key)
    return kind


class ValueTypes:
    """The types of what the steps of one definition read. The definition must be valid; params that should be objects
    may be expressions, whose values nobody knows.
    """

    def __init__(self, definition: Mapping[str, Json], catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._nodes = {node["id"]: node for node in definition["nodes"]}
        self._sources: dict[str, list[str]] = {}
        for edge in definition.get("edges") or ():
            is_plain = edge.get("on") != "error"
            self._sources.setdefault(edge["to"], []).append(edge["from"] if is_plain else "")
        for node in definition["nodes"]:
            for timer in node.get("boundary_timers") or ():
                self._sources.setdefault(timer["to"], []).append("")
        outer = definition.get(OUTER)
        self._is_part = bool(definition.get("part_of"))
        self._outer: Mapping[str, Json] = outer or {}
        self._input = self._outer.get("input") if self._is_part else reduced(definition.get("input_schema"))
        self._given: dict[str, Type | None] = {}
        self._asked: list[tuple[str | None, Path]] = []
        self._depth = 0

    def at(self, node: str | None, path: Path) -> Type | None:
        """The type of what a step reads at this path (without a step: what is read when the run has ended); None where
        it has none, or nobody knows it.
        """
        if (node, path) in self._asked or len(self._asked) >= TYPE_STEPS:
            return None
        self._asked.append((node, path))
        try:
            return self._at(node, path)
        finally:
            self._asked.pop()

    def read_by(self, node: str | None, template: Template) -> dict[Path, Type]:
        """The type of each plain path that a template of the step reads, where it has one."""
        types = ((path, self.at(node, path)) for path in template.plain_paths())
        return {path: kind for path, kind in types if kind}

    def around(self, container: str, part: Mapping[str, Json], steps: Iterable[str]) -> dict[str, Json]:
        """What a part of this container sees: the types of the input, the item, and the outputs of these steps."""
        params = _object(self._nodes[container].get("params"))
        outputs = {name: kind for name in sorted(steps) if (kind := self._output(name))}
        types = {"input": self._input, "steps": outputs or None}
        outer = {name: kind for name, kind in types.items() if kind}
        if "items" in params:
            item = (self._of_template(container, params["items"]) or {}).get("items")
            return {**outer, **({"item": item} if item else {})}
        first = self._of_template(container, params["input"]) if "input" in params else self._prev(container)
        if first is None:
            return outer
        # A later round gets the output of the one before: the first type holds for it only if it is that output's too.
        rounds = {**outer, "item": first}
        return rounds if ValueTypes({**part, OUTER: rounds}, self._catalogue).result() == first else outer

    def result(self) -> Type | None:
        """The type of what the only step gives that no other follows; None of several such steps."""
        followed = {source for sources in self._sources.values() for source in sources}
        last = [name for name in self._nodes if name not in followed]
        return self._output(last[0]) if len(last) == 1 else None

    def steps_outside(self) -> list[str]:
        """The steps outside the container of which the types are known."""
        return [*(self._outer.get("steps") or {})]

    def _at(self, node: str | None, path: Path) -> Type | None:
        match path:
            case ("input" | "context", *keys):
                return below(self._input, tuple(keys))
            case ("run", key):
                return _OF_RUN.get(key)
            case ("item", *keys) if self._is_part:
                return below(self._outer.get("item"), tuple(keys))
            case ("steps", name, "output", *keys):
                return below(self._output(name), tuple(keys))
            case ("prev", *keys) if node is not None:
                return below(self._prev(node), tuple(keys))
            case ("facts", label) if node is not None:
                return self._fact(node, label)
        return None

    def _output(self, name: str) -> Type | None:
        if name not in self._nodes:
            return (self._outer.get("steps") or {}).get(name)
        if name not in self._given:
            if self._depth >= TYPE_STEPS:
                return None
            self._given[name], self._depth = None, self._depth + 1
            try:
                self._given[name] = self._gives(name)
            finally:
                self._depth -= 1
        return self._given[name]

    def _gives(self, name: str) -> Type | None:
        node = self._nodes[name]
        params = _object(node.get("params"))
        spec = self._catalogue[node["type"]].with_params(params)
        if spec.gives_input:
            return self._prev(name)
        kind = reduced(spec.output_schema(params))
        if not spec.asks_people:
            return kind
        facts = {label: one for label in _object(params.get("facts")) if (one := self._fact(name, label))}
        properties = {**((kind or {}).get("properties") or {}), "facts": {"properties": facts}}
        return {**(kind or {}), "properties": properties}

    def _fact(self, name: str, label: str) -> Type | None:
        params = _object(self._nodes[name].get("params"))
        schema = _object(params.get("facts_schema")).get(label)
        if schema is not None:
            return reduced(schema)
        return self._of_template(name, _object(params.get("facts")).get(label))

    def _prev(self, name: str) -> Type | None:
        node = self._nodes[name]
        if node.get("input") is not None:
            return self._of_mapping(name, node["input"])
        sources = self._sources.get(name, [])
        if not sources:
            return self._input
        return self._output(sources[0]) if len(set(sources)) == 1 and sources[0] else None

    def _of_mapping(self, name: str, mapping: Json) -> Type | None:
        if isinstance(mapping, Mapping):
            parts = {key: kind for key, one in mapping.items() if (kind := self._of_mapping(name, one))}
            return {"properties": parts} if parts else None
        path = _path_of(mapping)
        # What the mapping itself calls `prev` comes before it.
        if path is None or path[0] != "prev":
            return None if path is None else self.at(name, path)
        sources = self._sources.get(name, [])
        before = self._output(sources[0]) if len(set(sources)) == 1 and sources[0] else None
        return below(self._input if not sources else before, path[1:])

    def _of_template(self, name: str, value: Json) -> Type | None:
        path = _path_of(value)
        return None if path is None else self.at(name, path)


def types_read(
    definition: Mapping[str, Json], catalogue: Catalogue, templates: Mapping[str | None, Iterable[Template]]
) -> dict[str | None, dict[Path, Type]]:
    """The types of what steps read by plain paths in these templates, by step; None: what is read when the run has
    ended.
    """

    def read() -> dict[str | None, dict[Path, Type]]:
        types = ValueTypes(definition, catalogue)
        return {
            name: {path: kind for one in several for path, kind in types.read_by(name, one).items()}
            for name, several in templates.items()
        }

    return _or_untyped(definition, read) if any(templates.values()) else {}


def part_with_types(
    definition: Mapping[str, Json], container: str, part: dict[str, Json], catalogue: Catalogue
) -> dict[str, Json]:
    """The definition of a container's part with the types of what is outside it, if a step in it asks people."""
    steps = [step for _, step in every_step(part["nodes"], catalogue)]
    if not any(step["type"] in catalogue and catalogue[step["type"]].asks_people for step in steps):
        return part
    own = {step["id"] for step in steps}

    def read() -> dict[str, Json]:
        types = ValueTypes(definition, catalogue)
        outside = [node["id"] for node in definition["nodes"] if node["id"] not in own]
        return types.around(container, part, [*outside, *types.steps_outside()])

    outer = _or_untyped(definition, read)
    return {**part, OUTER: outer} if outer else part


def _or_untyped(definition: Mapping[str, Json], read: Callable[[], dict[Key, Json]]) -> dict[Key, Json]:
    """What `read` gives; nothing where it raises.

    Types change only how values look. A plug-in's `output_schema_of` takes part in them, and a version that was
    published must be compiled whatever that raises. Graphs and parts are kept: it is logged once for each.
    """
    try:
        return read()
    except Exception:
        log.exception("The values of %s are shown without types", definition.get("name"))
        return {}


def _object(value: Json) -> Mapping[str, Json]:
    """An object as it is written; empty for an expression in its place."""
    return value if isinstance(value, Mapping) else {}


def _path_of(value: Json) -> Path | None:
    if not isinstance(value, str) or "{{" not in value:
        return None
    try:
        return compile_template(value).path_at()
    except ExpressionInvalid:
        return None

"""JSON Schema as far as definitions need it: is this a schema at all, and can what one step gives be taken by the next?

Both are about schemas, not about values; values are validated where they are.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import reduce

from engine.catalogue import Json
from engine.holes import has_holes, join_path
from engine.limits import INLINED_PARTS
from engine.work import DEFINITION_UNITS, Work, work_at

Schema = Mapping[str, Json]
_Keys = tuple[str | int, ...]

TYPES = ("null", "boolean", "integer", "number", "string", "array", "object")
_ONE = (
    "additionalProperties",
    "items",
    "contains",
    "propertyNames",
    "not",
    "if",
    "then",
    "else",
    "unevaluatedItems",
)
_MANY = ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas")
_LISTS = ("allOf", "anyOf", "oneOf", "prefixItems")
_DEFINITIONS = ("$defs", "definitions")
_COUNTS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
_ESCAPED = re.compile(r"\\[uUN]")
_UNITS_OF_A_CLASS = 2_000
_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")


def schema_faults(schema: Json, field: str) -> Iterator[tuple[str, str]]:
    """(path, what is wrong) of everything that keeps `schema` from being a JSON Schema. Raises TooMuchWork."""
    work = work_at(field or "the schema", DEFINITION_UNITS)
    for keys, fault in _faults(schema, (), Pointers(schema, work)):
        yield (
            reduce(
                lambda path, key: f"{path}[{key}]" if isinstance(key, int) else join_path(path, key),
                keys,
                field,
            ),
            fault,
        )


def _faults(schema: Json, keys: _Keys, pointers: "Pointers") -> Iterator[tuple[_Keys, str]]:
    pointers.work.spend()
    if isinstance(schema, bool):
        return
    if not isinstance(schema, dict):
        yield keys, "must be a JSON Schema: an object, true or false"
        return
    for key, value in schema.items():
        here = (*keys, key)
        if key in _ONE:
            yield from _faults(value, here, pointers)
        elif key in _MANY:
            members = value.items() if isinstance(value, dict) else None
            yield from _each(members, here, pointers, "an object of schemas")
        elif key in _LISTS:
            parts = enumerate(value) if isinstance(value, list) else None
            yield from _each(parts, here, pointers, "a list of schemas")
        elif key in _KEYWORDS and (fault := _KEYWORDS[key](value, pointers)):
            yield here, fault


def clash(source: Schema, target: Schema, field: str = "the schema") -> str | None:
    """Why no value of `source` can be one of `target`, as far as that is certain; None if it may be (R-014).

    Raises TooMuchWork where they have too many alternatives to compare.
    """
    reason = _Clash(source, target, work_at(field, DEFINITION_UNITS)).of(source, target, 0)
    if reason is None:
        return None
    where = f"`{reduce(join_path, reason[0], '')}`" if reason[0] else "its input"
    return f"{where} {reason[1]}"


def schema_of(value: Json) -> dict[str, Json]:
    """What is known of a value that a template will give: the type of what is literally there."""
    if isinstance(value, str) and "{{" in value:
        return {}
    if isinstance(value, dict):
        properties = {key: schema_of(item) for key, item in value.items()}
        return {
            "type": "object",
            "properties": properties,
            "required": [*value],
            "additionalProperties": False,
        }
    if has_holes(value):
        return {"type": "array"}
    kinds = {type(None): "null", bool: "boolean", int: "integer", float: "number", str: "string"}
    return {"type": kinds.get(type(value), "array")}


def _each(
    parts: Iterable[tuple[str | int, Json]] | None, keys: _Keys, pointers: "Pointers", rule: str
) -> Iterator[tuple[_Keys, str]]:
    if parts is None:
        yield keys, f"must be {rule}"
        return
    for key, value in parts:
        yield from _faults(value, (*keys, key), pointers)


def _type_fault(value: Json, _: "Pointers") -> str | None:
    names = value if isinstance(value, list) else [value]
    if names and all(isinstance(name, str) and name in TYPES for name in names):
        return None
    return f"must be one of {', '.join(TYPES)}, or a list of them"


def _required_fault(value: Json, _: "Pointers") -> str | None:
    good = isinstance(value, list) and all(isinstance(name, str) for name in value)
    return None if good and len(set(value)) == len(value) else "must be a list of different property names"


def _dependent_fault(value: Json, _: "Pointers") -> str | None:
    good = isinstance(value, dict) and not any(_required_fault(names, _) for names in value.values())
    return None if good else "must be an object of lists of different property names"


def _count_fault(value: Json, _: "Pointers") -> str | None:
    good = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return None if good else "must be a whole number, 0 or more"


def _number_fault(value: Json, _: "Pointers") -> str | None:
    return None if isinstance(value, int | float) and not isinstance(value, bool) else "must be a number"


def _enum_fault(value: Json, _: "Pointers") -> str | None:
    return None if isinstance(value, list) and value else "must be a list of at least one value"


def _pattern_fault(value: Json, pointers: "Pointers") -> str | None:
    if not isinstance(value, str):
        return "must be a regular expression"
    # Python makes a table of 64 Ki for each class with a character that is not of Latin-1.
    is_latin = value.isascii() and not _ESCAPED.search(value)
    pointers.work.spend(len(value) + (0 if is_latin else _UNITS_OF_A_CLASS * value.count("[")))
    try:
        re.compile(value)
    except (re.error, RecursionError, OverflowError) as exc:
        return f"is no regular expression: {exc}"
    return None


def _ref_fault(value: Json, pointers: "Pointers") -> str | None:
    if not isinstance(value, str) or not value.startswith("#"):
        return "must point into this schema, such as #/$defs/address"
    return (
        None if pointers.resolved({"$ref": value}) is not None else f"points to {value}, which doesn't exist"
    )


_KEYWORDS: Mapping[str, Callable[[Json, "Pointers"], str | None]] = {
    "type": _type_fault,
    "required": _required_fault,
    "dependentRequired": _dependent_fault,
    "enum": _enum_fault,
    "pattern": _pattern_fault,
    "$ref": _ref_fault,
    **dict.fromkeys(_COUNTS, _count_fault),
    **dict.fromkeys(_NUMBERS, _number_fault),
}


class Pointers:
    """What the references within a schema point to; each is followed once, so that all take no longer than it is."""

    def __init__(self, root: Json, work: Work | None = None) -> None:
        self.work = work or Work("the schema", DEFINITION_UNITS)
        self._root = root
        self._known: dict[str, Json] = {}

    def resolved(self, schema: Json) -> Json | None:
        """The schema behind `$ref`, at most a few hops away; None if there is none."""
        for _ in range(10):
            if not isinstance(schema, dict) or not isinstance(schema.get("$ref"), str):
                return schema if isinstance(schema, dict | bool) else None
            pointer = schema["$ref"]
            if pointer not in self._known:
                self._known[pointer] = pointed_to(pointer, self._root)
            schema = self._known[pointer]
        return None


def pointed_to(pointer: str, root: Json) -> Json:
    """What a `$ref` points to within `root`; None where there is nothing."""
    target = root
    for part in pointer.removeprefix("#").split("/")[1:]:
        if not isinstance(target, dict):
            return None
        target = target.get(part.replace("~1", "/").replace("~0", "~"))
    return target


def resolved(schema: Json, root: Json) -> Json | None:
    """As `Pointers.resolved`, for one schema within `root`."""
    return Pointers(root).resolved(schema)


def self_contained(schema: Json) -> Json:
    """The schema with what its references point to in their place, so that it may stand within another one. Where it
    holds itself, or is too large, it is open.
    """
    if not isinstance(schema, dict) or not any(key in schema for key in _DEFINITIONS):
        return schema
    return _Inlining(schema).of({key: value for key, value in schema.items() if key not in _DEFINITIONS})


class _Inlining:
    def __init__(self, root: Schema) -> None:
        self.root = root
        self.left = INLINED_PARTS
        self.open = set[str]()

    def of(self, part: Json) -> Json:
        self.left -= 1
        if isinstance(part, list):
            return [self.of(one) for one in part]
        if not isinstance(part, dict):
            return part
        pointer = part.get("$ref")
        if not isinstance(pointer, str):
            return {key: self.of(value) for key, value in part.items()}
        if pointer in self.open or self.left < 0:
            return {}
        self.open.add(pointer)
        target = self.of(pointed_to(pointer, self.root))
        self.open.remove(pointer)
        rest = self.of({key: value for key, value in part.items() if key != "$ref"})
        return {**target, **rest} if isinstance(target, dict) else rest


def any_properties(schema: Json) -> dict[str, Json]:
    """Every property that an object may have, whatever its conditions say. What is reached in several ways counts once,
    so that this takes no longer than the schema is.
    """
    pointers, properties, seen = Pointers(schema), dict[str, Json](), set[int]()
    pending = [schema]
    while pending:
        plain = pointers.resolved(pending.pop())
        if not isinstance(plain, dict) or id(plain) in seen:
            continue
        seen.add(id(plain))
        own, all_of, dependent = (plain.get(key) for key in ("properties", "allOf", "dependentSchemas"))
        for name, one in own.items() if isinstance(own, dict) else ():
            properties.setdefault(name, one)
        pending += [plain.get("then"), plain.get("else")]
        pending += all_of if isinstance(all_of, list) else []
        pending += dependent.values() if isinstance(dependent, dict) else []
    return properties


_Reason = tuple[tuple[str, ...], str] | None
"""Where, as names of properties from where it was asked, and what is wrong there."""


class _Clash:
    """Why no value of one schema can be one of the other. A pair is compared once, and so many pairs at most."""

    def __init__(self, source: Schema, target: Schema, work: Work) -> None:
        self._source, self._target = Pointers(source), Pointers(target)
        self._known: dict[tuple[int, int], _Reason] = {}
        self._work = work

    def of(self, source: Json, target: Json, depth: int) -> _Reason:
        """The reason, None if there is none that is certain."""
        source, target = self._source.resolved(source), self._target.resolved(target)
        if not isinstance(source, dict) or not isinstance(target, dict) or depth > 20:
            return None
        pair = (id(source), id(target))
        if pair not in self._known:
            self._work.spend()
            # A pair that leads back to itself says nothing more of it.
            self._known[pair] = None
            self._known[pair] = self._compared(source, target, depth)
        return self._known[pair]

    def _compared(self, source: Schema, target: Schema, depth: int) -> _Reason:
        if options := _alternatives(target):
            return self._all([(source, one) for one in options], depth)
        if options := _alternatives(source):
            return self._all([(one, target) for one in options], depth)
        kinds, target_kinds = _types(source), _types(target)
        if kinds and target_kinds and not any(_fits(kind, target_kinds) for kind in kinds):
            return (), f"is {' or '.join(kinds)}, but must be {' or '.join(target_kinds)}"
        return self._of_objects(source, target, depth)

    def _all(self, pairs: list[tuple[Json, Json]], depth: int) -> _Reason:
        first: _Reason = None
        for source, target in pairs:
            reason = self.of(source, target, depth + 1)
            if reason is None:
                return None
            # Of several alternatives the one for objects says most: it names the property.
            first = reason if first is None or (reason[0] and not first[0]) else first
        return first

    def _of_objects(self, source: Schema, target: Schema, depth: int) -> _Reason:
        if _types(source) != ["object"]:
            return None
        has, wants, required = source.get("properties"), target.get("properties"), target.get("required")
        has = has if isinstance(has, dict) else {}
        for name in required if isinstance(required, list) else ():
            if not isinstance(name, str):
                continue
            self._work.spend()
            if name not in has:
                if source.get("additionalProperties") is False and not source.get("patternProperties"):
                    return (name,), "is missing"
            elif isinstance(wants, dict) and (reason := self.of(has[name], wants.get(name), depth + 1)):
                return (name, *reason[0]), reason[1]
        return None


def _alternatives(schema: Schema) -> list[Json]:
    options = schema.get("anyOf") or schema.get("oneOf")
    return options if isinstance(options, list) else []


def _types(schema: Schema) -> list[str]:
    kinds = schema.get("type")
    if isinstance(kinds, list):
        return [kind for kind in dict.fromkeys(one for one in kinds if isinstance(one, str)) if kind in TYPES]
    return [kinds] if isinstance(kinds, str) else []


def _fits(kind: str, kinds: list[str]) -> bool:
    # A number that happens to be whole is an integer, so only its value could tell.
    return kind in kinds or {"integer": "number", "number": "integer"}.get(kind) in kinds

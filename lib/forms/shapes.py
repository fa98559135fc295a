"""What a JSON Schema says of a value that is given: its references followed, and which properties it has while it holds
what it holds; pure.

`if/then/else`, `dependentRequired`, `dependentSchemas` and `allOf` say so, as the validator reads them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from lib.json import Json

Schema = Mapping[str, Json]
Fits = Callable[[Schema, Json, Json], bool]
"""Whether a part of a schema, the second, takes a value; its references are within the first."""

_HOPS = 10
_BRANCHES = ("if", "dependentRequired", "dependentSchemas", "allOf")


@dataclass(slots=True)
class Shape:
    """The properties of an object, the names of those that it must have, and the order in which its author put some."""

    properties: dict[str, Json] = field(default_factory=dict)
    required: dict[str, None] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)

    def keys(self) -> list[str]:
        """Its properties in their order. Stored JSON keeps no order of keys, but that of lists: what its author put in
        order comes first, then what is required.
        """
        first = [key for key in (*self.order, *self.required) if key in self.properties]
        return list(dict.fromkeys([*first, *self.properties]))


def shape_of(root: Schema, schema: Json, value: Mapping[str, Json], fits: Fits) -> Shape:
    """What an object of `schema`, a part of `root`, consists of while it is `value`."""
    shape = Shape()
    _gather(root, schema, value, fits, shape, set())
    return shape


def whole(root: Schema, schema: Json) -> Schema:
    """A schema with what its `$ref` points to; one that says nothing of the value is empty.

    "Or null" is left out, and said as `nullable`; a number that may be a whole one is a number.
    """
    return _whole(root, schema, 0)


def is_conditional(schema: Json) -> bool:
    """Whether what is filled in may change which fields a form has."""
    if isinstance(schema, dict):
        return any(key in schema for key in _BRANCHES) or any(map(is_conditional, schema.values()))
    return isinstance(schema, list) and any(map(is_conditional, schema))


def _whole(root: Schema, schema: Json, hops: int) -> Schema:
    if not isinstance(schema, dict) or hops > _HOPS:
        return {}
    target = _whole(root, _target(root, schema["$ref"]), hops + 1) if "$ref" in schema else {}
    merged = {**target, **{key: part for key, part in schema.items() if key != "$ref"}}
    kinds, choices = merged.get("type"), merged.get("anyOf")
    if isinstance(kinds, list) and len(kinds) == 2 and "null" in kinds:
        return {**merged, "type": kinds[kinds[0] == "null"], "nullable": True}
    if not isinstance(choices, list):
        return merged
    others = [part for part in choices if part != {"type": "null"}]
    rest = {key: part for key, part in merged.items() if key != "anyOf"}
    nullable = {"nullable": True} if len(others) < len(choices) else {}
    if len(others) == 1 and nullable:
        return {**_whole(root, others[0], hops + 1), **rest, **nullable}
    if [_type(part) for part in others] in (["integer", "number"], ["number", "integer"]):
        return {**rest, **nullable, "type": "number"}
    return merged


def _type(schema: Json) -> Json:
    return schema.get("type") if isinstance(schema, dict) else None


def _target(root: Schema, pointer: Json) -> Json:
    """What a `$ref` within `root` points to; None where that is nothing."""
    target: Json = root
    for part in str(pointer).removeprefix("#").split("/")[1:]:
        if not isinstance(target, dict):
            return None
        target = target.get(part.replace("~1", "/").replace("~0", "~"))
    return target


def _gather(
    root: Schema, schema: Json, value: Mapping[str, Json], fits: Fits, shape: Shape, seen: set[int]
) -> None:
    # Once each: what leads back to itself in several ways would be gathered for ever.
    if id(schema) in seen:
        return
    seen.add(id(schema))
    merged = whole(root, schema)
    for key, one in _mapping(merged, "properties").items():
        before = shape.properties.get(key)
        is_more = isinstance(before, dict) and isinstance(one, dict)
        shape.properties[key] = {**(before or {}), **one} if is_more else one
    shape.required |= dict.fromkeys(_names(merged.get("required")))
    shape.order += _names(merged.get("x-order"))
    for one in merged["allOf"] if isinstance(merged.get("allOf"), list) else ():
        _gather(root, one, value, fits, shape, seen)
    if "if" in merged:
        branch = "then" if fits(root, merged["if"], value) else "else"
        _gather(root, merged.get(branch), value, fits, shape, seen)
    for key, names in _mapping(merged, "dependentRequired").items():
        shape.required |= dict.fromkeys(_names(names)) if key in value else {}
    for key, one in _mapping(merged, "dependentSchemas").items():
        if key in value:
            _gather(root, one, value, fits, shape, seen)


def _mapping(schema: Schema, key: str) -> Mapping[str, Json]:
    part = schema.get(key)
    return part if isinstance(part, dict) else {}


def _names(part: Json) -> list[str]:
    return [name for name in part if isinstance(name, str)] if isinstance(part, list) else []


def has_format(schema: Json, name: str) -> bool:
    """Whether a schema has this `format` anywhere."""
    if isinstance(schema, Mapping):
        return schema.get("format") == name or any(has_format(part, name) for part in schema.values())
    return isinstance(schema, list) and any(has_format(part, name) for part in schema)

"""Which properties an object of a form has, and which it must have, as long as it holds what it holds; pure.

`if/then/else`, `dependentRequired`, `dependentSchemas` and `allOf` say so, as the validator reads them.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from engine.catalogue import Json
from engine.json_schema import resolved
from steps.schema import fits

Schema = Mapping[str, Json]

DEEPEST = 20
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
        wanted = [key for key in (*self.order, *self.required) if key in self.properties]
        return list(dict.fromkeys([*wanted, *self.properties]))


def shape_of(form: Schema, schema: Schema, value: Mapping[str, Json]) -> Shape:
    """What an object of `schema`, a part of `form`, consists of while it is `value`."""
    shape = Shape()
    _gather(form, schema, value, shape, 0)
    return shape


def whole(form: Schema, schema: Json) -> Mapping[str, Json]:
    """A schema with what its `$ref` points to; one that says nothing of the value is empty."""
    if not isinstance(schema, dict):
        return {}
    behind = resolved(schema, form) if "$ref" in schema else None
    own = {key: one for key, one in schema.items() if key != "$ref"}
    return {**behind, **own} if isinstance(behind, dict) else own


def is_conditional(form: Json) -> bool:
    """Whether what is filled in may change which fields a form has."""
    if isinstance(form, dict):
        return any(key in form for key in _BRANCHES) or any(map(is_conditional, form.values()))
    return isinstance(form, list) and any(map(is_conditional, form))


def _gather(form: Schema, schema: Json, value: Mapping[str, Json], shape: Shape, depth: int) -> None:
    said = whole(form, schema)
    if depth > DEEPEST:
        return
    for key, one in _mapping(said, "properties").items():
        before = shape.properties.get(key)
        is_more = isinstance(before, dict) and isinstance(one, dict)
        shape.properties[key] = {**(before or {}), **one} if is_more else one
    shape.required |= dict.fromkeys(_names(said.get("required")))
    shape.order += _names(said.get("x-order"))
    for one in said["allOf"] if isinstance(said.get("allOf"), list) else ():
        _gather(form, one, value, shape, depth + 1)
    if "if" in said:
        branch = "then" if fits(form, said["if"], value) else "else"
        _gather(form, said.get(branch), value, shape, depth + 1)
    for key, names in _mapping(said, "dependentRequired").items():
        shape.required |= dict.fromkeys(_names(names)) if key in value else {}
    for key, one in _mapping(said, "dependentSchemas").items():
        if key in value:
            _gather(form, one, value, shape, depth + 1)


def _mapping(schema: Schema, key: str) -> Mapping[str, Json]:
    found = schema.get(key)
    return found if isinstance(found, dict) else {}


def _names(found: Json) -> list[str]:
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []

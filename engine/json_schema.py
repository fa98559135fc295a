"""JSON Schema as far as definitions need it: is this a schema at all, and can what one step gives be taken by the next?

Both are about schemas, not about values; values are validated where they are.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from engine.catalogue import Json
from engine.templates import has_holes, join_path

Schema = Mapping[str, Json]

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
_COUNTS = ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties")
_NUMBERS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")


def schema_faults(schema: Json, field: str, root: Json = None) -> Iterator[tuple[str, str]]:
    """(path, what is wrong) of everything that keeps `schema` from being a JSON Schema."""
    root = schema if root is None else root
    if isinstance(schema, bool):
        return
    if not isinstance(schema, dict):
        yield field, "must be a JSON Schema: an object, true or false"
        return
    for key, value in schema.items():
        path = join_path(field, key)
        if key in _ONE:
            yield from schema_faults(value, path, root)
        elif key in _MANY:
            yield from _each(
                value.items() if isinstance(value, dict) else None, path, root, "an object of schemas"
            )
        elif key in _LISTS:
            yield from _each(
                enumerate(value) if isinstance(value, list) else None, path, root, "a list of schemas"
            )
        elif key in _KEYWORDS and (fault := _KEYWORDS[key](value, root)):
            yield path, fault


def clash(source: Schema, target: Schema) -> str | None:
    """Why no value of `source` can be one of `target`, as far as that is certain; None if it may be (R-014)."""
    return _clash(source, target, source, target, "", 0)


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


def _each(pairs: Any, path: str, root: Json, rule: str) -> Iterator[tuple[str, str]]:
    if pairs is None:
        yield path, f"must be {rule}"
        return
    for key, value in pairs:
        yield from schema_faults(
            value, f"{path}[{key}]" if isinstance(key, int) else join_path(path, key), root
        )


def _type_fault(value: Json, _root: Json) -> str | None:
    names = value if isinstance(value, list) else [value]
    if names and all(isinstance(name, str) and name in TYPES for name in names):
        return None
    return f"must be one of {', '.join(TYPES)}, or a list of them"


def _required_fault(value: Json, _root: Json) -> str | None:
    good = isinstance(value, list) and all(isinstance(name, str) for name in value)
    return None if good and len(set(value)) == len(value) else "must be a list of different property names"


def _dependent_fault(value: Json, _root: Json) -> str | None:
    good = isinstance(value, dict) and not any(_required_fault(names, _root) for names in value.values())
    return None if good else "must be an object of lists of different property names"


def _count_fault(value: Json, _root: Json) -> str | None:
    good = isinstance(value, int) and not isinstance(value, bool) and value >= 0
    return None if good else "must be a whole number, 0 or more"


def _number_fault(value: Json, _root: Json) -> str | None:
    return None if isinstance(value, int | float) and not isinstance(value, bool) else "must be a number"


def _enum_fault(value: Json, _root: Json) -> str | None:
    return None if isinstance(value, list) and value else "must be a list of at least one value"


def _pattern_fault(value: Json, _root: Json) -> str | None:
    if not isinstance(value, str):
        return "must be a regular expression"
    try:
        re.compile(value)
    except (re.error, RecursionError, OverflowError) as exc:
        return f"is no regular expression: {exc}"
    return None


def _ref_fault(value: Json, root: Json) -> str | None:
    if not isinstance(value, str) or not value.startswith("#"):
        return "must point into this schema, such as #/$defs/address"
    return None if resolved({"$ref": value}, root) is not None else f"points to {value}, which doesn't exist"


_KEYWORDS: Mapping[str, Callable[[Json, Json], str | None]] = {
    "type": _type_fault,
    "required": _required_fault,
    "dependentRequired": _dependent_fault,
    "enum": _enum_fault,
    "pattern": _pattern_fault,
    "$ref": _ref_fault,
    **dict.fromkeys(_COUNTS, _count_fault),
    **dict.fromkeys(_NUMBERS, _number_fault),
}


def any_properties(schema: Json, root: Json = None, depth: int = 0) -> dict[str, Json]:
    """Every property that an object may have, whatever its conditions say."""
    root = schema if root is None else root
    plain = resolved(schema, root)
    if not isinstance(plain, dict) or depth > 20:
        return {}
    own, all_of, dependent = (plain.get(key) for key in ("properties", "allOf", "dependentSchemas"))
    below = [plain.get("then"), plain.get("else")]
    below += all_of if isinstance(all_of, list) else []
    below += dependent.values() if isinstance(dependent, dict) else []
    deeper = {key: one for part in below for key, one in any_properties(part, root, depth + 1).items()}
    return deeper | (own if isinstance(own, dict) else {})


def resolved(schema: Json, root: Json) -> Json | None:
    """The schema behind `$ref`, at most a few hops away; None if there is none."""
    for _ in range(10):
        if not isinstance(schema, dict) or not isinstance(schema.get("$ref"), str):
            return schema if isinstance(schema, dict | bool) else None
        target = root
        for part in schema["$ref"].removeprefix("#").split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            target = target.get(key) if isinstance(target, dict) else None
        schema = target
    return None


def _clash(source: Json, target: Json, root: Json, target_root: Json, path: str, depth: int) -> str | None:
    source, target = resolved(source, root), resolved(target, target_root)
    if not isinstance(source, dict) or not isinstance(target, dict) or depth > 20:
        return None
    if options := _alternatives(target):
        return _all_clash([(source, one) for one in options], root, target_root, path, depth)
    if options := _alternatives(source):
        return _all_clash([(one, target) for one in options], root, target_root, path, depth)
    kinds, target_kinds = _types(source), _types(target)
    if kinds and target_kinds and not any(_fits(kind, target_kinds) for kind in kinds):
        where = f"`{path}`" if path else "its input"
        return f"{where} is {' or '.join(kinds)}, but must be {' or '.join(target_kinds)}"
    return _object_clash(source, target, root, target_root, path, depth)


def _all_clash(pairs: list[tuple[Json, Json]], root: Json, other: Json, path: str, depth: int) -> str | None:
    reasons = [_clash(source, target, root, other, path, depth + 1) for source, target in pairs]
    if any(reason is None for reason in reasons):
        return None
    # Of several alternatives the one for objects says most: it names the property.
    return next((reason for reason in reasons if reason and "`" in reason), reasons[0])


def _object_clash(
    source: Schema, target: Schema, root: Json, other: Json, path: str, depth: int
) -> str | None:
    if _types(source) != ["object"]:
        return None
    has, wants, required = source.get("properties"), target.get("properties"), target.get("required")
    has = has if isinstance(has, dict) else {}
    for name in required if isinstance(required, list) else ():
        if not isinstance(name, str):
            continue
        here = join_path(path, name)
        if name not in has:
            if source.get("additionalProperties") is False and not source.get("patternProperties"):
                return f"`{here}` is missing"
        elif isinstance(wants, dict) and (
            reason := _clash(has[name], wants.get(name), root, other, here, depth + 1)
        ):
            return reason
    return None


def _alternatives(schema: Schema) -> list[Json]:
    options = schema.get("anyOf") or schema.get("oneOf")
    return options if isinstance(options, list) else []


def _types(schema: Schema) -> list[str]:
    kinds = schema.get("type")
    return (
        [kinds]
        if isinstance(kinds, str)
        else [t for t in kinds if isinstance(t, str)]
        if isinstance(kinds, list)
        else []
    )


def _fits(kind: str, kinds: list[str]) -> bool:
    # A number that happens to be whole is an integer, so only its value could tell.
    return kind in kinds or {"integer": "number", "number": "integer"}.get(kind) in kinds

"""Pure: a small value that a JSON Schema takes, where nobody has said what a step would have given."""

from collections.abc import Mapping

from engine.catalogue import Json
from engine.errors import TooMuchWork
from engine.json_schema import pointed_to
from engine.work import VALUE_UNITS, Work
from workflows.limits import SPECIMEN_LEVELS

Schema = Mapping[str, Json]

_TEXTS = {
    "date-time": "2026-01-01T00:00:00Z",
    "date": "2026-01-01",
    "time": "00:00:00Z",
    "duration": "P1D",
    "email": "somebody@example.org",
    "uri": "https://example.org/",
    "uuid": "00000000-0000-7000-8000-000000000000",
}


def specimen(schema: Json) -> Json:
    """The smallest value that this schema takes, as far as it is easily found; an example in it comes first.

    Raises TooMuchWork where it refers to itself so often that there is no small one.
    """
    return _specimen(schema, _Root(schema), 0)


def answer_specimen(schema: Schema, field: str) -> Json:
    """As `specimen`, with the object `field` as somebody fills in a form.

    Each field of it has a value, except files, and boxes are ticked.
    """
    properties = _dict(schema.get("properties"))
    try:
        data = _specimen(properties.get(field), _Root(schema, is_answer=True), 0)
    except TooMuchWork:
        data = None
    if not isinstance(data, dict):
        return specimen(schema)
    required = [*_list(schema.get("required")), field]
    return specimen({**schema, "properties": {**properties, field: {"const": data}}, "required": required})


class _Root(Work):
    """The whole schema, and what may still be done."""

    __slots__ = ("is_answer", "schema")

    def __init__(self, schema: Json, *, is_answer: bool = False) -> None:
        super().__init__("the schema", VALUE_UNITS)
        self.schema = schema
        self.is_answer = is_answer


def _specimen(schema: Json, root: _Root, depth: int) -> Json:
    root.spend(10)
    if not isinstance(schema, dict) or depth > SPECIMEN_LEVELS:
        return None
    schema = _resolve(schema, root)
    for key in ("const", "default"):
        if key in schema:
            root.spend_on(schema[key])
            return schema[key]
    for key in ("examples", "enum"):
        if isinstance(schema.get(key), list) and schema[key]:
            root.spend_on(schema[key][0])
            return schema[key][0]
    for key in ("anyOf", "oneOf"):
        if isinstance(schema.get(key), list) and schema[key]:
            return _specimen(schema[key][0], root, depth + 1)
    return _of_type(schema, root, depth)


def _resolve(schema: Schema, root: _Root) -> dict[str, Json]:
    """The schema with what it refers to and all that must hold of it together, as far as they can be merged."""
    merged = dict(schema)
    reference = merged.pop("$ref", None)
    if isinstance(reference, str) and reference.startswith("#"):
        target = pointed_to(reference, root.schema)
        merged = {**(target if isinstance(target, dict) else {}), **merged}
    root.spend(len(merged))
    parts = merged.pop("allOf", None)
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, dict):
            properties = {**_dict(merged.get("properties")), **_dict(part.get("properties"))}
            required = [*_list(merged.get("required")), *_list(part.get("required"))]
            root.spend(len(properties) + len(required) + len(part) + len(merged))
            merged = {**part, **merged} | (
                {"properties": properties, "required": required} if properties else {}
            )
    return merged


def _of_type(schema: Schema, root: _Root, depth: int) -> Json:
    types = schema.get("type")
    kind = next(iter(types), None) if isinstance(types, list) else types
    match kind:
        case "object":
            return _object(schema, root, depth)
        case "array":
            least = _number(schema.get("minItems"))
            return [_specimen(schema.get("items"), root, depth + 1) for _ in range(min(int(least), 100))]
        case "string":
            text = _TEXTS.get(str(schema.get("format")), "")
            return text.ljust(min(int(_number(schema.get("minLength"))), 1000), "x")
        case "integer" | "number":
            return _least(schema)
        case "boolean":
            return root.is_answer
    return _object(schema, root, depth) if "properties" in schema else None


def _object(schema: Schema, root: _Root, depth: int) -> dict[str, Json]:
    properties = _dict(schema.get("properties"))
    required = [name for name in _list(schema.get("required")) if isinstance(name, str)]
    values = {name: _specimen(properties.get(name), root, depth + 1) for name in required}
    if root.is_answer:
        optional = (name for name in properties if name not in values and not _is_file(properties[name]))
        more = {name: _specimen(properties[name], root, depth + 1) for name in optional}
        values |= {name: value for name, value in more.items() if value is not None}
    return values


def _is_file(schema: Json) -> bool:
    return isinstance(schema, dict) and "file" in (
        schema.get("format"),
        _dict(schema.get("items")).get("format"),
    )


def _least(schema: Schema) -> int | float:
    if "minimum" in schema:
        return _number(schema["minimum"])
    if "exclusiveMinimum" in schema:
        return _number(schema["exclusiveMinimum"]) + 1
    most = schema.get("maximum")
    return most if isinstance(most, int | float) and not isinstance(most, bool) and most < 0 else 0


def _number(value: Json) -> int | float:
    return value if isinstance(value, int | float) and not isinstance(value, bool) else 0


def _dict(value: Json) -> dict[str, Json]:
    return value if isinstance(value, dict) else {}


def _list(value: Json) -> list[Json]:
    return value if isinstance(value, list) else []

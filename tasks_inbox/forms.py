"""A task's form as fields of a page, made from its JSON Schema, and read back from what was posted.

What has no field of its own is written as JSON. What was typed stands in its field again, whatever is wrong with it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import orjson

from lib.strict_json import BadJson, strict_loads

Json = Any
Schema = Mapping[str, Json]
Posted = Mapping[str, str]
Kind = Literal["text", "long", "date", "moment", "integer", "number", "flag", "choice", "json"]

LONG_TEXT = 200
MAX_TYPED_BYTES = 1024 * 1024
_FORMATS: dict[str, Kind] = {"date": "date", "date-time": "moment"}
_TEXTS = ("text", "long", "date", "moment")
_WHOLE = re.compile(r"[+-]?\d{1,16}")
_ABSENT = object()


@dataclass(slots=True)
class FormField:
    """One field; `key` is its property, None where the whole form is one JSON value. `text` is what stands in it."""

    key: str | None
    name: str
    id: str
    label: str
    help: str
    kind: Kind
    required: bool
    text: str = ""
    options: tuple[tuple[str, str], ...] = ()
    max_length: int | None = None
    error: str = ""
    needed_for: str = ""

    @property
    def path(self) -> str:
        """How faults name it."""
        return "data" if self.key is None else f"data.{self.key}"


def fields_of(form: Schema | None) -> list[FormField]:
    """The fields of a form, each with its default."""
    if form is None:
        return []
    properties = form.get("properties")
    if not isinstance(properties, dict) or not properties:
        return [FormField(None, "data", "data", "Your entries, as JSON", "", "json", False, text="{}")]
    # Stored JSON keeps no order of keys, but that of lists: what its author put in order, then what is required.
    required = [key for key in form.get("required", ()) if key in properties]
    ordered = form.get("x-order")
    chosen = [key for key in ordered if key in properties] if isinstance(ordered, list) else []
    keys = list(dict.fromkeys([*chosen, *required, *properties]))
    return [_field(place, key, properties[key], key in required) for place, key in enumerate(keys)]


def read(fields: Sequence[FormField], posted: Posted) -> dict[str, Json]:
    """The data that was posted; what can't be read is said at its field. Fields left empty are left out."""
    data: dict[str, Json] = {}
    for field in fields:
        field.text = posted.get(field.name, "").replace("\r\n", "\n").replace("\x00", "")
        value = _value(field)
        if value is _ABSENT:
            continue
        if field.key is not None:
            data[field.key] = value
        elif isinstance(value, dict):
            data = value
        else:
            field.error = "Write a JSON object: {…}."
    return data


def tell(fields: Sequence[FormField], faults: Iterable[Mapping[str, Json]]) -> list[str]:
    """Say each fault at its field, unless something is said there already; gives those that belong to no field."""
    rest = []
    by_length = sorted(fields, key=lambda field: len(field.path), reverse=True)
    for fault in faults:
        name, message = str(fault["field"]), str(fault["message"])
        field = next((one for one in by_length if _is_within(name, one.path)), None)
        if field is None:
            rest.append(message)
        elif not field.error:
            field.error = message
    return rest


def _is_within(name: str, path: str) -> bool:
    return name == path or (path != "data" and name.startswith((f"{path}.", f"{path}["))) or path == "data"


def _field(place: int, key: str, schema: Json, required: bool) -> FormField:
    described = schema if isinstance(schema, dict) else {}
    kind = _kind(described)
    options = (
        tuple((_json(value), _shown(value)) for value in described.get("enum", ()))
        if kind == "choice"
        else ()
    )
    made = FormField(
        key=key,
        name=f"data.{key}",
        id=f"field-{place}",
        label=str(described.get("title") or key.replace("_", " ").capitalize()),
        help=str(described.get("description") or ""),
        kind=kind,
        required=required and kind != "flag",
        options=options,
        max_length=described.get("maxLength") if kind in ("text", "long") else None,
    )
    default = described.get("default", _ABSENT)
    if default is not _ABSENT:
        plain = isinstance(default, str) and kind in _TEXTS
        made.text = default if plain else _json(default)
    return made


def _kind(described: Schema) -> Kind:
    if isinstance(described.get("enum"), list):
        return "choice"
    match described.get("type"):
        case "string" if described.get("format") in _FORMATS:
            return _FORMATS[described["format"]]
        case "string":
            return "long" if (described.get("maxLength") or 0) > LONG_TEXT else "text"
        case "integer":
            return "integer"
        case "number":
            return "number"
        case "boolean":
            return "flag"
    return "json"


def _value(field: FormField) -> Json:
    if field.kind == "flag":
        return field.text == "true"
    if field.kind in _TEXTS:
        return field.text or _ABSENT
    typed = field.text.strip()
    if not typed:
        return _ABSENT
    if field.kind == "integer" and not _WHOLE.fullmatch(typed):
        field.error = "Write a whole number, such as 12."
        return _ABSENT
    if field.kind == "integer":
        typed = str(int(typed))
    try:
        value = strict_loads(typed.encode(), max_bytes=MAX_TYPED_BYTES)
    except (BadJson, UnicodeEncodeError):
        field.error = "Write a number, such as 12.5." if field.kind == "number" else "This is no JSON."
        return _ABSENT
    if field.kind == "number" and type(value) not in (int, float):
        field.error = "Write a number, such as 12.5."
        return _ABSENT
    return value


def _json(value: Json) -> str:
    return orjson.dumps(value).decode()


def _shown(value: Json) -> str:
    return value if isinstance(value, str) else _json(value)

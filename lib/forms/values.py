"""Which kind of field a value has, how the value stands in it, and how it is read again; pure but for who reads it."""

import re
from collections.abc import Mapping

import orjson

from lib.forms.fields import FormField, Kind
from lib.forms.numbers import is_unclear, number_of
from lib.forms.shapes import Schema, whole
from lib.json import Json
from lib.reader import reader
from lib.strict_json import BadJson, strict_loads

ABSENT = object()
AS_JSON = ":json"
"""Ends the name of a field whose value can't stand in a field of its kind, and is written as JSON."""
LONG_TEXT = 200
DEEPEST = 4
"""What lies deeper is written as JSON."""
MAX_TYPED_BYTES = 1024 * 1024

_FORMATS: dict[str, Kind] = {
    "date": "date",
    "date-time": "moment",
    "time": "time",
    "file": "file",
    "person": "person",
}
TEXTS = ("text", "long", "date", "moment", "time", "file", "person")
NUMBERS = ("integer", "number", "money")
_WHOLE = re.compile(r"[+-]?\d{1,16}")
_MOST = 1e15
_WORDS = {
    "html": "HTML",
    "llm": "LLM",
    "url": "URL",
    "json": "JSON",
    "id": "ID",
    "http": "HTTP",
    "chars": "characters",
}


def kind_of(root: Schema, schema: Schema, depth: int, *, lines: bool) -> Kind:
    """The kind of the field of a value so described, as `whole` gives it; `lines`: texts are one on each line."""
    if offered(schema) is not None:
        return "choice"
    match schema.get("type"):
        case "string" if schema.get("format") in _FORMATS:
            return _FORMATS[schema["format"]]
        case "string":
            widget = "textarea" if (schema.get("maxLength") or 0) > LONG_TEXT else "text"
            # A hint is an author's of ours: in the schema of a task it would cut line breaks off.
            hint = schema.get("x-widget", widget) if lines else widget
            return "long" if hint == "textarea" else "text"
        case "integer":
            return "integer"
        case "number":
            is_money = schema.get("format") == "money" or "x-currency" in schema
            return "money" if is_money and not lines else "number"
        case "boolean":
            return "flag"
        case "object" if schema.get("properties") and depth < DEEPEST:
            return "group"
        case "array" if depth < DEEPEST:
            return _kind_of_list(root, schema, lines=lines)
    return "json"


def _kind_of_list(root: Schema, schema: Schema, *, lines: bool) -> Kind:
    items = items_of(root, schema)
    if items.get("nullable"):
        return "json"  # A row left empty is no value: it can't be the null of one.
    if items.get("type") == "object" and items.get("properties"):
        # In a strict form an object with a name alone must not become the text of it.
        return "rows" if lines or named_items(root, schema) is None else "json"
    kind = kind_of(root, items, DEEPEST, lines=lines)
    if kind == "choice":
        return "checks"
    if lines and kind in ("text", "long"):
        return "lines"
    return "rows" if kind in (*TEXTS, *NUMBERS) else "json"


def items_of(root: Schema, schema: Schema) -> Schema:
    """What each row of a list is; of a text or an object that is named so, the object."""
    items = whole(root, schema.get("items"))
    return named_items(root, schema) or items


def named_items(root: Schema, schema: Schema) -> Schema | None:
    """The objects of a list in which a text stands for an object with that `name` alone; None for another list."""
    options = whole(root, schema.get("items")).get("anyOf")
    wholes = [whole(root, one) for one in options] if isinstance(options, list) else []
    objects = [
        one for one in wholes if one.get("type") == "object" and "name" in (one.get("properties") or {})
    ]
    texts = [one for one in wholes if one.get("type") == "string"]
    return objects[0] if len(wholes) == 2 and objects and texts else None


def choices_of(root: Schema, schema: Schema) -> dict[str, Json]:
    """What the boxes of a list stand for, by its JSON."""
    return {json_of(value): value for value in offered(whole(root, schema.get("items"))) or ()}


def offered(schema: Schema) -> list[Json] | None:
    """What there is to choose from: an `enum`, or the `const` of each of `oneOf`; None where anything may be given."""
    values, parts = schema.get("enum"), schema.get("oneOf")
    if isinstance(values, list):
        return values
    return [part["const"] for part in parts] if isinstance(parts, list) and _are_choices(parts) else None


def titles_of(schema: Schema) -> dict[str, str]:
    """What the choices of `oneOf` are called, by their JSON."""
    parts = schema.get("oneOf")
    if "enum" in schema or not isinstance(parts, list) or not _are_choices(parts):
        return {}
    return {json_of(part["const"]): str(part["title"]) for part in parts if part.get("title")}


def _are_choices(parts: list[Json]) -> bool:
    keys = {"const", "title", "description"}
    return bool(parts) and all(
        isinstance(part, dict) and "const" in part and part.keys() <= keys for part in parts
    )


def label_of(name: str, title: Json = None) -> str:
    """What a property is called: its title, or its name in words, `strip_html` as Strip HTML."""
    if title:
        return str(title)
    words = [_WORDS.get(word, word) for word in name.split("_") if word]
    return " ".join([words[0][:1].upper() + words[0][1:], *words[1:]]) if words else name


def text_of(kind: Kind, value: Json, *, indent: bool = False) -> str:
    """How a value stands in its field; a text that can't be read as JSON, or as a number, as it was typed."""
    if isinstance(value, str) and (kind in (*TEXTS, *NUMBERS) or (kind == "json" and not _is_json(value))):
        return value
    if kind == "lines":
        return "\n".join(value)
    text = json_of(value, indent=indent and kind == "json")
    return f"{text}0" if kind == "number" and _reads_as_thousands(text) else text


def _reads_as_thousands(text: str) -> bool:
    """Whether 1.234 is more than a thousand to whoever reads it."""
    return is_unclear(text, reader().locale.group)


def value_of(field: FormField, *, is_open: bool) -> tuple[Json, str]:
    """What stands in a field, ABSENT for nothing, and what is wrong with it; an open one takes any text for a number.

    An open field also takes a text of nothing but spaces for nothing.
    """
    entry = field.text.strip()
    if field.kind == "flag":
        return field.text in ("true", "on"), ""
    if field.kind in TEXTS:
        return (field.text if (entry if is_open else field.text) else ABSENT), ""
    if not entry:
        return ABSENT, ""
    if field.kind == "lines":
        return [line.strip() for line in entry.splitlines() if line.strip()], ""
    if field.kind in NUMBERS and is_open:
        number = _any_number(entry)
        return (entry if number is None else number), ""
    if field.kind == "money":
        amount, error = number_of(entry, field.decimals)
        return (ABSENT if amount is None else amount), error
    return _strict_value(field.kind, entry)


def _strict_value(kind: Kind, entry: str) -> tuple[Json, str]:
    if kind == "number" and _reads_as_thousands(entry):
        return _as_written(entry)
    if kind == "integer" and not _WHOLE.fullmatch(entry):
        return ABSENT, "Write a whole number, such as 12."
    try:
        text = str(int(entry)) if kind == "integer" else entry
        value = strict_loads(text.encode(), max_bytes=MAX_TYPED_BYTES)
    except (BadJson, UnicodeEncodeError):
        return _as_written(entry) if kind == "number" else (ABSENT, "This is not valid JSON.")
    if kind == "number" and type(value) not in (int, float):
        return _as_written(entry)
    return value, ""


def _as_written(entry: str) -> tuple[Json, str]:
    """A number that is none of JSON, such as 12,5."""
    number, error = number_of(entry)
    return (ABSENT if number is None else number), error


def _any_number(entry: str) -> Json:
    """A number as people write it; None for anything else."""
    if re.fullmatch(r"[+-]?[0-9]{1,15}", entry, re.ASCII):
        return int(entry)
    if _reads_as_thousands(entry):
        return None
    try:
        number = float(entry.replace(",", "."))
    except ValueError:
        return None
    return number if abs(number) < _MOST else None


def json_of(value: Json, *, indent: bool = False) -> str:
    """A value as JSON, on several lines if it is to be edited so."""
    return orjson.dumps(value, option=orjson.OPT_INDENT_2 if indent else None).decode()


def words_of(value: Json) -> str:
    """A value of a choice for people: a text as it is, anything else as JSON."""
    return value if isinstance(value, str) else json_of(value)


def _is_json(text: str) -> bool:
    try:
        orjson.loads(text)
    except orjson.JSONDecodeError:
        return False
    return True


def can_stand(kind: Kind, value: Json, properties: Mapping[str, Json], *, is_open: bool) -> bool:
    """Whether a field of this kind can hold the value; a group, and each row, has these `properties`.

    An open form touches nothing that it doesn't show: there an object may have no others.
    """
    match kind:
        case "text" | "long" | "date" | "moment" | "time" | "file" | "person":
            return isinstance(value, str)
        case "integer" | "number" | "money":
            return isinstance(value, int | float | str) and not isinstance(value, bool)
        case "choice":
            return not is_open or isinstance(value, str)
        case "flag":
            return isinstance(value, bool)
        case "lines":
            return isinstance(value, list) and all(_is_line(item) for item in value)
        case "group":
            return isinstance(value, dict) and (not is_open or value.keys() <= properties.keys())
    return True


def _is_line(item: Json) -> bool:
    return isinstance(item, str) and item.splitlines() == [item.strip()]

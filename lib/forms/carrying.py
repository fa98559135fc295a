"""What comes into a form from elsewhere: values that a link names, and a whole value that was given before; pure."""

from collections.abc import Mapping, Sequence
from itertools import islice

from lib.api.errors import join
from lib.forms.build import MOST_ROWS, SETTLES
from lib.forms.fields import Form, FormField
from lib.forms.schema_forms import SchemaForms
from lib.forms.shapes import Schema
from lib.forms.values import json_of, words_of
from lib.json import JsonValue
from lib.strict_json import BadJson, strict_loads

_YES, _NO = frozenset({"true", "1", "yes", "on"}), frozenset({"false", "0", "no", "off", ""})
_MOST_JSON = 64 * 1024

Query = Mapping[str, Sequence[str]]


def typed_by_link(forms: SchemaForms, schema: Schema, query: Query) -> tuple[dict[str, str], list[str]]:
    """What is typed where a link names properties with their values, and the names that the form can't take.

    `customer.name` is within a group, `tags` may be there several times, `lines[0].item` is of a row.
    """
    typed: dict[str, str] = {}
    left = {_full_name(forms.root, name): (name, values) for name, values in query.items()}
    # What one value brings up may have a field for another.
    for _ in range(SETTLES):
        fields = {one.name: one for one in forms.form_of(schema, typed, fresh=True).each()}
        entries: dict[str, str] = {}
        for full, (_, values) in left.items():
            field = fields.get(full)
            entry = _row_of(fields, full) if field is None else _entry(field, values)
            entries |= {name: text for name, text in (entry or {}).items() if name not in typed}
        if not entries:
            break
        typed |= entries
    return typed, [name for full, (name, _) in left.items() if not _is_there(typed, full)]


def left_out(form: Form, data: JsonValue) -> list[str]:
    """Where a form that is filled with `data` has no field for what is in them; what is empty needs none."""
    fields = {name: one for one in form.each() for name in (one.place or one.name, one.name)}
    return [one.removeprefix(f"{form.root}.") or one for one in _left_out(fields, data, form.root)]


def _left_out(fields: Mapping[str, FormField], value: JsonValue, at: str) -> list[str]:
    field = fields.get(at)
    if (field is not None and field.kind not in ("group", "rows")) or _is_empty(value):
        return []
    if isinstance(value, dict):
        return [each for key, one in value.items() for each in _left_out(fields, one, join(at, key))]
    if isinstance(value, list) and field is not None:
        return [each for place, one in enumerate(value) for each in _left_out(fields, one, f"{at}[{place}]")]
    return [at]


def _is_empty(value: JsonValue) -> bool:
    return value is None or value is False or value in ("", [], {})


def _full_name(root: str, name: str) -> str:
    return name if name.startswith(f"{root}.") else f"{root}.{name}"


def _is_there(typed: Mapping[str, str], full: str) -> bool:
    return full in typed or any(name.startswith((f"{full}[", f"{full}:")) for name in typed)


def _row_of(fields: Mapping[str, FormField], full: str) -> dict[str, str] | None:
    """The row that has to be there first, if it is one of a list that may have it."""
    rows, _, rest = full.rpartition("[")
    place, _, _ = rest.partition("]")
    field = fields.get(rows)
    is_row = field is not None and field.kind == "rows" and place.isdecimal() and len(place) <= 3
    return {rows: "", f"{rows}[{place}]": ""} if is_row and int(place) < MOST_ROWS else None


def _entry(field: FormField, values: Sequence[str]) -> dict[str, str] | None:
    """What is typed into a field for the values of a link; None where it can't hold them."""
    last = values[-1] if values else ""
    match field.kind:
        case "group":
            return None
        case "rows" if field.is_plain:
            places = enumerate(islice(values, MOST_ROWS))
            return {field.name: "", **{f"{field.name}[{place}]": text for place, text in places}}
        case "rows":
            return None
        case "checks":
            boxes = {box.name: "true" for box in field.fields if box.label in values}
            return {field.name: "", **boxes} if len(boxes) == len(set(values)) else None
        case "choice":
            texts = [text for text, words in field.options if last in (text, words, _bare(text))]
            return {field.name: texts[0]} if texts else None
        case "flag":
            word = last.strip().lower()
            return {field.name: "true" if word in _YES else ""} if word in _YES | _NO else None
        case "json":
            return {field.name: _as_json(last)}
    return {field.name: last}


def _bare(text: str) -> str:
    """A choice as a link names it: its value, not its title, and without quotes."""
    return words_of(strict_loads(text.encode(), max_bytes=_MOST_JSON)) if text else ""


def _as_json(text: str) -> str:
    try:
        strict_loads(text.encode(), max_bytes=_MOST_JSON)
    except (BadJson, UnicodeEncodeError):
        return json_of(text.encode(errors="replace").decode())
    return text

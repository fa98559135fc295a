"""A task's form as fields of a page, made from its JSON Schema and what was typed, and what it holds then; pure.

A field stands there as long as the schema's conditions say so; objects are groups of fields, lists rows of them, or
boxes to check where there is what to choose from. What has no field of its own is written as JSON. What was typed
stands in its field again, whatever is wrong.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import orjson

from engine.catalogue import Json
from lib.api.errors import join
from lib.strict_json import BadJson, strict_loads
from tasks_inbox.forms.conditions import Shape, is_conditional, shape_of, whole
from tasks_inbox.forms.fields import ROOT, Form, FormField, Kind, each_of

Schema = Mapping[str, Json]
Typed = Mapping[str, str]

LONG_TEXT = 200
MAX_TYPED_BYTES = 1024 * 1024
MOST_ROWS = 100
"""So many are added on the page; what holds more is shown whole."""
DEEPEST = 4
"""What lies deeper is written as JSON."""
SETTLES = 8
"""After so many rounds conditions that contradict each other stay as they are."""
_FORMATS: dict[str, Kind] = {"date": "date", "date-time": "moment", "time": "time", "file": "file"}
_RAW = ("integer", "number", "json")
"""What was typed there and could not be read is kept as text."""
_TEXTS = ("text", "long", "date", "moment", "time", "file")
_PLAIN = (*_TEXTS, "integer", "number")
"""A list of these is a row for each."""
_WHOLE = re.compile(r"[+-]?\d{1,16}")
_FILE = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_PLACE = re.compile(r"\[(\d{1,6})\]")
_ABSENT = object()


def form_of(
    schema: Schema | None, typed: Typed | None = None, *, fresh: bool = False, lenient: bool = False
) -> Form:
    """The form with what was typed; None: with its defaults, which with `fresh` fields get that were not there, too.

    What can't be read is said at its field; with `lenient` it is in the data, as text. Fields left empty are left out.
    """
    return _made(schema, _Builder(schema or {}, typed, fresh, lenient))


def filled(schema: Schema | None, data: Json) -> Form:
    """The form with `data` in it, right or wrong, and without defaults."""
    form = _made(schema, _Builder(schema or {}, None, is_filled=True), data)
    shown = form.properties()
    texts = data.items() if isinstance(data, dict) and None not in shown else ()
    kept = [(f"{ROOT}.{key}", text) for key, text in texts if key not in shown and isinstance(text, str)]
    return replace(form, hidden=kept)


def _made(schema: Schema | None, builder: "_Builder", data: Json = _ABSENT) -> Form:
    if schema is None:
        return Form([], {}, [], False)
    if not shape_of(schema, schema, {}).properties:
        return builder.one_text(data)
    fields, read = builder.object(schema, ROOT, 0, data)
    shown = {one.name for one in each_of(fields)}
    kept = [
        (name, text)
        for name, text in (builder.typed or {}).items()
        if text and name.startswith("data.") and name not in shown
    ]
    has_rows = any(one.kind in ("rows", "file") for one in each_of(fields))
    return Form(fields, read, kept, has_rows or is_conditional(schema))


def edited(schema: Schema | None, typed: Typed, edit: str) -> Form:
    """The form after `add NAME`, one more of these rows, `drop NAME`, one row less, or `clear NAME`, which empties a
    field; another edit changes nothing.
    """
    verb, _, name = edit.partition(" ")
    rows, _, place = name.rpartition("[")
    if verb == "add":
        typed = {**typed, f"{name}[{max(_places(typed, name), default=-1) + 1}]": ""}
    elif verb == "drop" and _PLACE.fullmatch(f"[{place}"):
        typed = _without(typed, rows, int(place[:-1]))
    elif verb == "clear":
        typed = {**typed, name: ""}
    form = form_of(schema, typed, fresh=True)
    changed = next((one for one in form.each() if one.name in (name, rows) and one.kind == "rows"), None)
    if changed is not None:
        last = each_of(changed.rows[-1]) if verb == "add" and changed.rows else iter(())
        next((one for one in last if one.kind not in ("group", "rows")), changed).is_next = True
    for one in form.each():
        one.is_next = one.is_next or (verb == "clear" and one.name == name)
    return form


def _without(typed: Typed, rows: str, place: int) -> Typed:
    """What was typed without one row; those behind it move up."""
    left = {}
    for name, text in typed.items():
        at = _PLACE.match(name, len(rows)) if name.startswith(rows) else None
        if at is None or int(at[1]) < place:
            left[name] = text
        elif int(at[1]) > place:
            left[f"{rows}[{int(at[1]) - 1}]{name[at.end() :]}"] = text
    return left


def _places(typed: Typed, name: str) -> list[int]:
    """The places of the rows of which something was typed, in their order."""
    found = (_PLACE.match(one, len(name)) for one in typed if one.startswith(f"{name}["))
    return sorted({int(match[1]) for match in found if match})


@dataclass(frozen=True, slots=True)
class _Builder:
    """Makes fields of a form out of what was typed, or of what it `is_filled` with."""

    form: Schema
    typed: Typed | None
    fresh: bool = False
    lenient: bool = False
    is_filled: bool = False

    def object(
        self, schema: Json, at: str, depth: int, default: Json = _ABSENT
    ) -> tuple[list[FormField], dict[str, Json]]:
        """The fields of an object and what it holds: as many rounds as its conditions need to settle."""
        said = whole(self.form, schema)
        always = said.get("properties")
        shape = shape_of(self.form, schema, {})
        made = self._fields(shape, always or {}, at, depth, default)
        for _ in range(SETTLES):
            again = shape_of(self.form, schema, made[1])
            if again == shape:
                break
            shape, made = again, self._fields(again, always or {}, at, depth, default)
        return made

    def _fields(
        self, shape: Shape, always: Mapping[str, Json], at: str, depth: int, default: Json
    ) -> tuple[list[FormField], dict[str, Json]]:
        fields: list[FormField] = []
        data: dict[str, Json] = {}
        for key in shape.keys():  # noqa: SIM118 - in their order
            given = default.get(key, _ABSENT) if isinstance(default, dict) else _ABSENT
            here = join(at, key)
            made, value = self._field(key, shape.properties[key], here, key in shape.required, depth, given)
            if key not in always and self.typed is not None and not self._was_there(here):
                made.is_new = True
            fields.append(made)
            if value is not _ABSENT:
                data[key] = value
        return fields, data

    def _field(
        self, key: str, schema: Json, at: str, required: bool, depth: int, given: Json
    ) -> tuple[FormField, Json]:
        described = whole(self.form, schema)
        kind = _kind(self.form, described, depth)
        label = str(described.get("title") or key.replace("_", " ").capitalize())
        made = FormField(
            key, at, label, str(described.get("description") or ""), kind, required and kind != "flag"
        )
        default = described.get("default", _ABSENT) if given is _ABSENT and not self.is_filled else given
        if kind == "group":
            made.fields, value = self.object(described, at, depth + 1, default)
            holds = any(one is not False for one in value.values())
            return made, value if required or holds else _ABSENT
        if kind == "rows":
            return made, self._rows(made, described, at, depth, default)
        if kind == "checks" and self._fits_boxes(described, at, default):
            return made, self._checks(made, described, default)
        if kind == "checks":
            made.kind = kind = "json"
        if kind == "choice":
            made.options = tuple((_json(value), _shown(value)) for value in described.get("enum", ()))
        if kind == "file":
            accept, most = described.get("x-accept"), described.get("x-max-bytes")
            made.accept = tuple(map(str, accept)) if isinstance(accept, list) else ()
            made.max_bytes = most if type(most) is int else None
        made.max_length = described.get("maxLength") if kind in ("text", "long") else None
        made.text = self._text(at, kind, default)
        return made, self._value(made)

    def _value(self, made: FormField) -> Json:
        value = _value(made)
        return made.text if made.error and self.lenient else value

    def one_text(self, data: Json) -> Form:
        """A form of which nothing is known: its data as JSON."""
        made = FormField(None, ROOT, "Your entries, as JSON", "", "json", False)
        made.text = self._text(ROOT, "json", {} if data is _ABSENT else data)
        value = self._value(made)
        if isinstance(value, dict):
            return Form([made], value, [], False)
        if value is not _ABSENT and not made.error:
            made.error = "Write a JSON object: {…}."
        return Form([made], {}, [], False)

    def _rows(self, made: FormField, described: Schema, at: str, depth: int, default: Json) -> Json:
        least, most = described.get("minItems") or 0, described.get("maxItems")
        given = default if isinstance(default, list) else []
        made.is_plain = whole(self.form, described["items"]).get("type") != "object"
        if self.is_filled:
            least = 0
        if self.typed is None or (self.fresh and not self._was_there(at)):
            places = list(range(max(least, len(given))))
        else:
            places, given = _places(self.typed, at), []
        data: list[Json] = []
        for place in places:
            row_default = given[place] if place < len(given) else _ABSENT
            here = f"{at}[{place}]"
            if made.is_plain:
                one, value = self._field(str(place), described["items"], here, True, depth + 1, row_default)
                one.key, one.label, fields = None, f"{made.label} {place + 1}", [one]
                # What is left empty is no value: those behind it stand further up in the data.
                one.told_as = None if value is _ABSENT else f"{at}[{len(data)}]"
            else:
                fields, value = self.object(described["items"], here, depth + 1, row_default)
            made.rows.append(fields)
            data += [] if value is _ABSENT else [value]
        made.may_add = len(made.rows) < (MOST_ROWS if most is None else min(most, MOST_ROWS))
        return data if data or (made.required and not least) else _ABSENT

    def _fits_boxes(self, described: Schema, at: str, default: Json) -> bool:
        """Whether boxes can hold what is there: a list of different values of theirs, not typed as JSON."""
        if self.typed is not None and (at in self.typed or not self.fresh):
            return not self.typed.get(at)
        if default is _ABSENT:
            return True
        values = list(map(_json, default)) if isinstance(default, list) else [""]
        return len(set(values)) == len(values) and set(values) <= set(_choices(self.form, described))

    def _checks(self, made: FormField, described: Schema, default: Json) -> Json:
        was_there = self.typed is not None and (made.name in self.typed or not self.fresh)
        given = list(map(_json, default)) if isinstance(default, list) else []
        data: list[Json] = []
        for place, (text, value) in enumerate(_choices(self.form, described).items()):
            box = FormField(None, f"{made.name}[{place}]", _shown(value), "", "flag", False, told_as=None)
            is_checked = (self.typed or {}).get(box.name) == "true" if was_there else text in given
            box.text = "true" if is_checked else ""
            made.fields.append(box)
            data += [value] if is_checked else []
        return data if data or (made.required and not described.get("minItems")) else _ABSENT

    def _text(self, name: str, kind: Kind, default: Json) -> str:
        if self.typed is not None and (name in self.typed or not self.fresh):
            text = self.typed.get(name, "").replace("\r\n", "\n").replace("\x00", "")
            return "" if kind == "file" and not _FILE.fullmatch(text) else text
        if default is _ABSENT:
            return ""
        is_raw = isinstance(default, str) and (kind in _TEXTS or (self.is_filled and kind in _RAW))
        return default if is_raw else _json(default)

    def _was_there(self, name: str) -> bool:
        typed = self.typed or {}
        return name in typed or any(one.startswith((f"{name}.", f"{name}[")) for one in typed)


def _kind(form: Schema, described: Schema, depth: int) -> Kind:
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
        case "object" if described.get("properties") and depth < DEEPEST:
            return "group"
        case "array" if depth < DEEPEST:
            items = whole(form, described.get("items"))
            if items.get("type") == "object" and items.get("properties"):
                return "rows"
            of = _kind(form, items, DEEPEST)
            return "checks" if of == "choice" else "rows" if of in _PLAIN else "json"
    return "json"


def _choices(form: Schema, described: Schema) -> dict[str, Json]:
    """What the boxes of a list stand for, by its JSON."""
    return {_json(value): value for value in whole(form, described.get("items")).get("enum", ())}


def _value(made: FormField) -> Json:
    if made.kind == "flag":
        return made.text == "true"
    if made.kind in _TEXTS:
        return made.text or _ABSENT
    typed = made.text.strip()
    if not typed:
        return _ABSENT
    if made.kind == "integer" and not _WHOLE.fullmatch(typed):
        made.error = "Write a whole number, such as 12."
        return _ABSENT
    if made.kind == "integer":
        typed = str(int(typed))
    try:
        value = strict_loads(typed.encode(), max_bytes=MAX_TYPED_BYTES)
    except (BadJson, UnicodeEncodeError):
        made.error = "Write a number, such as 12.5." if made.kind == "number" else "This is no JSON."
        return _ABSENT
    if made.kind == "number" and type(value) not in (int, float):
        made.error = "Write a number, such as 12.5."
        return _ABSENT
    return value


def _json(value: Json) -> str:
    return orjson.dumps(value).decode()


def _shown(value: Json) -> str:
    return value if isinstance(value, str) else _json(value)

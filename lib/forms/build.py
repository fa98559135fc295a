"""The fields of a form, made of a JSON Schema and what was typed or is in them, and the data that they hold; pure.

A field stands there as long as the schema's conditions say so; objects are groups of fields, lists rows of them, or
boxes to check where there is what to choose from. What has no field of its own is written as JSON. What was typed
stands in its field again, whatever is wrong.
"""

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from zoneinfo import ZoneInfo

from lib.api.errors import join
from lib.forms import moments
from lib.forms.fields import FormField
from lib.forms.numbers import amount_text, decimals_of
from lib.forms.people import People, username_of
from lib.forms.shapes import Fits, Schema, Shape, shape_of, whole
from lib.forms.values import (
    ABSENT,
    AS_JSON,
    NUMBERS,
    TEXTS,
    can_stand,
    choices_of,
    items_of,
    json_of,
    kind_of,
    label_of,
    named_items,
    offered,
    text_of,
    titles_of,
    value_of,
    words_of,
)
from lib.json import Json
from lib.reader import reader
from lib.refusals import TooMuchWork
from lib.strict_json import same

Typed = Mapping[str, str]

MOST_ROWS = 100
"""So many are added on the page; what holds more is shown whole."""
MOST_UNITS = 50_000
"""So many fields without a value a form may have, however often conditions make it again."""
SETTLES = 8
"""After so many rounds conditions that contradict each other stay as they are."""
_FILE = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
PLACE = re.compile(r"\[(\d{1,6})\]")


_CUT = re.compile(r"[.\[:]")
LONGEST_NAME = 1000
"""A longer name is of no field."""


class Entries:
    """Which names something was typed into, with all that these lie in, and the places of rows: found at one go."""

    def __init__(self, typed: Typed) -> None:
        self._names: set[str] = set()
        self._places: dict[str, set[int]] = {}
        for name in typed:
            if len(name) > LONGEST_NAME:
                continue
            self._names.add(name)
            for cut in _CUT.finditer(name):
                self._names.add(before := name[: cut.start()])
                if place := PLACE.match(name, cut.start()):
                    self._places.setdefault(before, set()).add(int(place[1]))

    def __contains__(self, name: str) -> bool:
        return name in self._names

    def places(self, name: str) -> list[int]:
        """The places of the rows of which something was typed, in their order."""
        return sorted(self._places.get(name, ()))


@dataclass(frozen=True, slots=True)
class Builder:
    """Makes fields of `schema` out of what was `typed`, or of what they are `is_filled` with.

    With `fresh` fields that were not there get their defaults, too. What can't be read is said at its field; with
    `lenient` it is in the data, as text. In a form that `is_open` a value may be a template or wrong, for others to
    judge: any text stays, and what equals its default is left out unless it was there before.

    `zone`: that of the clock by which moments are typed and shown; None: they have their zone with them. `people`:
    those whom a field may name; None: a text is a username already.
    """

    schema: Schema
    fits: Fits
    is_open: bool
    typed: Typed | None
    fresh: bool = False
    lenient: bool = False
    is_filled: bool = False
    zone: ZoneInfo | None = None
    people: People | None = None
    entries: Entries = field(init=False, compare=False)
    made: Counter[str] = field(default_factory=Counter, init=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "entries", Entries(self.typed or {}))

    def object(
        self, schema: Json, at: str, depth: int, value: Json = ABSENT
    ) -> tuple[list[FormField], dict[str, Json]]:
        """The fields of an object and what it holds: as many rounds as its conditions need to settle."""
        always = whole(self.schema, schema).get("properties") or {}
        shape = shape_of(self.schema, schema, {}, self.fits)
        fields, data = self._fields(shape, always, at, depth, value)
        for _ in range(SETTLES):
            next_shape = shape_of(self.schema, schema, data, self.fits)
            if next_shape == shape:
                break
            shape = next_shape
            fields, data = self._fields(shape, always, at, depth, value)
        return fields, data

    @property
    def _decimal(self) -> str:
        return "." if self.is_open else reader().locale.decimal

    def text(self, name: str, kind: Json, value: Json) -> str:
        """What stands in a field: what was typed, or its value."""
        if self.typed is not None and (name in self.typed or not self.fresh):
            text = self.typed.get(name, "").replace("\r\n", "\n").replace("\x00", "")
            return "" if kind == "file" and not _FILE.fullmatch(text) else text
        if value is ABSENT or (value is None and (self.is_open or kind != "json")):
            return ""
        if isinstance(value, str) and kind in ("integer", "number", "json") and not self.is_filled:
            return json_of(value)
        return text_of(kind, value, indent=self.is_open)

    def read(self, field: FormField) -> Json:
        """The value of a field, ABSENT for none; says at the field what is wrong with it."""
        value, error = value_of(field, is_open=self.is_open)
        if error and self.is_open:
            return field.text
        field.error = error
        return field.text if error and self.lenient else value

    def _fields(
        self, shape: Shape, always: Mapping[str, Json], at: str, depth: int, value: Json
    ) -> tuple[list[FormField], dict[str, Json]]:
        fields: list[FormField] = []
        data: dict[str, Json] = {}
        for key in shape.keys():  # noqa: SIM118 - in their order
            part = value.get(key, ABSENT) if isinstance(value, dict) else ABSENT
            here = join(at, key)
            field, content = self._field(key, shape.properties[key], here, key in shape.required, depth, part)
            if key not in always and self.typed is not None and not self._is_typed(here):
                field.is_new = True
            fields.append(field)
            if content is not ABSENT:
                data[key] = content
        return fields, data

    def _field(
        self, key: str, schema: Json, at: str, required: bool, depth: int, before: Json
    ) -> tuple[FormField, Json]:
        schema = whole(self.schema, schema)
        if before is ABSENT and not (self.typed and self._is_typed(at)):
            self._count(1 + len(schema) // 10)
        default = schema.get("default", ABSENT)
        initial = default if before is ABSENT and (self.is_open or not self.is_filled) else before
        field = self._blank(key, schema, at, required, depth)
        if field.kind != "json" and self._is_json(field, schema, initial):
            field.kind, field.name, field.place = "json", f"{at}{AS_JSON}", at
        value = self._fill(field, schema, depth, initial)
        field.is_optional = not required and not (self.is_open and field.text)
        if value is ABSENT and (before is None or (required and not self.is_open and schema.get("nullable"))):
            return field, None
        # A box without a default that nobody checked says nothing.
        usual = False if default is ABSENT and not required else default
        is_usual = self.is_open and before is ABSENT and same(value, usual)
        return field, ABSENT if is_usual else value

    def _count(self, units: int) -> None:
        """A schema that refers to itself has as many fields as there are ways through it. Raises TooMuchWork."""
        self.made["units"] += units
        if self.made["units"] > MOST_UNITS:
            raise TooMuchWork(
                "form", MOST_UNITS, "The form has too many fields: its schema refers to itself too often."
            )

    def _blank(self, key: str, schema: Schema, at: str, required: bool, depth: int) -> FormField:
        title = schema.get("title")
        if self.is_open and title == key.replace("_", " ").title():
            title = None  # Pydantic's, not an author's.
        kind = kind_of(self.schema, schema, depth, lines=self.is_open)
        about = str(schema.get("description") or "")
        field = FormField(key, at, label_of(key, title), about, kind, required and kind != "flag")
        if kind == "file":
            accept, most = schema.get("x-accept"), schema.get("x-max-bytes")
            field.accept = tuple(map(str, accept)) if isinstance(accept, list) else ()
            field.max_bytes = most if type(most) is int else None
        if kind == "money":
            field.unit = str(schema.get("x-currency") or "")
            field.decimals = decimals_of(field.unit.upper())
        field.max_length = schema.get("maxLength") if kind in ("text", "long") else None
        return field

    def _fill(self, field: FormField, schema: Schema, depth: int, initial: Json) -> Json:
        """What a field holds, after it was filled."""
        match field.kind:
            case "group":
                field.fields, value = self.object(schema, field.name, depth + 1, initial)
                has_value = any(part is not False for part in value.values())
                return value if field.required or has_value else ABSENT
            case "rows":
                return self._rows(field, schema, depth, initial)
            case "checks":
                return self._checks(field, schema, initial)
        is_null = initial is None and field.kind == "choice" and None in (offered(schema) or ())
        if field.kind == "money":
            amount = amount_text(initial, field.decimals)
            # As its reader writes it, since that is how it is typed.
            initial = initial if amount is None else amount.replace(".", self._decimal)
        field.text = self.text(field.name, "json" if is_null and not self.is_open else field.kind, initial)
        if field.kind in ("moment", "time") and self.zone is not None:
            field.text = moments.kept(field.kind, field.text, self.zone)
            field.local = moments.shown(field.kind, field.text, self.zone)
        if field.kind == "choice":
            options = {json_of(value): words_of(value) for value in offered(schema) or ()} | titles_of(schema)
            # What was chosen although it is none of them.
            other = {field.text: words_of(initial)} if self.is_open and field.text and self.is_filled else {}
            field.options = tuple((other | options).items())
        if field.kind == "person" and self.people is not None and field.text.strip():
            username, field.error = username_of(field.text.strip(), self.people)
            if username is None:
                return field.text if self.lenient else ABSENT
            field.text = username
        return self.read(field)

    def _rows(self, field: FormField, schema: Schema, depth: int, initial: Json) -> Json:
        least, most = schema.get("minItems") or 0, schema.get("maxItems")
        values = initial if isinstance(initial, list) else []
        items = items_of(self.schema, schema)
        by_name = named_items(self.schema, schema) is not None
        field.is_plain = items.get("type") != "object"
        if self.typed is None or (self.fresh and not self._is_typed(field.name)):
            # In an open form an empty row, to write the next one in, also where no script runs.
            least = 0 if self.is_filled else least
            places = list(range(len(values) + 1 if self.is_open else max(least, len(values))))
        else:
            places, values = self.entries.places(field.name), values if self.is_open else []
        data: list[Json] = []
        for place in places:
            part = values[place] if place < len(values) else ABSENT
            value = self._row(field, items, place, depth, part, len(data))
            if by_name and isinstance(value, dict) and value.keys() == {"name"}:
                value = value["name"]
            data += [] if value is ABSENT else [value]
        field.may_add = len(field.rows) < (MOST_ROWS if most is None else min(most, MOST_ROWS))
        return data if data or (field.required and not least and not self.is_open) else ABSENT

    def _row(self, field: FormField, items: Schema, place: int, depth: int, part: Json, at: int) -> Json:
        """What one more row holds, which is `at` this place of the data."""
        here = f"{field.name}[{place}]"
        if field.is_plain:
            one, value = self._field(str(place), items, here, True, depth + 1, part)
            one.key, one.label = None, f"{field.label} {place + 1}"
            # What is left empty is no value: those behind it stand further up in the data.
            one.place = None if value is ABSENT else f"{field.name}[{at}]"
            field.rows.append([one])
            return value
        whole_row = {"name": part} if isinstance(part, str) else part
        fields, value = self.object(items, here, depth + 1, whole_row)
        field.rows.append(fields)
        is_empty = self.is_open and all(one is False for one in value.values())
        return ABSENT if is_empty else value

    def _is_json(self, field: FormField, schema: Schema, initial: Json) -> bool:
        """Whether a field's value is written as JSON, because it is none that can stand in the field."""
        if self.typed is not None and (not self.fresh or self._is_typed(field.name)):
            return f"{field.name}{AS_JSON}" in self.typed
        if initial is ABSENT or (initial is None and (self.is_open or self._is_empty_null(field, schema))):
            return False
        if field.kind == "money" and not isinstance(initial, str):
            return amount_text(initial, field.decimals) is None
        if field.kind == "checks":
            values = list(map(json_of, initial)) if isinstance(initial, list) else [""]
            return len(set(values)) < len(values) or not set(values) <= set(choices_of(self.schema, schema))
        if field.kind == "rows":
            return not isinstance(initial, list) or not all(self._is_row(schema, part) for part in initial)
        shape = shape_of(self.schema, schema, initial, self.fits) if isinstance(initial, dict) else Shape()
        return not can_stand(field.kind, initial, shape.properties, is_open=self.is_open)

    def _is_empty_null(self, field: FormField, schema: Schema) -> bool:
        """Whether the field left empty, or a choice of it, stands for null."""
        if field.kind == "choice":
            return bool(schema.get("nullable")) or None in (offered(schema) or ())
        return bool(schema.get("nullable")) and field.kind in (*TEXTS, *NUMBERS)

    def _is_row(self, schema: Schema, part: Json) -> bool:
        items = items_of(self.schema, schema)
        if items.get("type") != "object":
            return True
        if not isinstance(part, dict):
            return isinstance(part, str) and named_items(self.schema, schema) is not None
        shape = shape_of(self.schema, items, part, self.fits)
        return can_stand("group", part, shape.properties, is_open=self.is_open)

    def _checks(self, field: FormField, schema: Schema, initial: Json) -> Json:
        is_typed = self.typed is not None and (field.name in self.typed or not self.fresh)
        values = list(map(json_of, initial)) if isinstance(initial, list) else []
        data: list[Json] = []
        titles = titles_of(items_of(self.schema, schema))
        for place, (text, value) in enumerate(choices_of(self.schema, schema).items()):
            name = f"{field.name}[{place}]"
            is_checked = (self.typed or {}).get(name) == "true" if is_typed else text in values
            box = FormField(
                None, name, titles.get(text, words_of(value)), "", "flag", False, "true" if is_checked else ""
            )
            box.place = None
            field.fields.append(box)
            data += [value] if is_checked else []
        return data if data or (field.required and not schema.get("minItems")) else ABSENT

    def _is_typed(self, name: str) -> bool:
        return name in self.entries

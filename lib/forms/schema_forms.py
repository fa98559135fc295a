"""A JSON Schema as a form of a page, and what was typed there as data: one engine for every form made of a schema.

The page shows `Form` by `templates/forms/_field.html`. Whether the data are right says the schema's own validator;
`Form.show` puts what it says at the fields.
"""

from dataclasses import dataclass, replace
from typing import Any

from lib.forms.build import PLACE, Builder, Entries, Typed
from lib.forms.fields import Form, FormField, each_of
from lib.forms.moments import zone_named
from lib.forms.people import People
from lib.forms.shapes import Fits, Schema, is_conditional, shape_of
from lib.forms.values import ABSENT
from lib.json import Json

_HOLDERS = ("group", "rows", "checks")
"""Kinds of fields that hold others, of which the first one is filled in."""


@dataclass(frozen=True, slots=True)
class SchemaForms:
    """The forms of one sort. `fits` judges their conditions as the data are judged; `root` begins their fields' names.

    In a form that `is_open` a value may also be a template, or wrong: others judge it, later. `ROOT:zone` names the
    zone by whose clock moments are typed: the reader's, or the browser's, told by a script.
    """

    fits: Fits
    root: str = "data"
    is_open: bool = False

    def form_of(
        self,
        schema: Schema | None,
        typed: Typed | None = None,
        *,
        before: Json = ABSENT,
        fresh: bool = False,
        lenient: bool = False,
        people: People | None = None,
    ) -> Form:
        """The form with what was typed; None: with its defaults.

        With `fresh` fields that were not there get theirs, too. What can't be read is said at its field; with `lenient`
        it is in the data, as text. Fields left empty are left out. `before`: what an open form held before.
        `people`: those whom a field may name; None: a text is a username already.
        """
        zone = zone_named((typed or {}).get(f"{self.root}:zone", ""))
        builder = self._builder(schema, typed=typed, fresh=fresh, lenient=lenient, zone=zone, people=people)
        return self._form(schema, builder, before)

    def filled(self, schema: Schema | None, data: Json) -> Form:
        """The form with `data` in it, right or wrong; defaults are shown only if it is open."""
        builder = self._builder(schema, typed=None, is_filled=True, zone=zone_named(""))
        form = self._form(schema, builder, data)
        names = form.properties()
        texts = data.items() if isinstance(data, dict) and None not in names else ()
        hidden = [
            (f"{self.root}.{key}", text) for key, text in texts if key not in names and isinstance(text, str)
        ]
        return replace(form, hidden=hidden)

    def edited(self, schema: Schema | None, typed: Typed, edit: str, *, people: People | None = None) -> Form:
        """The form after `add NAME`, one more of these rows, `drop NAME`, one row less, `clear NAME`, emptied.

        Another edit changes nothing.
        """
        verb, _, name = edit.partition(" ")
        rows, _, place = name.rpartition("[")
        dropped = int(place[:-1]) if verb == "drop" and PLACE.fullmatch(f"[{place}") else None
        if verb == "add":
            typed = {**typed, f"{name}[{max(Entries(typed).places(name), default=-1) + 1}]": ""}
        elif dropped is not None:
            typed = _without(typed, rows, dropped)
        elif verb == "clear":
            typed = {**typed, name: ""}
        form = self.form_of(schema, typed, fresh=True, people=people)
        rows_field = next(
            (one for one in form.each() if one.name in (name, rows) and one.kind == "rows"), None
        )
        if rows_field is not None:
            if dropped is not None and dropped < len(rows_field.rows):
                rows_field.next_drop = dropped
                return form
            last = each_of(rows_field.rows[-1]) if verb == "add" and rows_field.rows else iter(())
            next((one for one in last if one.kind not in _HOLDERS), rows_field).is_next = True
        for one in form.each():
            one.is_next = one.is_next or (verb == "clear" and one.name == name)
        return form

    def _builder(self, schema: Schema | None, **how: Any) -> Builder:
        return Builder(schema or {}, self.fits, self.is_open, **how)

    def _form(self, schema: Schema | None, builder: Builder, data: Json) -> Form:
        if schema is None:
            return Form([], {}, [], False, self.root)
        if not shape_of(schema, schema, {}, self.fits).properties:
            return self._one_text(builder, data)
        fields, content = builder.object(schema, self.root, 0, data)
        names = {one.name for one in each_of(fields)}
        hidden = [
            (name, text)
            for name, text in (builder.typed or {}).items()
            if text and name.startswith(f"{self.root}.") and name not in names
        ]
        is_live = is_conditional(schema) or any(one.kind in ("rows", "file") for one in each_of(fields))
        zone = builder.zone.key if builder.zone else ""
        return Form(fields, content, hidden, is_live, self.root, zone)

    def _one_text(self, builder: Builder, data: Json) -> Form:
        """A form of which nothing is known: its data as JSON, unless it is open, and has none."""
        if self.is_open:
            return Form([], {}, [], False, self.root)
        field = FormField(None, self.root, "Your entries, as JSON", "", "json", False)
        field.text = builder.text(self.root, "json", {} if data is ABSENT else data)
        value = builder.read(field)
        if isinstance(value, dict):
            return Form([field], value, [], False, self.root)
        if value is not ABSENT and not field.error:
            field.error = "Write a JSON object: {…}."
        return Form([field], {}, [], False, self.root)


def _without(typed: Typed, rows: str, place: int) -> Typed:
    """What was typed without one row; those behind it move up."""
    rest = {}
    for name, text in typed.items():
        at = PLACE.match(name, len(rows)) if name.startswith(rows) else None
        if at is None or int(at[1]) < place:
            rest[name] = text
        elif int(at[1]) > place:
            rest[f"{rows}[{int(at[1]) - 1}]{name[at.end() :]}"] = text
    return rest

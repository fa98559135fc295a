"""Forms for values that people give by hand whose schema is what expressions read (`engine.fields_read`).

A value of which no type is known has a field for a text: what is JSON there is that value, anything else is the text.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from engine.catalogue import Json
from lib.api.errors import join
from lib.forms.build import Typed
from lib.forms.carrying import left_out
from lib.forms.fields import Form
from lib.forms.schema_forms import SchemaForms
from lib.forms.values import MAX_TYPED_BYTES, json_of
from lib.strict_json import BadJson, strict_loads
from steps.schema import problems_of
from workflows.limits import START_FORM_PROBLEMS

_ANY = {"type": "string", "description": "A text, a number, true, false, or JSON."}
Schema = Mapping[str, Json]


def blank(forms: SchemaForms, schema: Schema) -> Form:
    """The form with nothing in it but defaults."""
    return forms.form_of(_shown(schema))


def typed(forms: SchemaForms, schema: Schema, entries: Typed) -> tuple[Form, list[str]]:
    """The form with what was typed, all that is wrong at its fields, and what is wrong with no field."""
    form = forms.form_of(_shown(schema), entries, lenient=True)
    form = replace(form, data=_mapped(schema, form.data, _read))
    problems = problems_of(schema, form.data, most=START_FORM_PROBLEMS)
    return form, form.show(
        {"field": field_of(forms.root, path), "message": message} for path, message in problems
    )


def filled(forms: SchemaForms, schema: Schema, data: Json) -> Form | None:
    """The form with this value in it; None where it has no field for something in it."""
    if not isinstance(data, dict):
        return None
    texts = _mapped(schema, data, _written)
    form = forms.filled(_shown(schema), texts)
    return None if left_out(form, texts) else form


def field_of(root: str, path: Sequence[str | int]) -> str:
    """What the field of a place in a value is called."""
    name = root
    for part in path:
        name = f"{name}[{part}]" if isinstance(part, int) else join(name, part)
    return name


def _shown(schema: Json) -> Json:
    if schema == {}:
        return _ANY
    if not isinstance(schema, Mapping) or not isinstance(properties := schema.get("properties"), Mapping):
        return schema
    return {**schema, "properties": {key: _shown(one) for key, one in properties.items()}}


def _mapped(schema: Json, value: Json, convert: Callable[[Json], Json]) -> Json:
    """A value with what is of no known type converted."""
    if schema == {}:
        return convert(value)
    properties = schema.get("properties") if isinstance(schema, Mapping) else None
    if not isinstance(value, dict) or not isinstance(properties, Mapping):
        return value
    return {key: _mapped(properties.get(key), one, convert) for key, one in value.items()}


def _read(text: Json) -> Json:
    try:
        return strict_loads(str(text).encode(), max_bytes=MAX_TYPED_BYTES)
    except (BadJson, UnicodeEncodeError):
        return text


def _written(value: Json) -> Json:
    """The text that is read as this value again."""
    return value if isinstance(value, str) and _read(value) == value else json_of(value)

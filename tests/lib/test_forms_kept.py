"""What stands in a form and is not touched is sent as it was."""

import pytest

from lib.forms.schema_forms import SchemaForms
from steps.schema import fits

FORMS = SchemaForms(fits)


def typed_of(form):
    return {one.name: one.text for one in form.each() if one.kind != "group"}


NULLABLE_FLAG = {"type": ["boolean", "null"]}
NULLABLE_GROUP = {"anyOf": [{"type": "object", "properties": {"y": {"type": "string"}}}, {"type": "null"}]}
NULLABLE_ROWS = {"type": ["array", "null"], "items": {"type": "string"}}
OR_NULL = {"enum": ["a", None]}
NAMED = {
    "type": "array",
    "items": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {"name": {"type": "string"}}}]},
}


@pytest.mark.parametrize(
    ("described", "value"),
    [
        (NULLABLE_FLAG, None),
        (NULLABLE_GROUP, None),
        (NULLABLE_ROWS, None),
        (OR_NULL, None),
        (NAMED, [{"name": "b"}]),
    ],
    ids=["flag", "group", "rows", "choice", "named"],
)
def test_a_null_and_an_object_stay_what_they_are(described, value):
    schema = {"type": "object", "properties": {"x": described}, "required": ["x"]}
    assert FORMS.form_of(schema, typed_of(FORMS.filled(schema, {"x": value}))).data == {"x": value}


def test_a_problem_stands_at_the_field_that_is_written_as_json():
    schema = {"type": "object", "properties": {"x": {"type": "array", "items": {"enum": ["a", "b"]}}}}
    form = FORMS.form_of(schema, typed_of(FORMS.filled(schema, {"x": ["c"]})))
    assert form.show([{"field": "data.x[0]", "message": "not one of these"}]) == []
    assert [one.error for one in form.each()] == ["not one of these"]


def test_a_zero_of_an_open_form_stays():
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}}
    assert SchemaForms(fits, "p", is_open=True).form_of(schema, {"p.n": "0"}).data == {"n": 0}


def test_a_long_text_keeps_its_lines_whatever_hint_stands_in_its_schema():
    text = {"type": "string", "maxLength": 5000, "x-widget": "text"}
    (field,) = FORMS.form_of({"type": "object", "properties": {"x": text}}).fields
    assert field.kind == "long"

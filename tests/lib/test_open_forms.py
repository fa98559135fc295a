"""A form of params: a value may be a template, or wrong, and what nobody touched stays as it is."""

import pytest

from lib.forms.schema_forms import SchemaForms
from steps.schema import fits

OPEN = SchemaForms(fits, "params", is_open=True)
NAMED = {
    "properties": {
        "groups": {
            "type": "array",
            "items": {
                "anyOf": [
                    {"type": "string"},
                    {
                        "type": "object",
                        "properties": {
                            "name": {"type": "string"},
                            "size": {"type": "integer", "default": 2},
                            "open": {"type": "boolean"},
                        },
                        "required": ["name"],
                    },
                ]
            },
        },
        "at": {"type": "object", "properties": {"city": {"type": "string"}}},
    }
}


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"groups": ["a", {"name": "b", "size": 3, "open": True}]},
        {"groups": [{"name": "a", "more": 1}], "at": {"city": "Ulm", "more": 1}},
        {"groups": "{{ input.groups }}", "at": "{{ input.at }}"},
        {"groups": [{"name": ["x"], "size": "{{ 2 }}", "open": False}, 7]},
        {"at": {"city": 5}},
        {"at": [{"city": "Ulm"}]},
    ],
)
def test_an_open_form_that_nobody_touched_gives_back_what_it_was_filled_with(params):
    shown = OPEN.filled(NAMED, params)
    typed = {one.name: one.text for one in shown.each() if one.kind not in ("rows", "group")}
    assert OPEN.form_of(NAMED, typed, before=params).data == params


def test_an_open_form_has_an_empty_row_that_is_no_value():
    (groups, at) = OPEN.filled(NAMED, {"groups": ["a"]}).fields
    assert [one.text for (one, *_rest) in groups.rows] == ["a", ""]
    typed = {one.name: one.text for one in groups.rows[1]} | {"params.groups[0].name": "b"}
    assert OPEN.form_of(NAMED, typed).data == {"groups": ["b"]}
    assert [one.name for one in at.fields] == ["params.at.city"]


@pytest.mark.parametrize(
    ("kind", "default", "text"), [("number", 2.0, "2"), ("integer", 1, "1"), ("boolean", True, "on")]
)
def test_what_is_usual_in_an_open_form_is_left_out(kind, default, text):
    schema = {"properties": {"size": {"type": kind, "default": default}}}
    assert OPEN.form_of(schema, {"params.size": text}).data == {}


def test_a_flag_is_no_number_that_equals_its_default():
    schema = {"properties": {"size": {"default": 1}}}
    assert OPEN.form_of(schema, {"params.size": "true"}).data == {"size": True}

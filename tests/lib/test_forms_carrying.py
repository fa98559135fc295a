"""What comes into a form from a link, and what of a whole value has no field in it."""

import pytest

from lib.forms.build import MOST_ROWS
from lib.forms.carrying import left_out, typed_by_link
from lib.forms.schema_forms import SchemaForms
from steps.schema import fits
from tests.lib.test_forms import LINES, REFUND
from tests.lib.test_forms_kinds import CHOSEN, COLOURS

FORMS = SchemaForms(fits)
MORE = {
    "type": "object",
    "properties": {
        "note": {"type": "string"},
        "count": {"type": "integer"},
        "sure": {"type": "boolean"},
        "tags": {"type": "array", "items": {"type": "string"}},
        "colours": {"type": "array", "items": {"oneOf": COLOURS}},
        "who": {"type": "object", "properties": {"name": {"type": "string"}}},
        "any": {},
    },
}


def linked(schema, **asked):
    typed, ignored = typed_by_link(FORMS, schema, asked)
    return FORMS.form_of(schema, typed, fresh=True).data, ignored


def test_a_link_names_properties_with_their_values():
    asked = {"note": ["a", "b"], "tags": ["x", "y"], "who.name": ["Ann"], "colours": ["Red", "3"]}
    assert linked(MORE, **asked, sure=["Yes"], count=["7"], any=['{"a": 1}']) == (
        {
            "note": "b",
            "count": 7,
            "sure": True,
            "tags": ["x", "y"],
            "colours": ["r", 3],
            "who": {"name": "Ann"},
            "any": {"a": 1},
        },
        [],
    )
    assert linked(MORE, **{"data.note": ["a"]})[0]["note"] == "a"
    assert linked(MORE, any=["plain"])[0]["any"] == "plain"


def test_a_choice_is_named_by_its_value_or_its_title():
    for text in ("g", "Green", '"g"'):
        assert linked(CHOSEN, colour=[text])[0]["colour"] == "g"
    assert linked(CHOSEN, colour=["3"])[0]["colour"] == 3


def test_what_the_form_cannot_take_is_left_out_and_told():
    asked = {"none": ["1"], "who": ["Ann"], "sure": ["perhaps"], "colours": ["Red", "Pink"], "count.x": ["1"]}
    data, ignored = linked(MORE, **asked)
    assert data == {"sure": False}
    assert ignored == list(asked)


def test_a_value_may_bring_up_the_field_of_another_and_rows_are_named_by_their_place():
    data, ignored = linked(REFUND, iban=["DE12"], routing=["7"], way=["bank"], currency=["USD"])
    assert (data["iban"], data["routing"], ignored) == ("DE12", "7", [])
    asked = {
        "lines[1].item": ["ink"],
        "lines[0].item": ["pen"],
        "lines[0].gift": ["1"],
        "lines[0].card": ["Hi"],
    }
    data, ignored = linked(LINES, **asked)
    assert [line.get("item") for line in data["lines"]] == ["pen", "ink"]
    assert (data["lines"][0]["card"], ignored) == ("Hi", [])
    assert linked(LINES, lines=["x"])[1] == ["lines"]
    for place in (str(MOST_ROWS), "99999", "-1", "x", "²"):
        assert linked(LINES, **{f"lines[{place}].item": ["x"]})[1] == [f"lines[{place}].item"]
    many = linked(MORE, tags=["x"] * (MOST_ROWS + 9))[0]["tags"]
    assert len(many) == MOST_ROWS


@pytest.mark.parametrize(
    ("data", "places"),
    [
        ({"note": "a", "tags": ["x"], "who": {"name": "Ann"}, "any": {"deep": [1]}}, []),
        ({"note": 5, "count": "many", "tags": "x", "who": "Ann"}, []),
        ({"more": 1, "who": {"age": 0, "name": "Ann"}}, ["more", "who.age"]),
        ({"more": None, "other": "", "none": [], "who": {"x": False}}, []),
    ],
)
def test_what_has_no_field_is_named(data, places):
    assert left_out(FORMS.filled(MORE, data), data) == places


def test_what_is_within_rows_has_a_field_or_is_named():
    data = {"lines": [{"item": "a", "gift": True, "card": "x"}, {"item": "b", "card": "hidden", "size": 3}]}
    assert left_out(FORMS.filled(LINES, data), data) == ["lines[1].card", "lines[1].size"]

"""The fields of a form, made from its JSON Schema and what was typed."""

import pytest

from lib.forms.build import MOST_ROWS
from lib.forms.schema_forms import SchemaForms
from steps.schema import fits

FORMS = SchemaForms(fits)
form_of, filled, edited = FORMS.form_of, FORMS.filled, FORMS.edited
OPEN = SchemaForms(fits, "params", is_open=True)
DAY = {"type": "string", "format": "date"}
MOMENT = {"type": "string", "format": "date-time"}
FORM = {
    "type": "object",
    "properties": {
        "a": {"type": "string"},
        "day": DAY,
        "when": {**MOMENT, "default": "2027-01-31T09:00:00Z"},
    },
    "required": ["day"],
}
REFUND = {
    "type": "object",
    "required": ["way"],
    "properties": {"way": {"enum": ["card", "bank"]}, "vip": {"type": "boolean"}},
    "if": {"properties": {"way": {"const": "bank"}}, "required": ["way"]},
    "then": {
        "required": ["iban"],
        "properties": {"iban": {"type": "string"}, "currency": {"type": "string", "default": "EUR"}},
        "if": {"properties": {"currency": {"const": "USD"}}, "required": ["currency"]},
        "then": {"properties": {"routing": {"type": "string"}}},
    },
    "else": {"properties": {"last_digits": {"type": "string"}}},
    "dependentRequired": {"note": ["by"]},
    "dependentSchemas": {"last_digits": {"properties": {"holder": {"type": "string"}}}},
    "allOf": [{"properties": {"note": {"type": "string"}, "by": {"type": "string"}}}],
}
LINES = {
    "type": "object",
    "properties": {
        "lines": {
            "type": "array",
            "minItems": 1,
            "items": {"$ref": "#/$defs/line"},
        }
    },
    "$defs": {
        "line": {
            "type": "object",
            "required": ["item"],
            "properties": {
                "item": {"type": "string"},
                "count": {"type": "integer", "default": 1},
                "gift": {"type": "boolean"},
            },
            "if": {"properties": {"gift": {"const": True}}, "required": ["gift"]},
            "then": {"properties": {"card": {"type": "string"}}},
        }
    },
}


def names(form):
    """What each field is called that something is typed into."""
    return [field.name for field in form.each() if field.kind not in ("rows", "group")]


def test_what_is_needed_comes_first_unless_its_author_put_it_in_order():
    assert form_of(FORM).properties() == ["day", "a", "when"]
    assert form_of({**FORM, "x-order": ["when", "gone", "a"]}).properties() == ["when", "a", "day"]
    assert form_of({**FORM, "x-order": "when"}).properties() == ["day", "a", "when"]


def test_a_date_and_a_moment_are_texts_with_fields_of_their_own():
    assert [(field.kind, field.text) for field in form_of(FORM).fields] == [
        ("date", ""),
        ("text", ""),
        ("moment", "2027-01-31T09:00:00Z"),
    ]
    assert form_of(FORM, {"data.day": "2026-01-02", "data.when": ""}).data == {"day": "2026-01-02"}


def test_fields_stand_there_as_long_as_what_is_typed_says_so():
    assert form_of(REFUND).properties() == ["way", "vip", "note", "by", "last_digits"]
    bank = form_of(REFUND, {"data.way": '"bank"'}, fresh=True)
    assert bank.properties() == ["way", "iban", "vip", "note", "by", "currency"]
    assert bank.data == {"way": "bank", "vip": False, "currency": "EUR"}
    dollars = form_of(REFUND, {"data.way": '"bank"', "data.currency": "USD"}, fresh=True)
    assert dollars.fields[-1].key == "routing"
    card = form_of(REFUND, {"data.way": '"card"', "data.last_digits": "77", "data.note": "x"}, fresh=True)
    assert card.properties() == ["way", "by", "vip", "note", "last_digits", "holder"]
    assert bank.is_live
    assert not form_of(FORM).is_live


def test_what_was_typed_into_a_field_that_is_hidden_now_is_kept_and_is_no_data():
    typed = {"data.way": '"card"', "data.iban": "DE12", "comment": "x", "data.last_digits": ""}
    card = form_of(REFUND, typed)
    assert card.hidden == [("data.iban", "DE12")]
    assert card.data == {"way": "card", "vip": False}
    again = form_of(REFUND, typed | {"data.way": '"bank"'})
    assert again.data == {"way": "bank", "vip": False, "iban": "DE12"}


def test_what_conditions_brought_up_and_nobody_was_shown_is_known():
    sent = form_of(REFUND, {"data.way": '"bank"', "data.vip": ""})
    assert [field.key for field in sent.fields if field.is_new] == ["iban", "note", "by", "currency"]
    assert sent.data == {"way": "bank", "vip": False}, "nobody saw the default"


def test_rows_are_as_many_as_were_typed_and_each_has_its_own_conditions():
    assert names(form_of(LINES)) == ["data.lines[0].item", "data.lines[0].count", "data.lines[0].gift"]
    typed = {"data.lines[0].item": "a", "data.lines[0].gift": "true", "data.lines[1]": ""}
    form = form_of(LINES, typed, fresh=True)
    assert form.data == {"lines": [{"item": "a", "count": 1, "gift": True}, {"count": 1, "gift": False}]}
    assert "data.lines[0].card" in names(form)
    assert "data.lines[1].card" not in names(form)


def test_rows_are_added_and_dropped_and_what_was_typed_moves_along():
    typed = {f"data.lines[{n}].item": f"item {n}" for n in range(3)} | {"data.lines": ""}
    typed["data.lines[2].card"] = "Hello"
    added = edited(LINES, typed, "add data.lines")
    assert [row["item"] for row in added.data["lines"][:3]] == ["item 0", "item 1", "item 2"]
    assert [field.name for field in added.each() if field.is_next] == ["data.lines[3].item"]
    dropped = edited(LINES, typed, "drop data.lines[1]")
    assert [row["item"] for row in dropped.data["lines"]] == ["item 0", "item 2"]
    assert dropped.hidden == [("data.lines[1].card", "Hello")]
    # At the row that came in its place; at the button for one more where none did.
    assert [(field.name, field.next_drop) for field in dropped.each() if field.kind == "rows"] == [
        ("data.lines", 1)
    ]
    assert [field.name for field in dropped.each() if field.is_next] == []
    last = edited(LINES, typed, "drop data.lines[2]")
    assert [field.name for field in last.each() if field.is_next] == ["data.lines"]
    for edit in ("", "add data.none", "drop data.lines", "drop data.lines[9]", "drop [", "what data.lines"):
        assert len(edited(LINES, typed, edit).data["lines"]) == 3


def test_there_is_an_end_to_adding_rows():
    typed = {f"data.lines[{n}]": "" for n in range(MOST_ROWS)}
    assert not form_of(LINES, typed).fields[0].may_add
    two = {**LINES, "properties": {"lines": {**LINES["properties"]["lines"], "maxItems": 2}}}
    assert form_of(two, {"data.lines[0]": ""}).fields[0].may_add
    assert not form_of(two, {"data.lines[0]": "", "data.lines[1]": ""}).fields[0].may_add


def test_rows_that_were_all_dropped_stay_away():
    assert form_of(LINES, {"data.lines": ""}, fresh=True).data == {}


def test_defaults_fill_groups_and_rows():
    group = {"type": "object", "properties": {"city": {"type": "string"}, "main": {"type": "boolean"}}}
    form = {
        "type": "object",
        "properties": {
            "lines": {"type": "array", "items": LINES["$defs"]["line"], "default": [{"item": "x"}]},
            "address": {**group, "default": {"city": "Ulm"}},
            "other": group,
        },
    }
    made = form_of(form)
    assert made.data == {
        "lines": [{"item": "x", "count": 1, "gift": False}],
        "address": {"city": "Ulm", "main": False},
    }


def test_faults_stand_at_the_innermost_field():
    form = form_of(LINES)
    faults = [
        {"field": "data.lines[0].item", "message": "one"},
        {"field": "data.lines", "message": "two"},
        {"field": "data.gone.x", "message": "three"},
        {"field": "data", "message": "four"},
    ]
    assert form.show(faults) == ["gone.x: three", "four"]
    assert [(field.name, field.error) for field in form.each() if field.error] == [
        ("data.lines", "two"),
        ("data.lines[0].item", "one"),
    ]


@pytest.mark.parametrize("deep", [{"$ref": "#"}, {"type": "array", "items": {"$ref": "#"}}])
def test_a_form_within_itself_comes_to_an_end(deep):
    form = {
        "type": "object",
        "properties": {"name": {"type": "string"}, "below": deep},
        "required": ["below"],
    }
    typed = {"data.below": "", "data.below[0]": "", "data.below[0].below[0]": ""}
    assert 2 < len(list(form_of(form, typed).each())) < 20


def test_conditions_that_contradict_each_other_come_to_an_end():
    form = {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "if": {"required": ["b"]},
        "then": {"properties": {"c": {"type": "string"}}},
        "else": {"properties": {"b": {"type": "string", "default": "x"}}},
    }
    assert form_of(form).fields


def test_a_form_without_properties_is_one_field_of_json():
    (field,) = form_of({"type": "object"}).fields
    assert (field.key, field.kind, field.text) == (None, "json", "{}")
    assert form_of({"type": "object"}, {"data": '{"a": 1}'}).data == {"a": 1}
    wrong = form_of({"type": "object"}, {"data": "[]"})
    assert wrong.fields[0].error == "Write a JSON object: {…}."


def test_data_stands_in_its_fields_and_what_is_hidden_or_wrong_is_kept():
    form = filled(REFUND, {"way": "bank", "vip": True, "iban": 5, "last_digits": "77", "gone": {"a": 1}})
    assert [(field.key, field.in_words) for field in form.fields] == [
        ("way", "bank"),
        ("iban", "5"),
        ("vip", "yes"),
        ("note", ""),
        ("by", ""),
        ("currency", ""),
    ]
    assert form.hidden == [("data.last_digits", "77")]
    rows = filled(LINES, {"lines": [{"item": "a", "gift": True, "card": "x", "count": "two"}]})
    assert [field.text for field in rows.each()][1:] == ["a", "two", "true", "x"]
    assert not any(field.error for field in filled(LINES, {}).each())
    assert filled({"type": "object"}, {"a": 1}).fields[0].text == '{"a":1}'


def test_what_cannot_be_read_is_kept_as_text_where_that_is_wanted():
    typed = {"data.lines[0].count": "two", "data.lines[0].item": ""}
    assert form_of(LINES, typed, lenient=True).data == {"lines": [{"count": "two", "gift": False}]}
    assert form_of(LINES, typed).data == {"lines": [{"gift": False}]}


TEXTS = {
    "type": "object",
    "$defs": {"tag": {"type": "string", "title": "Tag"}},
    "properties": {
        "tags": {"type": "array", "items": {"$ref": "#/$defs/tag"}, "minItems": 1},
        "sizes": {"type": "array", "items": {"type": "integer"}},
        "colours": {"type": "array", "items": {"enum": ["red", "green", 3]}},
    },
    "required": ["tags"],
}


def test_a_list_of_plain_values_is_a_row_for_each():
    form = form_of(TEXTS)
    assert [(one.name, one.kind, one.label) for one in form.each()][:3] == [
        ("data.tags", "rows", "Tags"),
        ("data.tags[0]", "text", "Tags 1"),
        ("data.sizes", "rows", "Sizes"),
    ]
    typed = {
        "data.tags": "",
        "data.tags[0]": "a",
        "data.tags[1]": "",
        "data.tags[2]": "b",
        "data.sizes[0]": "7",
    }
    sent = form_of(TEXTS, typed)
    assert sent.data == {"tags": ["a", "b"], "sizes": [7]}
    assert sent.is_live
    assert sent.hidden == []
    assert sent.show([{"field": "data.tags[1]", "message": "short"}]) == []
    assert [one.name for one in sent.each() if one.error] == ["data.tags[2]"], "the empty row is no value"
    added = edited(TEXTS, typed, "add data.tags")
    assert [one.name for one in added.each() if one.is_next] == ["data.tags[3]"]
    dropped = edited(TEXTS, typed, "drop data.tags[0]")
    assert [one.text for (one,) in dropped.fields[0].rows] == ["", "b"]
    assert [one.text for (one,) in filled(TEXTS, {"tags": ["x", ""]}).fields[0].rows] == ["x", ""]
    assert form_of(TEXTS, {"data.tags[0]": "a", "data.sizes[0]": "x"}, lenient=True).data["sizes"] == ["x"]


def test_a_list_of_what_there_is_to_choose_from_is_a_box_for_each():
    (boxes,) = [one for one in form_of(TEXTS).fields if one.key == "colours"]
    assert (boxes.kind, [(one.name, one.label) for one in boxes.fields]) == (
        "checks",
        [("data.colours[0]", "red"), ("data.colours[1]", "green"), ("data.colours[2]", "3")],
    )
    sent = form_of(TEXTS, {"data.colours": "", "data.colours[0]": "true", "data.colours[2]": "true"})
    assert sent.data == {"colours": ["red", 3]}
    assert sent.hidden == []
    assert "colours" not in form_of(TEXTS, {"data.colours": ""}).data
    needed = {**TEXTS, "required": ["colours"]}
    assert form_of(needed, {"data.colours": ""}).data == {"colours": []}
    assert sent.show([{"field": "data.colours[1]", "message": "no"}]) == []
    assert [one.name for one in sent.each() if one.error] == ["data.colours"]
    assert [
        one.in_words for one in filled(TEXTS, {"colours": [3, "red"]}).fields if one.key == "colours"
    ] == ["red, 3"]


@pytest.mark.parametrize("given", [["red", "red"], ["blue"], [True], {"a": "red"}])
def test_what_boxes_cannot_hold_stays_as_it_is(given):
    form = filled(TEXTS, {"colours": given})
    (field,) = [one for one in form.fields if one.key == "colours"]
    assert form.data["colours"] == given
    assert form_of(TEXTS, {field.name: field.text}).data["colours"] == given


def test_defaults_of_lists_of_plain_values_are_there_until_they_are_taken_out():
    lists = {"tags": {**TEXTS["properties"]["tags"], "default": ["a", "b"]}}
    lists["colours"] = {**TEXTS["properties"]["colours"], "default": ["green"]}
    form = {**TEXTS, "properties": lists}
    assert form_of(form).data == {"tags": ["a", "b"], "colours": ["green"]}
    taken = {"data.tags": "", "data.tags[0]": "", "data.colours": "", "data.colours[0]": ""}
    assert form_of(form, taken, fresh=True).data == {}


NULLABLE = {
    "type": "object",
    "$defs": {"day": DAY},
    "properties": {
        "day": {"anyOf": [{"$ref": "#/$defs/day"}, {"type": "null"}], "title": "Until"},
        "note": {"type": ["string", "null"]},
        "price": {"anyOf": [{"type": "integer"}, {"type": "number"}]},
    },
    "required": ["day"],
}


def test_what_may_be_null_has_the_field_of_what_it_is_otherwise():
    form = form_of(NULLABLE)
    assert [(one.key, one.kind, one.label) for one in form.fields] == [
        ("day", "date", "Until"),
        ("note", "text", "Note"),
        ("price", "number", "Price"),
    ]
    assert form_of(NULLABLE, {"data.day": "", "data.note": "", "data.price": "1.5"}).data == {
        "day": None,
        "price": 1.5,
    }
    assert filled(NULLABLE, {"day": None, "note": None}).data == {"day": None, "note": None}


def test_a_form_may_be_called_otherwise():
    form = SchemaForms(fits, "input").form_of(LINES, {"input.lines[0].item": "x", "input.gone": "y"})
    assert form.data == {"lines": [{"item": "x", "gift": False}]}
    assert form.hidden == [("input.gone", "y")]
    assert form.show([{"field": "input.gone", "message": "what?"}]) == ["gone: what?"]

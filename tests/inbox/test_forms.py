"""The fields of a task's form, made from its JSON Schema."""

from tasks_inbox.forms import fields_of, read

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


def test_what_is_needed_comes_first_unless_its_author_put_it_in_order():
    assert [field.key for field in fields_of(FORM)] == ["day", "a", "when"]
    ordered = {**FORM, "x-order": ["when", "gone", "a"]}
    assert [field.key for field in fields_of(ordered)] == ["when", "a", "day"]
    assert [field.key for field in fields_of({**FORM, "x-order": "when"})] == ["day", "a", "when"]


def test_a_date_and_a_moment_are_texts_with_fields_of_their_own():
    fields = fields_of(FORM)
    assert [(field.kind, field.text) for field in fields] == [
        ("date", ""),
        ("text", ""),
        ("moment", "2027-01-31T09:00:00Z"),
    ]
    assert read(fields, {"data.day": "2026-01-02", "data.when": ""}) == {"day": "2026-01-02"}

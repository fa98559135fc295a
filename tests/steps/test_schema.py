"""Values against a schema: texts of a format."""

import pytest

from steps.schema import fits, problem_of, problems_of

EXAMPLES = {
    "date": ("2026-11-20", ["20.11.2026", "2026-11-31", ""]),
    "date-time": ("2027-01-31T09:00:00Z", ["2027-01-31T09:00", "2027-01-31 09:00:00Z", "soon"]),
    "time": ("09:30:00Z", ["09:30", "25:00:00Z"]),
    "email": ("ann@example.org", ["ann", "ann@", "Ann <ann@example.org>"]),
    "uri": ("https://example.org/a?b=c", ["example", "https://exa mple.org"]),
    "uuid": ("00000000-0000-7000-8000-000000000000", ["17", "00000000000070008000000000000000"]),
}


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_text_of_a_format_must_have_it_and_who_is_told_so_sees_the_field_and_an_example(name):
    good, bad = EXAMPLES[name]
    schema = {"type": "object", "properties": {"due_date": {"type": "string", "format": name}}}
    assert problem_of(schema, {"due_date": good}) is None
    for text in bad:
        path, said = problem_of(schema, {"due_date": text})
        assert path == ".due_date"
        assert said.startswith("Due date: needs ")
        assert said.endswith(f" such as {good}.")
        assert problems_of(schema, {"due_date": text}, most=5) == [(("due_date",), said)]


def test_a_field_is_called_by_its_title_and_a_value_that_has_no_name_is_not():
    day = {"type": "string", "format": "date"}
    titled = {"properties": {"due": {**day, "title": "To be paid by"}}}
    assert problem_of(titled, {"due": "soon"})[1].startswith("To be paid by: needs a date")
    assert problem_of({"items": day}, ["soon"]) == ("[0]", "Needs a date such as 2026-11-20.")
    assert problem_of(day, "soon") == ("", "Needs a date such as 2026-11-20.")


def test_what_is_no_text_has_no_format_and_unknown_formats_say_nothing():
    assert problem_of({"format": "date"}, 17) is None
    for name in ("file", "json", "regex", "hostname", "duration", "password"):
        assert problem_of({"format": name}, "((") is None


def test_conditions_read_a_format_as_the_check_does():
    schema = {"properties": {"due": {"format": "date"}}, "required": ["due"]}
    assert fits(schema, schema, {"due": "2026-11-20"})
    assert not fits(schema, schema, {"due": "soon"})


@pytest.mark.parametrize("name", EXAMPLES)
def test_a_long_text_is_answered_at_once(name):
    assert problem_of({"format": name}, "http://" + "a@:1." * 200_000) is not None


FORM = {
    "type": "object",
    "required": ["name"],
    "additionalProperties": False,
    "properties": {
        "name": {"type": "string", "minLength": 1, "maxLength": 5},
        "code": {"type": "string", "pattern": "^[A-Z]{3}$", "x-message": "Three capital letters."},
        "plain": {"type": "string", "pattern": "^x$"},
        "count": {"type": "integer", "minimum": 1, "maximum": 9, "multipleOf": 2},
        "rate": {"exclusiveMinimum": 0, "exclusiveMaximum": 1},
        "way": {"enum": ["card", "bank", 3]},
        "colour": {"oneOf": [{"const": "r", "title": "Red"}, {"const": "g"}]},
        "tags": {"type": "array", "minItems": 1, "maxItems": 2, "uniqueItems": True},
        "note": {"anyOf": [{"type": "string", "minLength": 3}, {"type": "null"}]},
        "same": {"const": True},
    },
}


@pytest.mark.parametrize(
    ("given", "at", "said"),
    [
        ({}, "name", "This is required."),
        ({"name": ""}, "name", "This must not be empty."),
        ({"name": "x" * 7}, "name", "This may have at most 5 characters; it has 7."),
        ({"name": 5}, "name", "This must be a text."),
        ({"name": "a", "code": "abc"}, "code", "Three capital letters."),
        ({"name": "a", "plain": "y"}, "plain", "This must match ^x$"),
        ({"name": "a", "count": 0}, "count", "This must be at least 1."),
        ({"name": "a", "count": 10}, "count", "This must be at most 9."),
        ({"name": "a", "count": 3}, "count", "This must be a multiple of 2."),
        ({"name": "a", "count": 2.5}, "count", "This must be a whole number."),
        ({"name": "a", "rate": 0}, "rate", "This must be more than 0."),
        ({"name": "a", "rate": 1}, "rate", "This must be less than 1."),
        ({"name": "a", "way": "cash"}, "way", "This must be one of: card, bank, 3."),
        ({"name": "a", "colour": "b"}, "colour", "This must be one of: Red, g."),
        ({"name": "a", "tags": []}, "tags", "At least one is needed."),
        ({"name": "a", "tags": [1, 2, 3]}, "tags", "At most 2 may be given; these are 3."),
        ({"name": "a", "tags": [1, 1]}, "tags", "Each of these may be given only once."),
        ({"name": "a", "note": "ab"}, "note", "This needs at least 3 characters; it has 2."),
        ({"name": "a", "same": False}, "same", "This must be true."),
        ({"name": "a", "more": 1}, None, "This has unknown fields: “more”."),
    ],
)
def test_who_fills_in_a_form_is_told_what_is_wrong_in_words(given, at, said):
    assert ((at,) if at else (), said) in problems_of(FORM, given, most=50)


def test_all_that_is_wrong_is_told_at_once():
    found = problems_of(FORM, {"code": "a", "count": 0, "tags": []}, most=50)
    assert {path for path, _ in found} == {("name",), ("code",), ("count",), ("tags",)}


def test_the_words_of_a_patterns_author_are_those_of_every_door():
    assert problem_of(FORM, {"name": "a", "code": "abc"}) == (".code", "Three capital letters.")
    assert "does not match" in problem_of(FORM, {"name": "a", "plain": "y"})[1]
    assert "does not match" in problem_of({"pattern": "^x$", "x-message": 5}, "y")[1]


@pytest.mark.parametrize("beside", [True, False])
def test_of_a_text_that_may_also_be_null_they_are_the_same(beside):
    words = {"x-message": "Three capital letters."}
    text = {"type": "string", "pattern": "^[A-Z]{3}$"} | ({} if beside else words)
    code = {"anyOf": [text, {"type": "null"}]} | (words if beside else {})
    schema = {"type": "object", "properties": {"code": code}}
    assert problem_of(schema, {"code": "abc"}) == (".code", "Three capital letters.")
    assert problems_of(schema, {"code": "abc"}, most=5) == [(("code",), "Three capital letters.")]
    assert problem_of(schema, {"code": None}) is None

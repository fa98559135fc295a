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

"""How values are written in pages."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from django.template import Context, Template

from lib import markup
from runs.limits import SHOWN_CHARACTERS
from runs.templatetags import shown
from steps.catalogue import CATALOGUE, EXECUTABLE


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (None, "–"),
        (0.2, "< 1 ms"),
        (1, "1 ms"),
        (999.4, "999 ms"),
        (999.6, "1.0 s"),
        (59_940, "59.9 s"),
        (59_960, "1 min 0 s"),
        (119_900, "2 min 0 s"),
        (3_599_600, "1 h 0 min"),
        (187_200_000, "2 d 4 h"),
    ],
)
def test_a_duration_has_at_most_two_units(milliseconds, text):
    assert shown.as_duration(milliseconds) == text


def test_a_run_that_goes_on_has_no_duration_yet():
    begun = datetime(2026, 1, 1, tzinfo=UTC)
    assert shown.lasted({"created_at": begun, "completed_at": None}) == "–"
    assert shown.lasted({"created_at": begun, "completed_at": begun + timedelta(minutes=2)}) == "2 min 0 s"


def test_a_message_may_set_code_and_nothing_else():
    assert shown.with_code("`a<b` & <i>") == "<code>a&lt;b</code> &amp; &lt;i&gt;"
    assert shown.with_code(None) == ""


def test_an_object_is_read_field_by_field_and_long_strings_as_texts():
    text, number = shown.in_parts({"text": "word " * 30, "items": [1, 2]})
    assert (text.name, text.text, text.is_prose) == ("text", "word " * 30, True)
    assert (number.name, number.text, number.is_prose) == ("items", "[1, 2]", False)


@pytest.mark.parametrize("value", [None, "", "5", 5, 0.5, True, [], {}, [None], {"": 1}, "a\u2028b", 2**53])
def test_any_other_value_is_one_part_without_a_name(value):
    (part,) = shown.in_parts(value)
    assert part.name == ""
    assert part.text == shown.in_short(value)


def test_json_breaks_only_lines_that_are_too_long():
    (rows,) = shown.in_parts({"rows": [{"a": 1}, {"b": "x" * 90}]})
    assert rows.text == '[\n  {"a": 1},\n  {\n    "b": "' + "x" * 90 + '"\n  }\n]'


def test_what_is_too_long_for_a_page_is_cut_and_says_so():
    (part,) = shown.in_parts({"text": "x" * (SHOWN_CHARACTERS + 5)})
    assert (len(part.text), part.left_out) == (SHOWN_CHARACTERS, 5)


@pytest.mark.parametrize(
    ("text", "shown_as"),
    [("", ""), ("12345", "12345"), ("123456", "1234…"), (123456, "1234…"), ("ä" * 9, "ääää…")],
)
def test_a_text_is_shortened_to_so_many_characters(text, shown_as):
    assert markup.shortened(text, 5) == shown_as


def test_what_was_shortened_is_no_html():
    assert Template("{{ text|shortened:9 }}").render(Context({"text": "<b>long</b>"})) == "&lt;b&gt;long&lt;…"


def test_a_text_stands_beside_what_a_type_that_rewrites_it_has_made_of_it(monkeypatch):
    text = "Much was said, at great length, and little of it was to the point."
    step = {"type": "acme.shorten", "input": {"text": text}, "output": {"text": "Much."}}
    shortens = replace(CATALOGUE["noop"], name="acme.shorten", rewrites_text=True)
    monkeypatch.setattr(shown, "EXECUTABLE", EXECUTABLE | {"acme.shorten": shortens})
    assert shown.source_of(step).text == text
    assert shown.source_of(step | {"output": step["input"]}) is None
    assert shown.source_of(step | {"type": "noop"}) is None
    assert shown.source_of(step | {"type": "acme.gone"}) is None

"""YAML as another spelling of JSON, strict in both directions."""

from contextlib import suppress

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lib.strict_json import BadJson, same, strict_loads
from lib.strict_yaml import MOST_VALUES, BadYaml, yaml_loads, yaml_text
from tests.engine.strategies import QUICK

SIZE = 1024 * 1024

LOOKALIKES = [
    "",
    "~",
    "null",
    "true",
    "False",
    "on",
    "off",
    "yes",
    "N",
    "012",
    "0o17",
    "0x1F",
    "1e3",
    "-.5",
    ".inf",
]
LOOKALIKES += [
    "2026-01-01",
    "12:30:45",
    "<<",
    "=",
    "- a",
    "a: b",
    "a #b",
    "&a",
    "*a",
    "!a",
    "%a",
    "@a",
    "---",
    "...",
    "?",
]
LOOKALIKES += [
    "{{ input.x }}",
    "[1]",
    "one\ntwo",
    "one\ntwo\n",
    "one\n\n",
    " one\ntwo",
    "one \ntwo",
    "a\r\nb",
    "\t",
    "\n",
]
LOOKALIKES += [
    "# no\n  comment",
    "a\u2028b",
    "a\x85b",
    "\ufeff",
    "\x07",
    "😀",
    "x" * 250,
    "1_000",
    "+1",
    "0b1",
    "1.",
    "1:30",
]
TEXTS = st.one_of(
    st.sampled_from(LOOKALIKES),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=30),
    st.text("ab \n#:-'\"", max_size=20),
)
NUMBERS = st.one_of(
    st.integers(-(2**53), 2**53), st.floats(allow_nan=False, allow_infinity=False, allow_subnormal=True)
)
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), NUMBERS, TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXTS, inner, max_size=3)),
    max_leaves=12,
)


def loads(text):
    return yaml_loads(text, max_bytes=SIZE)


@settings(QUICK, max_examples=400)
@given(VALUES)
def test_what_is_written_is_read_back(value):
    back = loads(yaml_text(value))
    assert back == value
    assert repr(back) == repr(value), "true is not 1, and 1 is not 1.0"


@pytest.mark.parametrize("text", LOOKALIKES)
def test_a_text_that_looks_like_something_else_stays_a_text(text):
    assert loads(yaml_text({text: [text]})) == {text: [text]}


def test_the_same_list_twice_is_written_twice():
    shared = [1]
    assert yaml_text({"a": shared, "b": shared}) == "a:\n  - 1\nb:\n  - 1\n"


def test_keys_keep_their_order_and_texts_of_several_lines_are_blocks():
    assert yaml_text({"b": "one\ntwo", "a": 1}) == "b: |-\n  one\n  two\na: 1\n"


def test_words_and_dates_are_texts_and_the_key_on_is_no_boolean():
    read = loads("on: error\nyes: no\nday: 2026-01-01\nat: 12:30:45\n1: one\n~: nothing")
    assert read == {
        "on": "error",
        "yes": "no",
        "day": "2026-01-01",
        "at": "12:30:45",
        "1": "one",
        "~": "nothing",
    }


def test_scalars_are_those_of_the_core_schema():
    assert loads("[~, Null, null, true, FALSE, 12, 0o17, 0x1F, 1e3, -.5, '12', 1_000]") == [
        None,
        None,
        None,
        True,
        False,
        12,
        15,
        31,
        1000.0,
        -0.5,
        "12",
        "1_000",
    ]


def test_comments_are_passed_over():
    assert loads("# about\na: 1 # one\n") == {"a": 1}


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("a: &x 1\nb: *x", "anchors and aliases", 1, 4),
        ("a: 1\nb: *x", "anchors and aliases", 2, 4),
        ("a: !!str 1", "tags", 1, 4),
        ("a: !python/object:os.system x", "tags", 1, 4),
        ("- ! x", "tags", 1, 3),
        ("a: 1\nb: 2\na: 3", "the key a occurs twice", 3, 1),
        ("? [a]\n: 1", "a key is a text", 1, 3),
        ("a: 1\n---\nb: 1", "more than one document", 2, 1),
        ("a: [1,", "this is not YAML", 1, 7),
        ("a: b: c", "this is not YAML", 1, 5),
        ("a:\n\t- b", "this is not YAML", 2, 1),
        ("a: 1\nb: \x01", "this is not YAML", 2, 4),
        ("a: .inf", "not a number that can be kept", 1, 4),
        ("a: [.nan]", "not a number that can be kept", 1, 5),
        ("a: 1e999", "not a number that can be kept", 1, 4),
        ("- " * 65 + "x", "nested deeper than 64", 1, 129),
        ("[" * 100_000, "nested deeper than 64", 1, 65),
        ("- 1\n" * (MOST_VALUES + 1), "send JSON", MOST_VALUES, 3),
        ("a" * (SIZE + 1), "larger than", 1, 1),
    ],
)
def test_what_is_refused_says_why_and_where(text, message, line, column):
    with pytest.raises(BadYaml, match=message) as refused:
        loads(text)
    assert (refused.value.line, refused.value.column) == (line, column)


@pytest.mark.parametrize("text", ["a: 9007199254740993", f"{'k' * 257}: 1", 'a: "\\0"', 'a: "\\ud800"'])
def test_what_json_may_not_be_yaml_may_not_be_either(text):
    with pytest.raises((BadJson, BadYaml)):
        loads(text)


def test_billions_of_laughs_are_none():
    bomb = "a: &a [x,x]\n" + "".join(f"{key}: &{key} [*a,*a]\n" for key in "bcdefghi")
    with pytest.raises(BadYaml, match="anchors"):
        loads(bomb)


@settings(QUICK)
@given(st.text("ab:-[]{}#&*!|>'\"%@`, \n\t?0.", max_size=60))
def test_whatever_comes_is_read_or_refused(text):
    with suppress(BadYaml, BadJson):
        value = loads(text)
        assert same(strict_loads(orjson.dumps(value), max_bytes=SIZE), value)

"""The JSON gate (docs/security.md, "One JSON gate"): what it refuses, and that it says where."""

import json
import math
import time
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.strict_json import BadJson, JsonTooLarge, stored_integer, strict_dumps, strict_loads

BIG = 1 << 20


def read(raw):
    return strict_loads(raw if isinstance(raw, bytes) else raw.encode(), max_bytes=BIG)


def write(value):
    return strict_dumps(value, max_bytes=BIG)


REFUSED_TEXTS = [
    (b"", "", "not JSON"),
    (b"{", "", "not JSON"),
    (b"{'a': 1}", "", "not JSON"),
    (b'{"a": 1,}', "", "not JSON"),
    (b'{"a": [1, 2, x]}', "/a/2", "not JSON"),
    (b'{"a": 1} {"b": 2}', "", "Extra data"),
    (b'\xef\xbb\xbf{"a": 1}', "", "byte order mark"),
    (b'{"a": "\xff"}', "/a", "UTF-8"),
    ('{"a": 1}'.encode("utf-16"), "", "UTF-8"),
    (b'{"a": NaN}', "/a", "NaN"),
    (b'{"a": [1, Infinity]}', "/a/1", "Infinity"),
    (b'{"a": -Infinity}', "/a", "Infinity"),
    (b'{"a": 1e400}', "/a", "too large"),
    (b'{"a": 9007199254740993}', "/a", "2^53"),
    (b'{"a": -9007199254740993}', "/a", "2^53"),
    (b'{"a": ' + b"9" * 5000 + b"}", "/a", "2^53"),
    (b'{"x": {"a": 1, "a": 2}}', "/x/a", "twice"),
    (b'{"a": "x\\u0000y"}', "/a", "NUL"),
    (b'{"a": "x\x00y"}', "/a", "control character"),
    (b'{"a": "\\ud800"}', "/a", "surrogate"),
    (b'{"a": [{"b": "\\udc00\\ud800"}]}', "/a/0/b", "surrogate"),
    (b'{"a\\u0000": 1}', "", "NUL"),
    (b'{"' + b"k" * 257 + b'": 1}', "", "256 bytes"),
    (('{"' + "é" * 129 + '": 1}').encode(), "", "256 bytes"),
    (json.dumps({str(i): i for i in range(10_001)}).encode(), "", "10,000 keys"),
    (b'{"a/b": {"c~d": NaN}}', "/a~1b/c~0d", "NaN"),
    (b"[" * 65 + b"]" * 65, "/0" * 64, "64 levels"),
    (b'{"a":' * 65 + b"1" + b"}" * 65, "/a" * 64, "64 levels"),
    (b"[" * 100_000, "/0" * 64, "64 levels"),
]


@pytest.mark.parametrize(("raw", "pointer", "words"), REFUSED_TEXTS)
def test_reading_refuses_and_says_where(raw, pointer, words):
    with pytest.raises(BadJson) as refusal:
        read(raw)
    assert words in refusal.value.message
    assert refusal.value.pointer == pointer


ACCEPTED = [
    None,
    True,
    0,
    -(2**53),
    2**53,
    1.5,
    1e308,
    "",
    "ünïcödé \U0001f600",
    "a literal \\u0000 and \\ud800",
    [],
    {},
    {"a": [{"b": None}]},
    {"k" * 256: 1},
]


@pytest.mark.parametrize("value", ACCEPTED)
def test_what_is_good_comes_back_the_same(value):
    assert read(write(value)) == value
    assert read(json.dumps(value)) == value


def test_sixty_four_levels_pass_both_ways():
    value = []
    for _ in range(63):
        value = [value]
    assert read(write(value)) == value


def test_brackets_inside_texts_are_not_levels():
    assert read(json.dumps({"a": "[" * 1000})) == {"a": "[" * 1000}


def test_a_surrogate_pair_is_one_character():
    assert read(b'"\\ud83d\\ude00"') == "\U0001f600"


def test_a_document_over_the_limit_is_too_large():
    with pytest.raises(JsonTooLarge, match="10 bytes"):
        strict_loads(b'"123456789"', max_bytes=10)
    with pytest.raises(JsonTooLarge, match="10 bytes"):
        strict_dumps("123456789", max_bytes=10)


def test_the_pointer_of_a_duplicate_key_names_the_key():
    with pytest.raises(BadJson) as refusal:
        read(b'{"items": [{"id": 1}, {"id": 1, "id": 2}]}')
    assert refusal.value.pointer == "/items/1/id"


REFUSED_VALUES = [
    ({"a": math.nan}, "/a", "nan"),
    ({"a": [math.inf]}, "/a/0", "inf"),
    ({"a": 2**53 + 1}, "/a", "2^53"),
    ({"a": 2**70}, "/a", "2^53"),
    ({"a": "x\x00"}, "/a", "NUL"),
    ({"a\x00": 1}, "", "NUL"),
    ({"a": "\ud800"}, "/a", "surrogate"),
    ({"\ud800": 1}, "", "surrogate"),
    ({"a": {1: 2}}, "/a", "int"),
    ({"a": {None: 2}}, "/a", "NoneType"),
    ({"a": object()}, "/a", "object"),
    ({"a": {1, 2}}, "/a", "set"),
    ({"a": b"x"}, "/a", "bytes"),
    ({"a": {"k" * 257: 1}}, "/a", "256 bytes"),
    ({str(i): i for i in range(10_001)}, "", "10,000 keys"),
]


@pytest.mark.parametrize(("value", "pointer", "words"), REFUSED_VALUES)
def test_writing_refuses_and_says_where(value, pointer, words):
    with pytest.raises(BadJson) as refusal:
        write(value)
    assert words in refusal.value.message
    assert refusal.value.pointer == pointer


def test_a_value_that_holds_itself_is_refused():
    loop = []
    loop.append(loop)
    with pytest.raises(BadJson) as refusal:
        write(loop)
    assert refusal.value.pointer == "/0" * 64


def test_a_value_that_repeats_itself_without_end_is_too_large():
    bomb = ["x"]
    for _ in range(60):
        bomb = [bomb, bomb]
    with pytest.raises(JsonTooLarge):
        write(bomb)


def test_subclasses_of_plain_values_are_written_as_what_they_are():
    class Label(str):
        __slots__ = ()

    assert write({"a": Label("x"), "b": (1, 2)}) == b'{"a":"x","b":[1,2]}'


def test_an_open_text_full_of_escaped_quotes_is_read_in_one_pass():
    raw = b"[" * 40 + b"{" * 40 + b'"' + b'\\"' * 400_000
    started = time.perf_counter()
    with pytest.raises(BadJson, match="64 levels"):
        read(raw)
    assert time.perf_counter() - started < 2


@pytest.mark.parametrize("number", [1e16, 1e20, 1e308, -1.2345678901234567e19, 2**53, -(2**53), 1.5, 0])
def test_a_number_that_jsonb_wrote_out_is_the_number_that_went_in(number):
    as_jsonb_writes_it = format(Decimal(repr(number)), "f")
    value = json.loads(f'{{"n": {as_jsonb_writes_it}}}', parse_int=stored_integer)
    assert value == {"n": number}
    assert type(value["n"]) is type(number)
    assert read(write(value)) == value


@pytest.mark.parametrize("number", [1e16, 12345678901234567e0, 1e20, 1e308, -1.2345678901234567e19])
def test_a_large_double_is_written_so_that_jsonb_keeps_it_a_double(number):
    raw = write({"a": [number, 1]})
    assert raw.endswith(b".0,1]}")
    assert b"e" not in raw
    assert read(raw) == {"a": [number, 1]}
    as_jsonb_writes_the_short_form = int(Decimal(repr(number)))
    assert write([as_jsonb_writes_the_short_form]) == write([number])


@pytest.mark.parametrize("number", [2**53 + 1, 2**53 + 2, 10**16 + 1, 2**63 - 1, 2**70, 10**400])
def test_an_integer_that_is_no_double_of_jsonb_is_refused(number):
    with pytest.raises(BadJson, match="2\\^53"):
        write({"a": number})


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00")),
    lambda inner: st.lists(inner) | st.dictionaries(st.text('abc/~"\\', max_size=5), inner),
    max_leaves=20,
)


@given(json_values)
def test_any_json_value_survives_the_round_trip(value):
    assert read(write(value)) == value


@given(st.binary(max_size=200) | st.text('{}[]",:\\u0d8eE1+-.ntrfl ', max_size=60).map(str.encode))
def test_any_bytes_give_a_value_or_a_refusal(raw):
    try:
        value, refusal = read(raw), None
    except BadJson as error:
        value, refusal = None, error
    if refusal:
        assert refusal.message
        assert refusal.pointer == "" or refusal.pointer.startswith("/")
    else:
        assert read(write(value)) == value

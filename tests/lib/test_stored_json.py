"""What PostgreSQL wrote is read fast, and as the one reader for all of it reads it."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from lib.stored_json import StoredDecoder, stored_loads

NUMBERS = (
    st.integers(-(10**30), 10**30)
    | st.integers(2**53 - 3, 2**53 + 3)
    | st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(VALUES)
@example([2**53, 2**53 + 1, 10**15, 10**16, -(2**63), 2**64])
@example({"n": 0.1234567890123456, "at": "2026-11-26T10:37:00.123456+00:00"})
def test_whatever_is_stored_is_read_as_the_slow_reader_reads_it(value):
    text = json.dumps(value, ensure_ascii=False)
    assert repr(stored_loads(text)) == repr(json.loads(text, cls=StoredDecoder))


@pytest.mark.parametrize(("stored", "read"), [("100000000000000000000", 1e20), ("9007199254740993", 2.0**53)])
def test_an_integer_that_no_client_can_read_is_a_double(stored, read):
    value = stored_loads(f'{{"n": {stored}}}')["n"]
    assert (type(value), value) == (float, read)

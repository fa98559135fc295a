"""Numbers and amounts as people write them, and what can be read in two ways."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.forms.numbers import amount_text, decimals_of, number_of


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        ("12", 12),
        ("12,50", 12.5),
        ("12.5", 12.5),
        ("-0,99", -0.99),
        ("1 234,50", 1234.5),
        ("1\u00a0234,50", 1234.5),
        ("1.234,50", 1234.5),
        ("1,234.50", 1234.5),
        ("1'234.50", 1234.5),
        ("1’234", 1234),
        ("1,234,567", 1234567),
        ("1.234.567,8", 1234567.8),
        ("1 234 567", 1234567),
        ("+5", 5),
    ],
)
def test_an_amount_is_read_as_it_is_written_anywhere(entry, value):
    assert number_of(entry, 2) == (value, "")


@pytest.mark.parametrize("entry", ["1,234", "1.234", "12,345"])
def test_an_amount_that_can_be_read_in_two_ways_is_not_guessed(entry):
    value, error = number_of(entry, 2)
    assert value is None
    assert error.startswith(f"“{entry}” can be read in two ways. Write ")


@pytest.mark.parametrize(
    "entry",
    ["", "ten", "12,", ",5", "1 23,4", "1,2,3", "12.345,6,7", "€5", "1 234 5", "1.,5", "9" * 16, "1e5"],
)
def test_what_is_no_amount_is_told_how_to_write_one(entry):
    assert number_of(entry, 2) == (None, "Write an amount, such as 1250.00.")


def test_decimals_are_those_of_the_currency():
    assert [decimals_of(one) for one in ("EUR", "JPY", "KWD", "")] == [2, 0, 3, 2]
    assert number_of("12.3456", 2)[1] == "Write at most 2 decimals, such as 1250.00."
    assert number_of("0,125", 2)[1].startswith("Write at most 2 decimals")
    assert number_of("1,234", 0) == (1234, "")
    assert number_of("12,5", 0)[1].startswith("This currency has no decimals")
    assert number_of("1.234", 3) == (1.234, "")


def test_a_number_may_have_a_decimal_comma_and_any_decimals():
    assert number_of("12,3456") == (12.3456, "")
    assert number_of("0,125") == (0.125, "")
    assert number_of("1,234") == (None, "“1,234” can be read in two ways. Write 1234, or 1.234.")
    assert number_of("x") == (None, "Write a number, such as 12.5.")


@given(st.integers(min_value=-(10**13), max_value=10**13), st.sampled_from([0, 2, 3]))
def test_an_amount_stands_in_its_field_and_is_read_again(cents, decimals):
    value = cents / 10**decimals if decimals else cents
    text = amount_text(value, decimals)
    assert text is not None
    assert number_of(text, decimals) == (value, "")


@given(st.floats() | st.booleans() | st.integers() | st.text(max_size=5))
def test_what_cannot_stand_as_an_amount_says_so(value):
    text = amount_text(value, 2)
    assert text is None or number_of(text, 2) == (value, "")


@given(st.text(alphabet="0123456789 .,'-+e", max_size=30), st.sampled_from([None, 0, 2, 3]))
def test_a_number_is_read_or_refused_in_words_and_never_both(entry, decimals):
    value, error = number_of(entry, decimals)
    assert (value is None) is bool(error)

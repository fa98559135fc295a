"""The functions that expressions have beyond those of CEL: exact, of one type, and in nobody's way."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ExpressionError, ExpressionInvalid
from engine.expressions import compile_expression
from engine.functions import FUNCTIONS

NOON = "2026-03-01T12:00:00Z"
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=30)
CENTS = st.integers(-(10**9), 10**9)


def evaluate(source, **input):
    return compile_expression(source).evaluate({"input": input, "run": {"now": NOON}})


@given(TEXTS)
def test_texts_are_changed_once_and_for_all(text):
    for name, expected in (("upper", text.upper()), ("lower", text.lower()), ("trim", text.strip())):
        assert evaluate(f"input.text.{name}()", text=text) == expected
        assert evaluate(f"input.text.{name}().{name}() == input.text.{name}()", text=text) is True


@given(st.lists(CENTS, max_size=20))
def test_amounts_add_up_to_the_cent(cents):
    amounts = [cent / 100 for cent in cents]
    assert evaluate("sum(input.amounts)", amounts=amounts) == sum(cents) / 100
    texts = [f"{Decimal(cent).scaleb(-2)}" for cent in cents]
    if cents:
        assert Decimal(evaluate("sum(input.amounts)", amounts=texts)) == Decimal(sum(cents)).scaleb(-2)


@given(st.lists(st.integers(-(2**40), 2**40), max_size=20))
def test_whole_numbers_stay_whole(numbers):
    total = evaluate("sum(input.numbers)", numbers=numbers)
    assert (total, type(total)) == (sum(numbers), int)
    if numbers:
        bounds = evaluate("[min(input.numbers), max(input.numbers)]", numbers=numbers)
        assert bounds == [min(numbers), max(numbers)]


@given(CENTS, st.integers(0, 2))
def test_rounding_is_idempotent_and_off_by_half_a_digit_at_most(cents, places):
    once = evaluate(f"round(input.amount, {places})", amount=cents / 100)
    assert evaluate(f"round(input.amount, {places})", amount=once) == once
    assert type(once) is (float if places else int)
    off = abs(Decimal(repr(once)) - Decimal(cents).scaleb(-2))
    assert off <= Decimal(5).scaleb(-places - 1)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("sum([0.1, 0.2])", 0.3),
        ("sum([1, 0.5])", 1.5),
        ("sum([1.0e308, 1.0e-308])", 1e308),
        ("sum(['0.10', '1.90', 3])", "5.00"),
        ("sum([])", 0),
        ("['a', 'b', 3].join(', ')", "a, b, 3"),
        ("[].join(', ')", ""),
        ("input.items.map(item, item.name).join('\\n')", "a\nb"),
        ("round(2.5)", 3),
        ("round(-2.5)", -3),
        ("round(1.005, 2)", 1.01),
        ("round('12.345', 2)", "12.35"),
        ("round(-0.2)", 0),
        ("round(7, 2)", 7),
        ("round(1.0e300)", 1e300),
        ("round(1.4) + 0.5", 1.5),
        ("max(['a', 'b'])", "b"),
        ("min([2, 1.5])", 1.5),
        ("now() == timestamp(run.now)", True),
        ("now()", NOON),
        ("string(now() + duration('1h'))", "2026-03-01T13:00:00Z"),
        ("[1, 2].map(run, now() > timestamp('2026-01-01T00:00:00Z'))", [True, True]),
        ("input.items.map(item, item.name.upper())", ["A", "B"]),
    ],
)
def test_what_they_give(source, expected):
    value = evaluate(source, items=[{"name": "a"}, {"name": "b"}])
    assert (value, type(value)) == (expected, type(expected))


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("input.list.upper()", "`upper` cannot be used with a list"),
        ("sum(['ten'])", "texts such as '12.50'"),
        ("sum([true])", "`sum` works on numbers"),
        ("sum(input.nan)", "`sum` works on numbers"),
        ("sum(input)", "`sum` works on a list"),
        ("sum([9223372036854775807, 1])", "overflow"),
        ("sum(['" + "9" * 31 + "'])", "`sum` works on numbers"),
        ("round(1.5, 16)", "0 to 15 decimals"),
        ("round(1.5, -1)", "0 to 15 decimals"),
        ("round('')", "`round` works on numbers"),
        ("[1.5].join(', ')", "`list.map(item, string(item.name)).join(separator)`"),
        ("[true].join(', ')", "`join` works on a list of texts"),
        ("input.join(', ')", "`join` works on a list"),
        ("input.many.join(input.wide)", "1,000,000 characters at most"),
        ("max([])", "check `size(list) > 0` first"),
        ("min([1, 'a'])", "numbers with numbers"),
        ("sum(input.missing)", "input.missing is missing"),
    ],
)
def test_what_has_no_value_says_why(source, says):
    with pytest.raises(ExpressionError) as caught:
        evaluate(source, list=["a"], nan=[float("nan"), 1.5], many=[""] * 12, wide="-" * 100_000)
    assert says in str(caught.value)


def test_nobody_knows_the_time_where_there_is_no_run():
    with pytest.raises(ExpressionError, match=r"`now\(\)` is not available here"):
        compile_expression("now()").evaluate({"input": {}})


@pytest.mark.parametrize("name", sorted({one.name for one in FUNCTIONS if one.name.isidentifier()} - {"in"}))
def test_a_field_or_an_item_may_be_called_like_a_function(name):
    assert evaluate(f"input.{name} + 1", **{name: 1}) == 2
    assert evaluate(f'{{"{name}": 1}}.{name}') == 1
    assert evaluate(f"[1, 2].map({name}, {name} + 1)") == [2, 3]


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("len(input.x)", "there is no `len`: use `size(value)`"),
        ("input.x.length()", "there is no `length`: use `size(value)`"),
        ("input.x.toUpperCase()", "there is no `toUpperCase`: use `text.upper()`"),
        ("upper(input.x)", "`upper` is written as `text.upper()`"),
        ("contains(input.x, 'a')", "`contains` is written as `text.contains(part)`"),
        ("input.x.sum()", "`sum` is written as `sum(list)`"),
        ("if(input.x, 1, 2)", "there is no `if`: use `condition ? this : that`"),
        ("concat(input.x, 'a')", "there is no `concat`: write `this + that`"),
        ("date(input.x)", "there is no `date`: use `timestamp(text)`"),
        ("today()", "there is no `today`: use `now()`"),
        ("input.x.min_by(a, a.b)", "write `list.filter(item, item.price == min("),
        ("input.x.implode(', ')", "there is no `implode`: use `list.join(separator)`"),
        ("format('%s', input.x)", "there is no `format`: write"),
        ("input.x.replace('a', 'b')", "there is no function `replace`: there are has, size, contains"),
        ("input.x.split(',')", "there is no function `split`: there are"),
        ("getMonths(input.x)", "there is no `getMonths`: use `moment.getMonth(zone)`"),
        ("if", "reserved identifier: if"),
    ],
)
def test_a_function_that_is_missing_names_the_nearest(source, says):
    with pytest.raises(ExpressionInvalid) as caught:
        compile_expression(source)
    assert says in str(caught.value)

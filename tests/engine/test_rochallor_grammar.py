"""Rochallor's expressions: what they become, what they give, and how they are said again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.dialects.rochallor.grammar import (
    BadText,
    Binary,
    Call,
    Item,
    Literal,
    Many,
    Name,
    Unary,
    parsed,
    parsed_cel,
)
from engine.dialects.rochallor.spelling import cel, may_be_condition, text
from engine.errors import ExpressionError
from engine.expressions import compile_expression
from tests.engine.strategies import QUICK

VARIABLES = {
    "a": 7,
    "b": 2,
    "x": 0.5,
    "yes": True,
    "word": "it's",
    "list": ["p", "q"],
    "deep": {"in": {"k": 3}},
    "package": 1,
    "nothing": None,
}


def value(source: str):
    return compile_expression(cel(parsed(source))).evaluate({"input": VARIABLES, "vars": {"b": 4}})


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("a", 7),
        ("#a", 7),
        ("${a}", 7),
        ("b", 4),
        ("#deep.in.k", 3),
        ("#list[1]", "q"),
        ("#package", 1),
        ('#word == "it\'s"', True),
        ("${a < 5 || x > 0.25}", True),
        ("#yes && !(#a == 8)", True),
        ("a * 0.01", 0.07),
        ("a - a * 0.5", 3.5),
        ("a / b", 1.75),
        ("a + a / b * 2", 10.5),
        ("(a + 1) / 2", 4.0),
        ("-a + 10", 3),
        ("a - -3", 10),
        ("contains(list, 'q')", True),
        ("'z' in list", False),
        ("a in [1, 7]", True),
        ("len(list) >= 2 && len(word) == 4", True),
        ("nothing == null", True),
        ("a == 'seven'", False),
        ("word + '!'", "it's!"),
        ("1 < 2 == true", True),
    ],
)
def test_an_expression_gives(source, expected):
    assert value(source) == expected
    tree = parsed(source)
    assert parsed_cel(cel(tree)) == tree
    assert parsed(text(tree, marked=True)) == tree


@pytest.mark.parametrize("source", ["gone > 1", "a.b == 2", "yes && a", "'q' in word", "a / 0 > 1"])
def test_an_expression_that_can_not_be_evaluated_is_an_error_and_never_false(source):
    with pytest.raises(ExpressionError):
        compile_expression(cel(parsed(source))).is_true({"input": VARIABLES, "vars": {}})


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("", "empty"),
        ("(((", "missing at its end"),
        ("a b", "`b` is not expected"),
        ("1 +", "missing at its end"),
        ("'open", "has no end"),
        ("a ; b", "`;` is not expected"),
        ("now()", "no function now"),
        ("eval('x')", "no function eval"),
        ("contains(a)", "takes 2"),
        ("${a", "missing at its end"),
        ("99999999999999999999", "too large"),
        ("!" * 40 + "a", "nested deeper"),
        ("in.a", "`in` is not expected"),
    ],
)
def test_what_is_no_expression_says_why(source, reason):
    with pytest.raises(BadText, match=reason):
        parsed(source)


@pytest.mark.parametrize("source", ["1 + 2", "'text'", "len(a)", "-a", "[1]", "null"])
def test_what_is_never_true_or_false_is_no_condition(source):
    assert not may_be_condition(parsed(source))


@pytest.mark.parametrize(
    "source",
    [
        "input.a == 1",
        "context.a / 2 == 1",
        "size(steps.a)",
        "double(context.a) > 1.0",
        "context.a ? 1 : 2",
        "context",
    ],
)
def test_what_s4_could_not_have_said_of_cel_is_refused(source):
    with pytest.raises(BadText):
        parsed_cel(source)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"#a > {'9' * 5000}", "too large"),
        ("1" + "+1" * 500, "follow each other"),
        ("#a" + " || #a" * 65, "follow each other"),
        ("#a" + " == #a" * 5000, "follow each other"),
    ],
)
def test_what_is_too_long_or_too_large_is_told_and_not_counted_out(text, why):
    with pytest.raises(BadText, match=why):
        parsed(text)


def test_a_number_may_have_zeros_before_it():
    assert parsed("0" * 50 + "7") == Literal(7)


NAMES = st.sampled_from(["a", "b", "amount", "in_", "package", "deep"])
LEAVES = st.one_of(
    st.builds(lambda one, more: Name((one, *more)), NAMES, st.lists(NAMES, max_size=2)),
    st.builds(
        Literal,
        st.none()
        | st.booleans()
        | st.integers(-(2**50), 2**50)
        | st.floats(0, 1e6)
        | st.text('abcü "{}\n', max_size=6),
    ),
)
SIGNS = st.sampled_from(["||", "&&", "==", "!=", "<", "<=", ">", ">=", "in", "+", "-", "*", "/"])
TREES = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(Binary, SIGNS, inner, inner),
        st.builds(Unary, st.just("!"), inner),
        st.builds(lambda items: Many(tuple(items)), st.lists(inner, max_size=3)),
        st.builds(lambda of: Call("len", of), inner),
        st.builds(lambda key: Item(Name(("a",)), key), inner),
    ),
    max_leaves=8,
)


@QUICK
@given(TREES)
def test_any_tree_comes_back_from_either_spelling(tree):
    assert parsed_cel(cel(tree)) == tree
    assert parsed(text(tree, marked=False)) == tree

"""The one door to CEL: strict, bounded, helpful (docs/security.md, "Expression language")."""

import math
import threading

import pytest

from engine.errors import ExpressionError, ExpressionInvalid
from engine.expressions import CONTEXT_BYTES, RESULT_BYTES, SOURCE_BYTES, compile_expression

SCOPE = {
    "input": {
        "count": 6,
        "price": 1.5,
        "whole": 3.0,
        "items": [10, 20],
        "kind": "Größenübergang",
        "nothing": None,
        "big": 2**53 + 1,
        "in": "reserved",
        "type": "a type",
        "list": [1],
    },
    "prev": None,
    "steps": {"credit-score": {"output": {"score": 700}}, "type": {"output": 1}},
    "run": {"now": "2026-03-01T12:00:00Z"},
    "output": {"branch": "premium", "amount": 1200},
}


def evaluate(source, scope=SCOPE):
    return compile_expression(source).evaluate(scope)


# --- a condition is true or false, and nothing else is ever true ---


@pytest.mark.parametrize(
    "source",
    [
        "1",
        "0",
        "1.0",
        '"true"',
        '""',
        "null",
        "[true]",
        '{"a": true}',
        'b"x"',
        "type(true)",
        'timestamp("2026-01-01T00:00:00Z")',
        'duration("1h")',
        "input.count",
        "input.nothing",
        "input.missing",
        "input.count.missing",
        "steps.never.output",
        "steps.never.output == 1",
        "item",
        "1 / 0 == 1",
        "input.items[7] == 1",
        'input.kind + 1 == "x"',
        "input.missing || false",
        "input.missing && true",
        "input.count && true",
        "input.count ? true : false",
        'input.kind.matches("(")',
        "9223372036854775807 + 1 > 0",
    ],
)
def test_what_is_not_true_or_false_is_never_true(source):
    try:
        condition = compile_expression(source)
    except ExpressionInvalid:
        return
    with pytest.raises(ExpressionError):
        condition.is_true(SCOPE)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("true", True),
        ("false", False),
        ("output.amount > 1000", True),
        ("output.amount > 1000.5", True),
        ('output.branch == "standard"', False),
        ("3 == 3.0", True),
        ("size(input.items) > 1.5", True),
        ("2 in [2.0]", True),
        ("(input.price > 1 ? 1 : 0.5) == 1.0", True),
        ("input.nothing == null", True),
        ("has(input.nothing)", True),
        ("has(input.missing)", False),
        ('"missing" in input', False),
        ('"count" in input', True),
        ("6 in [input.count]", True),
        ("true || input.missing", True),
        ("has(input.missing) && input.missing.deep > 1", False),
    ],
)
def test_conditions_hold_or_not(source, expected):
    assert compile_expression(source).is_true(SCOPE) is expected


def test_a_condition_whose_type_can_never_be_bool_is_known_when_it_is_compiled():
    assert not compile_expression("size(input.items)").returns_bool
    assert compile_expression("input.flag").returns_bool


# --- numbers ---


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("input.price * 2", 3.0),
        ("2 * input.price", 3.0),
        ("2 * 1.5", 3.0),
        ("input.count * input.price", 9.0),
        ("input.count + 0.5", 6.5),
        ("0.5 - input.count", -5.5),
        ("input.count / 4.0", 1.5),
        ("1.5 / 3", 0.5),
        ("input.count / 4", 1),
        ("input.count % 4", 2),
        ("-input.count * 1.5", -9.0),
        ("size(input.items) * 1.5", 3.0),
        ("input.items[0] * 1.5 + input.items[1]", 35.0),
        ("input.items[input.count - 6]", 10),
        ("int(input.whole) + 1", 4),
        ("input.count + input.count * 2 - 1", 17),
        ("[input.count, input.count * 1.5]", [6, 9.0]),
        ("[1, 2.5][0]", 1),
        ("input.big - 1", 2**53),
        ("input.big > 9007199254740992", True),
        ("string(input.big)", "9007199254740993"),
        ("1e17", 1e17),
        ("[100000000000000000]", [1e17]),
        ("input.count > input.price", True),
        ("input.count == 6.0", True),
    ],
)
def test_integers_and_decimal_numbers_mix_and_integers_stay_integers(source, expected):
    value = evaluate(source)
    assert value == expected
    assert type(value) is type(expected)


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("input.big * 1.5", "over 2^53"),
        ("input.big", "beyond 2^53"),
        ("input.big + 1", "beyond 2^53"),
        ('{"n": [input.big]}', "beyond 2^53"),
        ("9007199254740993", "beyond 2^53"),
        ("-9007199254740993", "beyond 2^53"),
        ("18446744073709551615u", "beyond 2^53"),
        ("input.count / 0.0", "divide by zero"),
        ("input.count / 0", "divide by zero"),
        ("0.0 / 0.0", "not finite"),
        ("1e300 * 1e300", "not finite"),
        ("input.count + input.kind", "`+` cannot be used with an integer and a text"),
        ("input.nothing * 2", "`*` cannot be used with null and an integer"),
        ("9223372036854775807 + 1", "overflow"),
    ],
)
def test_arithmetic_that_has_no_answer_is_an_error(source, reason):
    with pytest.raises(
        ExpressionError, match=reason.replace("+", r"\+").replace("*", r"\*").replace("^", r"\^")
    ):
        evaluate(source)


@pytest.mark.parametrize("value", [2**64, -(2**63) - 1, 2**200, object(), {1: 2}, "\ud800", {1, 2}])
def test_data_that_is_no_json_is_an_error(value):
    with pytest.raises(ExpressionError):
        evaluate("input", {"input": {"x": value}})


@pytest.mark.parametrize("value", ["admin\x00", "\x00", "back\\\x00slash"])
def test_a_text_with_nul_is_refused_because_cel_would_cut_it_off_there(value):
    with pytest.raises(ExpressionError, match="NUL"):
        compile_expression('input.role == "admin"').is_true({"input": {"role": value}})
    assert evaluate("input.role", {"input": {"role": "a literal \\u0000"}}) == "a literal \\u0000"


# --- what comes out ---


@pytest.mark.parametrize("source", ['b"x"', "{1: 2}", "type(1)", 'duration("1h")', "[duration('1h')]"])
def test_a_value_that_is_no_json_is_an_error(source):
    with pytest.raises(ExpressionError, match=r"its value is"):
        evaluate(source)


def test_times_are_computed_from_run_now_and_come_out_as_rfc_3339():
    assert evaluate('timestamp(run.now) + duration("36h")') == "2026-03-03T00:00:00Z"
    assert evaluate('string(duration("90s"))') == "90s"
    assert evaluate('timestamp(run.now) < timestamp("2026-03-02T00:00:00+01:00")') is True


def test_german_text_passes_through_unharmed():
    scope = {"input": {"größe": "Maß", "text": "Fußgängerübergänge – „ja“ 😀"}}
    assert evaluate('input["größe"] + ": " + input.text', scope) == "Maß: Fußgängerübergänge – „ja“ 😀"
    assert evaluate("size(input.text)", scope) == len(scope["input"]["text"])
    assert evaluate('input.text.contains("übergänge")', scope) is True


# --- names ---


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ('steps["credit-score"].output.score', 700),
        ("steps.type.output", 1),
        ('steps["type"].output', 1),
        ('input["in"]', "reserved"),
        ("input.type", "a type"),
        ('input["list"]', [1]),
    ],
)
def test_names_that_cel_reserves_work_as_keys(source, expected):
    assert evaluate(source) == expected


def test_references_say_what_is_read():
    refs = compile_expression(
        'steps["a-b"].output.x > 1 && has(steps.c) && "d" in steps && run.now != input.t'
    ).refs
    assert refs.steps == {"a-b", "c", "d"}
    assert refs.tested == {"c", "d"}
    assert refs.names == {"steps", "run", "input"}
    assert refs.every_step is False


@pytest.mark.parametrize("source", ["steps[input.which].output", "size(steps)", "steps"])
def test_a_computed_step_means_every_step(source):
    assert compile_expression(source).refs.every_step is True


def test_the_presence_of_an_output_field_does_not_ask_for_the_step():
    assert compile_expression("has(steps.a.output)").refs.tested == frozenset()


# --- what is wrong is said ---


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("inputs.x", "there is no name `inputs`"),
        ("secrets.token", "secrets cannot be used in expressions yet"),
        ("shout(input.x)", "there is no function `shout`"),
        ("steps.credit-score.output", 'write steps["credit-score"]'),
        ("input.in", '["in"]'),
        ("1 +", "at column 4"),
        ('"a" + 1', "`+` cannot be used with a text and an integer"),
        ("", "empty"),
        ("   ", "empty"),
        ("\ud800", "Unicode"),
        ("google.protobuf.Struct{}", "cannot be built"),
    ],
)
def test_an_expression_that_does_not_compile_says_why(source, says):
    with pytest.raises(ExpressionInvalid) as caught:
        compile_expression(source)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("input.missing", "input.missing is missing"),
        ("input.missing.deeper", "input.missing is missing"),
        ('input["no such"]', 'input["no such"] is missing'),
        ("input.count.digits", "input.count is a number, so it has no `digits`"),
        ("input.nothing.x", "input.nothing is null, so it has no `x`"),
        ("steps.later.output.x", "step `later` has no output here"),
        ("item.x", "`item` is not available here"),
        ("has(input.nope) ? 1 : input.gone", "input.gone is missing"),
        ("input.items[9]", "index=9"),
        ("steps[input.kind]", "Größenübergang"),
    ],
)
def test_what_is_missing_is_named(source, says):
    with pytest.raises(ExpressionError) as caught:
        evaluate(source)
    assert says in str(caught.value)


# --- limits ---


@pytest.mark.parametrize(
    "source",
    [
        '["a"].map(s, s + s)' + ".map(s, s + s)" * 20,
        "[1,1,1].map(a, [1,1,1].map(b, [1,1,1].map(c, [1,1,1].map(d, a))))",
        "(" * 60 + "1" + ")" * 60,
        "[" * 60 + "]" * 60,
        "input" + ".a" * 600,
        "input" + "[0]" * 600,
        "size(" * 200 + "1" + ")" * 200,
        "1" + "+1" * 1000,
        "true ? " * 300 + "1" + " : 2" * 300,
        "x" * (SOURCE_BYTES + 1),
        "ü" * (SOURCE_BYTES // 2 + 1),
    ],
)
def test_bombs_do_not_compile(source):
    with pytest.raises(ExpressionInvalid):
        compile_expression(source)


def test_only_what_is_read_counts_as_context():
    scope = {"input": {"huge": "x" * 2 * CONTEXT_BYTES, "small": 1}}
    assert evaluate("input.small", scope) == 1
    assert evaluate("has(input.huge)", scope) is True
    with pytest.raises(ExpressionError, match="are allowed"):
        evaluate("size(input.huge)", scope)


def test_results_are_bounded():
    assert len(evaluate("input.x + ''", {"input": {"x": "y" * (RESULT_BYTES - 2)}})) == RESULT_BYTES - 2
    with pytest.raises(ExpressionError, match="65,536 are allowed"):
        evaluate("input.x + ''", {"input": {"x": "y" * RESULT_BYTES}})


def test_naming_a_large_value_again_and_again_is_an_error():
    scope = {"input": {"x": "y" * (CONTEXT_BYTES - 100)}}
    with pytest.raises(ExpressionError, match="too much"):
        evaluate("[" + ", ".join(["input.x"] * 400) + "]", scope)


def test_a_regular_expression_cannot_be_made_to_run_away():
    assert evaluate('input.x.matches("(a+)+$")', {"input": {"x": "a" * 10_000 + "!"}}) is False


# --- threads and speed ---


def test_threads_share_an_expression_without_mixing_values_up():
    expression = compile_expression("input.a * 2 + input.b * 0.5")
    wrong = []

    def work(number):
        for turn in range(500):
            if expression.evaluate({"input": {"a": number, "b": turn}}) != number * 2 + turn * 0.5:
                wrong.append((number, turn))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_nan_in_the_data_makes_no_condition_true():
    assert compile_expression("input.x > 0").is_true({"input": {"x": math.nan}}) is False


def test_a_plain_path_hands_on_a_text_of_any_size_as_it_stands():
    text = "ä" * 1024 * 1024
    scope = {"steps": {"credit-score": {"output": {"text": text}}}}

    assert compile_expression('steps["credit-score"].output.text').evaluate(scope) is text
    with pytest.raises(ExpressionError, match=r"output\.other"):
        compile_expression('steps["credit-score"].output.other').evaluate(scope)


@pytest.mark.parametrize(
    "value", [{"rows": [{"text": "ä" * 1000, "n": 1.0}] * 1000}, ["x" * 1000] * 1000, 7, None, {}]
)
def test_a_plain_path_hands_on_any_value_of_any_size(value):
    scope = {"input": {"big": value}, "steps": {"a": {"output": value}}}

    assert evaluate("input.big", scope) == value
    assert evaluate("steps.a.output", scope) == value
    assert list(evaluate("input", {"input": {"b": 1, "a": 2}})) == ["b", "a"]


@pytest.mark.parametrize(
    "value", ["a\0b", "\ud800", {"a\0": 1}, [math.nan], [{1: 2}], [object()], [2**53 + 1]]
)
def test_a_plain_path_hands_on_nothing_that_cannot_be_stored(value):
    scope = {"input": {"x": value, "filler": ["y" * 100] * 1000}}

    for source in ("input", "input.x"):
        with pytest.raises(ExpressionError):
            evaluate(source, scope)

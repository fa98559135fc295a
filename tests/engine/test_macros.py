"""List macros: values, messages, bounds, by real child processes (docs/security.md, "Expression language")."""

import math
import threading
from time import monotonic

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import ExpressionError, ExpressionInvalid
from engine.expressions import (
    CONTEXT_BYTES,
    RESULT_BYTES,
    LoopingExpression,
    compile_expression,
    compile_here,
)
from engine.limits import EXPRESSION_MACROS, LOOPED_SUMS, MACRO_LEVELS
from tests.engine.strategies import QUICK

pytestmark = pytest.mark.slow

SCOPE = {
    "input": {
        "rows": [{"n": 1, "tag": "a"}, {"n": 2.5, "tag": "b"}, {"n": 3, "tag": "a"}],
        "nested": [[1, 2], [3], []],
        "none": [],
        "object": {"ä": 1, "b": 2},
        "text": "abc",
        "count": 6,
        "many": list(range(3000)),
        "big": [2**53 + 1],
    },
    "steps": {"a": {"output": 1}, "b-c": {"output": 2}},
    "run": {"now": "2026-03-01T12:00:00Z"},
}
ROWS = "input.rows"


def evaluate(source, scope=SCOPE):
    expression = compile_expression(source)
    assert type(expression) is LoopingExpression
    return expression.evaluate(scope)


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("input.rows.all(r, r.n > 0)", True),
        ("input.rows.all(r, r.n > 1)", False),
        ("input.none.all(r, false)", True),
        ("input.rows.exists(r, r.tag == 'b')", True),
        ("input.none.exists(r, true)", False),
        ("input.rows.exists_one(r, r.tag == 'b')", True),
        ("input.rows.exists_one(r, r.tag == 'a')", False),
        ("input.rows.map(r, r.n)", [1, 2.5, 3]),
        ("input.rows.map(r, r.n * 2)", [2, 5.0, 6]),
        ("input.rows.map(r, r.n + 0.5)", [1.5, 3.0, 3.5]),
        ("[1, 2].map(x, x * 1.5)", [1.5, 3.0]),
        ("[7, 8].map(x, x / 2)", [3, 4]),
        ("input.rows.map(r, r.n > 1, r.tag)", ["b", "a"]),
        ("input.rows.filter(r, r.tag == 'a').map(r, r.n)", [1, 3]),
        ("input.nested.map(xs, xs.map(x, x + 1))", [[2, 3], [4], []]),
        ("size(input.rows.filter(r, has(r.n)))", 3),
        ("input.object.all(key, input.object[key] > 0)", True),
        ("input.object.exists(key, key == 'ä')", True),
        ("['a', 'b-c'].map(id, steps[id].output)", [1, 2]),
        ("[input.count].map(item, item + 1)", [7]),
        ("input.rows.map(input, input.n)[0]", 1),
        ("[timestamp(run.now)].map(t, t + duration('1h'))", ["2026-03-01T13:00:00Z"]),
        ("[timestamp(run.now)].map(t, t.getHours('Europe/Berlin'))", [13]),
    ],
)
def test_each_macro_gives_its_value(source, expected):
    value = evaluate(source)
    assert value == expected
    assert [type(v) for v in flat(value)] == [type(v) for v in flat(expected)]


def flat(value):
    if isinstance(value, list):
        return [leaf for item in value for leaf in flat(item)]
    return [value]


@pytest.mark.parametrize(
    "value",
    [
        None, True, False, 0, -1, 2**53, -(2**53), 0.0, 1.0, 0.1, 1e300, 5e-324, -2.5, "", "ä😀\n\"\\", [], {},
        [1, 1.0, "1", None, [True, {"a": []}]], {"größe": {"x": [1.0, 2]}, "": None}, 10**17 + 0.0,
    ],
)  # fmt: skip
def test_every_json_value_comes_back_as_it_was(value):
    back = evaluate("[input.x].map(v, v)", {"input": {"x": value}})
    assert repr(back) == repr([value]) or (isinstance(value, dict) and back == [value])
    assert type(back[0]) is type(value)


def test_a_negative_zero_and_nan_arrive_as_they_are():
    assert math.copysign(1, evaluate("[input.x].map(v, v)[0]", {"input": {"x": -0.0}})) == -1
    assert (
        compile_expression("[input.x].exists(v, v > 0 || v == null)").is_true({"input": {"x": math.nan}})
        is False
    )


def test_texts_and_numbers_of_other_classes_are_taken_as_what_they_are():
    class Name(str):
        pass

    assert evaluate("[input.x].map(v, v + '!')", {"input": {"x": Name("a")}}) == ["a!"]


def test_macros_in_conditions_are_true_or_false_or_an_error():
    assert compile_expression("input.rows.all(r, r.n > 0)").is_true(SCOPE) is True
    assert compile_expression("input.rows.all(r, r.n > 1)").is_true(SCOPE) is False
    for source in ("input.rows.map(r, r.n)", "input.rows.exists(r, r.missing)", "input.gone.all(r, true)"):
        with pytest.raises(ExpressionError):
            compile_expression(source).is_true(SCOPE)


FAILURES = [
    ("input.rows.map(r, r.nope)", "an object has no `nope`"),
    ("input.gone.all(r, true)", "input.gone is missing"),
    ("input.rows.all(r, r.n)", "`&&` and `all` work on true and false only"),
    ("input.rows.exists(r, r.n)", "`||` and `exists` work on true and false only"),
    ("input.rows.filter(r, r.n)", "`filter`"),
    ("input.text.all(c, true)", "work on lists and objects only"),
    ("input.rows.map(r, r.n / 0)", "divide by zero"),
    ("input.rows.map(r, r.n / 0.0)", "divide by zero"),
    ("input.rows.map(r, r.n + r.tag)", "`+` cannot be used with an integer and a text"),
    ("input.rows.map(r, duration('1h'))", "its value is no JSON"),
    ("input.big.map(n, n)", "beyond 2^53"),
    ("[9].map(i, input.rows[i])", "index"),
    ("input.many.all(a, input.many.all(b, true))", "more than 10,000 items"),
    ("[steps.later.output].map(x, x)", "step `later` has no output here"),
]


@pytest.mark.parametrize(("source", "says"), FAILURES)
def test_what_fails_inside_says_why(source, says):
    with pytest.raises(ExpressionError) as caught:
        evaluate(source)
    assert says in str(caught.value)
    assert str(caught.value).startswith(f"`{source}` failed: ")


@pytest.mark.parametrize("source", [source for source, _ in FAILURES])
def test_a_child_says_the_same_as_this_process(source):
    with pytest.raises(ExpressionError) as here:
        compile_here(source).evaluate(SCOPE)
    with pytest.raises(ExpressionError) as apart:
        evaluate(source)
    assert str(apart.value) == str(here.value)


# --- what it reads ---


def test_the_names_of_items_are_no_names_of_the_scope():
    refs = compile_expression(
        "input.rows.all(item, item.n > index) && steps.a.output.map(steps, steps.x) == []"
    ).refs
    assert refs.names == {"input", "index", "steps"}
    assert refs.steps == {"a"}
    assert refs.every_step is False
    assert compile_expression("[item].map(item, item)").refs.names == {"item"}
    assert compile_expression("['a'].map(id, steps[id].output)").refs.every_step is True


def test_a_macro_reads_and_gives_within_the_bounds_of_any_expression():
    assert evaluate("[1].map(x, input.small)", {"input": {"huge": "x" * CONTEXT_BYTES, "small": 1}}) == [1]
    with pytest.raises(ExpressionError, match="262,144 are allowed"):
        evaluate("input.x.map(x, 1)", {"input": {"x": ["y" * CONTEXT_BYTES]}})
    with pytest.raises(ExpressionError, match="65,536 are allowed"):
        evaluate("[input.x].map(x, x)", {"input": {"x": "y" * RESULT_BYTES}})
    assert (
        len(evaluate("[input.x].map(x, x)", {"input": {"x": "y" * (RESULT_BYTES - 4)}})[0])
        == RESULT_BYTES - 4
    )
    rows = [{"text": "ä" * 100}] * 1000
    assert evaluate("size(input.rows.filter(r, size(r.text) == 100))", {"input": {"rows": rows}}) == 1000


# --- what is refused, and what is ended ---


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("[1].map(a, [a].map(b, [b].map(c, [c].map(d, d))))", f"{MACRO_LEVELS} levels are allowed"),
        (
            "[1].all(a, [a].map(b, [b].map(c, c)).exists(d, [d].all(e, [e].map(f, [f].map(g, g)) == [])))",
            "levels",
        ),
        ("[1]" + ".map(a, a)" * (EXPRESSION_MACROS + 1), f"{EXPRESSION_MACROS} are allowed"),
        ("[1].map(a, " + "+".join(["a"] * (LOOPED_SUMS + 2)) + ")", f"{LOOPED_SUMS} are allowed"),
        ("[1].map(a, a +)", "does not compile"),
        ("input.rows.all(r.x, true)", "simple identifier"),
        ("[1].map(a, shout(a))", "no function `shout`"),
        ("[1].map(a, b)", "no name `b`"),
    ],
)
def test_macros_without_measure_do_not_compile(source, says):
    with pytest.raises(ExpressionInvalid) as caught:
        compile_expression(source)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    "source",
    [
        "[[[1]]].map(a, a.map(b, b.map(c, c)))",
        "[1]" + ".map(a, a)" * EXPRESSION_MACROS,
        "[1].map(a, " + "+".join(["a"] * (LOOPED_SUMS + 1)) + ")",
        "[1].exists_one(a, a == 1) && " + " + ".join(["1"] * 15) + " > 0",
    ],
)
def test_macros_up_to_the_bounds_are_evaluated(source):
    evaluate(source)


NUMBERS = "[" + ",".join(["1"] * 30) + "]"
HOSTILE = {
    "nested maps": f"{NUMBERS}.map(a, {NUMBERS}.map(b, {NUMBERS}.map(c, a)))",
    "nested maps over data": "input.many.map(a, input.many.map(b, input.many.map(c, a)))",
    "doubled texts": '["' + "a" * 1000 + '"]' + ".map(s, s + s + s)" * 10,
    "doubled lists": '["a"]' + ".map(s, [s, s, s, s, s, s, s, s, s])" * 10,
    "a list of lists": "input.many.map(a, input.many)",
    "a list in each place": "input.most.map(a, a + 1)",
    "many texts": "input.rows.map(a, input.long + input.long + input.long)",
    "a search in a search": "input.many.all(a, input.many.filter(b, b > a + 1) != [1])",
}


@pytest.mark.parametrize("source", HOSTILE.values(), ids=HOSTILE)
def test_what_would_take_all_memory_or_time_ends_soon_and_the_next_is_evaluated(source):
    scope = {
        "input": {
            "many": list(range(3000)),
            "most": list(range(9900)),
            "rows": [1] * 2000,
            "long": "x" * 200_000,
        }
    }
    expression = compile_expression(source)
    evaluate("[1].map(a, a)")
    started = monotonic()
    with pytest.raises(ExpressionError, match=r"it takes longer than|it needs more memory than|10,000 items"):
        expression.evaluate(scope)
    # 0.25 s where there is a processor to be had; up to 2 s more, and a start, where every processor is busy.
    assert monotonic() - started < 10
    assert evaluate("[1].map(a, a + 1)") == [2]


def test_nesting_is_refused_before_anything_is_started():
    with pytest.raises(ExpressionInvalid, match="nested too deeply"):
        compile_expression("[1].map(a, " + "(" * 60 + "a" + ")" * 60 + ")")


# --- threads, and everything at random ---


def test_threads_ask_at_once_without_mixing_answers_up():
    expression = compile_expression("input.xs.map(x, x * input.by)")
    wrong = []

    def work(number):
        for turn in range(25):
            value = expression.evaluate({"input": {"xs": [number, turn, 0.5], "by": number}})
            if value != [number * number, turn * number, 0.5 * number]:
                wrong.append((number, turn, value))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(32)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


NUMBER = st.integers(-(10**6), 10**6) | st.floats(-1e6, 1e6, allow_nan=False)
REFERENCE = {
    "input.xs.all(x, x > input.k)": lambda xs, k: all(x > k for x in xs),
    "input.xs.exists(x, x > input.k)": lambda xs, k: any(x > k for x in xs),
    "input.xs.exists_one(x, x > input.k)": lambda xs, k: sum(x > k for x in xs) == 1,
    "input.xs.filter(x, x > input.k)": lambda xs, k: [x for x in xs if x > k],
    "input.xs.map(x, x + input.k)": lambda xs, k: [x + k for x in xs],
    "input.xs.map(x, x > input.k, [x])": lambda xs, k: [[x] for x in xs if x > k],
    "input.xs.map(x, input.xs.filter(y, y > x)).map(ys, size(ys))": lambda xs, k: [
        sum(y > x for y in xs) for x in xs
    ],
}


@QUICK
@given(xs=st.lists(NUMBER, max_size=20), k=NUMBER, source=st.sampled_from(sorted(REFERENCE)))
def test_a_macro_gives_what_python_gives(xs, k, source):
    value = evaluate(source, {"input": {"xs": xs, "k": k}})
    expected = REFERENCE[source](xs, k)
    assert value == expected
    assert [type(v) for v in flat(value)] == [type(v) for v in flat(expected)]

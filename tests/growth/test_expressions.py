"""An expression, a condition or a template takes no more than its share of the process that evaluates it."""

import random
import time
from collections.abc import Callable
from contextlib import suppress

import pytest

from engine.catalogue import Json
from engine.cel_work import pattern_weight
from engine.decide import begin
from engine.errors import ExpressionError, TooMuchWork
from engine.expressions import compile_expression
from engine.graph import compile_graph
from engine.templates import compile_template
from engine.work import Sharing, Work
from steps.catalogue import EXECUTABLE

NASTY = '"[ab]*a[ab]{900}c"'
SECONDS = 0.5


def scope(size: int) -> dict[str, Json]:
    text = "".join(random.Random(size).choices("ab", k=size))
    items = [1] * (size // 2)
    return {
        "input": {
            "t": text,
            "u": "a" * (size // 3) + "b",
            "a": "a" * (size // 2),
            "p": NASTY[1:-1],
            "l": items,
        }
    }


SOURCES = {
    "matches": " || ".join([f"input.t.matches({NASTY})"] * 30),
    "one": f"input.t.matches({NASTY})",
    "computed pattern": "input.t.matches(input.p)",
    "contains": " || ".join(["input.a.contains(input.u)"] * 15),
    "large patterns": " || ".join(f'input.p.matches("\\\\\\\\pL{{{900 + at}}}")' for at in range(60)),
    "lists": " || ".join(["input.l == input.l"] * 15),
    "in": " && ".join(["!(input.u in input.l)"] * 15),
    "sums": " + ".join(["sum(input.l)"] * 15),
    "capitals": " + ".join(["size(input.t.upper().lower().trim())"] * 8),
    "sizes": " + ".join(["size(input.t)"] * 30),
}


def seconds_of(done: Callable[[], object]) -> float:
    """The time that this thread computes, which holds the lock that all others need."""
    began = time.thread_time()
    with suppress(ExpressionError):
        done()
    return time.thread_time() - began


@pytest.mark.parametrize("name", SOURCES)
@pytest.mark.parametrize("size", [4_000, 16_000, 64_000, 240_000])
def test_an_expression_does_not_hold_its_process_up(name: str, size: int):
    expression = compile_expression(SOURCES[name])
    assert seconds_of(lambda: expression.evaluate(scope(size))) < SECONDS
    assert seconds_of(lambda: expression.is_true(scope(size))) < SECONDS


def test_what_takes_too_long_says_where_it_stands_and_what_is_allowed():
    template = compile_template({"a": {"b": f"{{{{ {SOURCES['matches']} }}}}"}})
    with pytest.raises(TooMuchWork) as refused:
        template.render(scope(240_000))
    assert refused.value.details == {"place": "a.b", "budget": "250 ms"}


def test_many_small_expressions_end_at_a_budget():
    hole = f"{{{{ input.t.matches({NASTY}) }}}}"
    template = compile_template([hole] * 20_000)
    began = time.thread_time()
    with Sharing(Work("", 400_000)), pytest.raises(TooMuchWork, match="400,000 units of work"):
        template.render(scope(1_000))
    assert time.thread_time() - began < 2 * SECONDS


def test_a_decision_that_takes_too_long_fails_with_its_place():
    nodes = [{"id": "ask", "type": "decision"}, {"id": "yes", "type": "noop"}]
    edges = [{"from": "ask", "to": "yes", "when": SOURCES["matches"]}]
    graph = compile_graph({"name": "a", "nodes": nodes, "edges": edges}, EXECUTABLE)
    effects = begin(graph, {**scope(240_000), "prev": None, "vars": {}, "steps": {}, "run": {}})
    error = next(step.error for step in effects.steps if step.node.id == "ask")
    assert (error["code"], error["retryable"]) == ("TooMuchWork", False)
    assert error["details"]["budget"] == "250 ms"


@pytest.mark.parametrize(
    ("pattern", "least"),
    [
        ("a{900}", 900),
        ("[ab]*a[ab]{900}c", 900),
        ("(a{10}){10}", 100),
        ("\\pL", 100),
        ("(?i)abc", 9),
        ("(a|b)+", 2),
    ],
)
def test_a_pattern_weighs_what_it_repeats(pattern: str, least: int):
    assert least <= pattern_weight(pattern) < 30 * least


def test_a_weight_grows_with_its_pattern():
    for piece in ("(", "[[:", "[", "a{", "\\p{", "(?i", "{9}", "(a{9})"):
        began = time.process_time()
        pattern_weight(piece * 20_000)
        assert time.process_time() - began < 1

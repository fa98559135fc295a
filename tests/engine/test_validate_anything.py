"""`validate` judges any JSON, however odd or large, and never raises (R-023)."""

import json
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.definition import Definition
from engine.problems import Code
from engine.validate import validate
from tests.engine.spec_samples import CATALOGUE, Spec, definition, edge, node

CODES = set(get_args(Code))


def found(document):
    return validate(document, CATALOGUE)


QUICK = settings(max_examples=60, deadline=None, derandomize=True, database=None)
words = st.sampled_from(
    ["a", "b", "noop", "decision", "job", "text.clean", "{{ steps.a.output }}", "{{ 1 + }}", "{{", "default", "error",
     "output.x > 1", "fail", "branch", "P1D", "", "ä", "\ud800", "\x00", "all", "object"]
)  # fmt: skip
junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | words | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(words | st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=6,
)
node_keys = [
    "id",
    "type",
    "params",
    "input",
    "join",
    "retry",
    "on_error",
    "queue",
    "boundary_timers",
    "compensate",
    "secrets",
]
nodes = (
    st.dictionaries(st.sampled_from(node_keys), junk, max_size=8)
    | st.builds(node, words, words, params=junk)
    | junk
)
edges = (
    st.dictionaries(st.sampled_from(["from", "to", "when", "branch", "default", "on"]), junk)
    | st.builds(edge, words, words, when=words)
    | junk
)
documents = junk | st.fixed_dictionaries(
    {},
    optional={
        "name": junk, "nodes": st.lists(nodes, max_size=5) | junk, "edges": st.lists(edges, max_size=6) | junk,
        "input_schema": junk, "output": junk, "business_key": junk, "metadata": junk, "extra": junk,
    },
)  # fmt: skip


@QUICK
@given(documents)
def test_no_json_makes_it_raise_and_what_it_finds_can_be_sent(document):
    problems = found(document)
    for problem in problems:
        assert problem.code in CODES
        json.dumps(problem.as_dict(), ensure_ascii=False).encode()
        assert "\x00" not in problem.message


@QUICK
@given(documents)
def test_a_document_without_errors_has_the_right_shape(document):
    if not any(problem.severity == "error" for problem in found(document)):
        assert Definition.model_validate(document)


def test_all_that_is_wrong_with_the_shape_is_said_at_once():
    assert {problem.field for problem in found({"nodes": [{"id": "1"}]})} == {
        "name",
        "nodes[0].id",
        "nodes[0].type",
    }


def test_a_step_type_from_elsewhere_with_an_odd_schema_does_no_harm():
    odd = {"type": ["object", 3], "required": [1, "x"], "properties": [], "anyOf": "no"}
    catalogue = {"odd": Spec("odd", input_schema=odd, gives={"$ref": "#/nowhere"})}
    assert validate(definition([node("a", "odd"), node("b", "odd")], [edge("a", "b")]), catalogue) == []


@pytest.mark.parametrize("width", [1, 6])
def test_the_largest_definition_is_judged(width):
    names = [f"n{at}" for at in range(500)]
    edges = [
        edge(names[at], names[to]) for at in range(500) for to in range(at + 1, min(500, at + 1 + width))
    ]
    document = definition([node(name) for name in names], edges)
    assert {problem.code for problem in found(document)} == {"chain_too_long"}
    assert found(definition([node(f"n{at}") for at in range(2001)]))[0].code == "too_many_nodes"

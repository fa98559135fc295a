"""Types only change how values look: no params, whatever their shape, keep a valid version from being compiled."""

from dataclasses import replace
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine import value_types
from engine.bodies import definition_of
from engine.catalogue import BODY
from engine.graph import compile_graph
from engine.value_types import OUTER, part_with_types
from steps.catalogue import EXECUTABLE
from workflows.versions.examples import examples

READS_A = {
    "title": "Pay {{ steps.a.output.facts }}?",
    "facts": {"By": "{{ steps.a.output.by }}", "Paid": '{{ steps.a.output.facts["Amount"] }}'},
}
EXPRESSION = "{{ input.whatever }}"


def flow(params, **more):
    nodes = [
        {"id": "a", "type": "human.approval", "params": params, **more},
        {"id": "b", "type": "human.approval", "params": READS_A},
    ]
    return {"name": "odd", "nodes": nodes, "edges": [{"from": "a", "to": "b"}]}


@pytest.mark.parametrize("name", ["facts", "facts_schema", "outcomes", "form", "candidates", "amendable"])
def test_a_param_that_is_one_expression_compiles(name):
    graph = compile_graph(flow({"title": "?", "facts": {"Amount": 1}, name: EXPRESSION}), EXECUTABLE)
    assert graph.nodes["b"].types["steps", "a", "output", "by"]["format"] == "person"


@pytest.mark.parametrize("items", [EXPRESSION, ["{{ steps.a.output.data }}"], {"a": EXPRESSION}, 7, None])
def test_a_container_around_a_human_step_compiles(items):
    inner = {"id": "ask", "type": "human.approval", "params": READS_A}
    each = {"id": "each", "type": "map", "params": {"items": items, "body": {"steps": [inner]}}}
    whole = flow({"title": "?", "facts": EXPRESSION, "form": EXPRESSION})
    whole = {
        **whole,
        "nodes": [*whole["nodes"], each],
        "edges": [*whole["edges"], {"from": "b", "to": "each"}],
    }
    part = {"name": "each", "part_of": "each", "nodes": [inner], "edges": []}
    typed = part_with_types(whole, "each", part, EXECUTABLE)
    assert typed[OUTER]["steps"]["a"]["properties"]["by"]["format"] == "person"
    types = compile_graph(typed, EXECUTABLE).nodes["ask"].types
    assert types["steps", "a", "output", "by"]["format"] == "person"


def failures():
    """What is logged of types that can't be found out: nothing, but for what a plug-in raises."""
    return patch.object(value_types.log, "exception")


KEYWORDS = [
    *(
        "type",
        "format",
        "properties",
        "items",
        "oneOf",
        "allOf",
        "anyOf",
        "$ref",
        "const",
        "title",
        "if",
        "then",
    ),
    *("dependentSchemas", "$defs", "required", "x-currency", "Amount", "name", "label"),
]
ODD = st.recursive(
    st.sampled_from([EXPRESSION, "{{ steps.a.output.facts }}", "plain", 1, 1.5, True, None, "", "#/$defs/a"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(KEYWORDS),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)
PARAMS = st.fixed_dictionaries(
    {"title": st.just("?")},
    optional=dict.fromkeys(
        ("facts", "facts_schema", "facts_order", "outcomes", "form", "amendable", "candidates", "quorum"), ODD
    ),
)


@given(PARAMS, ODD, ODD, ODD)
def test_params_of_any_shape_compile(params, mapping, input_schema, result):
    document = flow(params, input=mapping) | {"input_schema": input_schema}
    if isinstance(result, dict | str):
        document["request"] = {"result": result}
    with failures() as logged:
        graph = compile_graph(document, EXECUTABLE)
    assert set(graph.nodes) == {"a", "b"}
    assert not logged.called


@given(ODD, ODD)
def test_a_container_with_params_of_any_shape_has_a_part(items, facts):
    inner = {"id": "ask", "type": "human.form", "params": {"title": "{{ item.Amount }}"}}
    for params in ({"items": items}, {"input": items}):
        each = {"id": "each", "type": "map", "params": {**params, "body": {"steps": [inner]}}}
        whole = flow({"title": "?", "facts": facts})
        whole["nodes"].append(each)
        part = {"name": "each", "part_of": "each", "nodes": [inner], "edges": []}
        with failures() as logged:
            typed = part_with_types(whole, "each", part, EXECUTABLE)
        assert not logged.called
        assert {key: value for key, value in typed.items() if key != OUTER} == part
        assert "ask" in compile_graph(typed, EXECUTABLE).nodes


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.name)
def test_the_examples_that_handoff_comes_with_keep_their_types(example):
    with failures() as logged:
        graph = compile_graph(example.definition, EXECUTABLE)
        containers = [node for node in graph.nodes.values() if node.body is not None and node.body.part]
        raw = {node["id"]: node for node in example.definition["nodes"]}
        for node in containers:
            part = definition_of(raw[node.id], raw[node.id]["params"][BODY], EXECUTABLE)
            compile_graph(part_with_types(example.definition, node.id, part, EXECUTABLE), EXECUTABLE)
    assert set(graph.nodes) == set(raw)
    assert not logged.called


def _raises(_params):
    raise RuntimeError("a plug-in's mistake")


def test_a_plug_in_that_cannot_say_what_it_gives_leaves_values_untyped(caplog):
    catalogue = {**EXECUTABLE, "broken": replace(EXECUTABLE["job"], name="broken", output_schema_of=_raises)}
    nodes = [
        {"id": "a", "type": "broken"},
        {"id": "b", "type": "human.approval", "params": {"title": "{{ steps.a.output.amount }}"}},
    ]
    document = {"name": "odd", "nodes": nodes, "edges": [{"from": "a", "to": "b"}]}
    document["request"] = {"result": {"Amount": "{{ steps.a.output.amount }}"}}
    graph = compile_graph(document, catalogue)
    assert graph.nodes["b"].types == {}
    assert graph.result_types == {}
    assert [record.name for record in caplog.records].count("engine.value_types") == 1
    inner = {"id": "ask", "type": "human.form", "params": {"title": "?"}}
    document["nodes"].append(
        {"id": "each", "type": "map", "params": {"items": [1], "body": {"steps": [inner]}}}
    )
    part = {"name": "each", "part_of": "each", "nodes": [inner], "edges": []}
    assert part_with_types(document, "each", part, catalogue) == part

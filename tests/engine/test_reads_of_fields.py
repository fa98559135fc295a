"""What expressions read of values with known schemas: what is never there, what need not be, and what is not judged."""

import pytest

from engine.validate import validate
from steps.catalogue import CATALOGUE

CLOSED = {
    "type": "object",
    "properties": {
        "amount": {"type": "number"},
        "note": {"type": "string"},
        "to": {"$ref": "#/$defs/Person"},
        "any": {},
    },
    "required": ["amount"],
    "additionalProperties": False,
    "$defs": {
        "Person": {
            "type": "object",
            "properties": {"name": {"type": "string"}},
            "additionalProperties": False,
        }
    },
}


def found(expression, schema=CLOSED, nodes=(), edges=()):
    last = {"id": "last", "type": "transform", "params": {"set": {"n": "{{ " + expression + " }}"}}}
    edges = [*edges, *({"from": node["id"], "to": "last"} for node in nodes)]
    document = {"name": "w", "input_schema": schema, "nodes": [*nodes, last], "edges": edges}
    return [(one.code, one.severity) for one in validate(document, CATALOGUE)]


@pytest.mark.parametrize("expression", ["input.amout", 'input["amout"]', "input.to.nam", "1 + input.amout"])
def test_a_field_that_a_closed_input_does_not_have_is_an_error(expression):
    assert found(expression) == [("no_such_field", "error")]


@pytest.mark.parametrize(
    ("expression", "schema"),
    [
        ("input.amount", CLOSED),
        ("input.to.name", CLOSED),
        ("input.any.thing", CLOSED),
        ("has(input.amout) ? input.amout : 1", CLOSED),
        ("input.amout", {**CLOSED, "additionalProperties": True}),
        ("input.amout", {**CLOSED, "anyOf": [{}]}),
        ("input.amout", {**CLOSED, "patternProperties": {"^a": {}}}),
        ("input.amout", {"type": "object"}),
        ("context.amout", CLOSED),
    ],
)
def test_what_may_be_there_is_not_judged(expression, schema):
    assert found(expression, schema) == []


def test_a_field_that_a_step_never_gives_is_a_warning():
    get = {"id": "get", "type": "http.request", "params": {"url": "https://a.example/"}}
    assert found("steps.get.output.stats", nodes=[get]) == [("no_such_output", "warning")]
    assert found("steps.get.output.body.x", nodes=[get]) == []
    failed = {**get, "on_error": "continue"}
    assert found("steps.get.output.error", nodes=[failed]) == []


def test_on_an_edge_the_output_is_that_of_the_step_before():
    get = {"id": "get", "type": "http.request", "params": {"url": "https://a.example/"}}
    edges = [
        {"from": "get", "to": "last", "when": "output.stats == 200"},
        {"from": "get", "to": "last", "default": True},
    ]
    document = {"name": "w", "nodes": [get, {"id": "last", "type": "noop"}], "edges": edges}
    assert [one.code for one in validate(document, CATALOGUE)] == ["no_such_output"]


def facts(value, **more):
    schema = {**CLOSED, **more}
    node = {
        "id": "ask",
        "type": "human.form",
        "params": {"title": "?", "due_seconds": 60, "facts": {"F": value}},
    }
    document = {"name": "w", "input_schema": schema, "nodes": [node]}
    return [(one.code, one.field) for one in validate(document, CATALOGUE)]


def test_an_input_that_need_not_be_given_is_no_fact_by_itself():
    assert facts("{{ input.note }}") == [("optional_fact", "nodes[0].params.facts.F")]
    assert facts("Note: {{ input.note }}") == [("optional_fact", "nodes[0].params.facts.F")]
    assert facts("{{ input.amount }}") == []
    assert facts("{{ has(input.note) ? input.note : '' }}") == []
    assert facts("{{ input.note }}", required=["amount", "note"]) == []


@pytest.mark.parametrize("body", [{"n": "{{ input.amount }}"}, ["{{ input.amount }}"], {"n": 1}])
def test_an_object_or_a_list_is_no_text_whatever_is_in_it(body):
    post = {
        "id": "post",
        "type": "email.send",
        "params": {"to": "ann@example.org", "subject": "Hi", "body": body},
    }
    document = {"name": "w", "nodes": [post]}
    assert [(one.code, one.field) for one in validate(document, CATALOGUE)] == [
        ("bad_params", "nodes[0].params.body")
    ]


def test_an_expression_may_give_what_is_wanted():
    whole = {
        "title": "?",
        "due_seconds": 60,
        "quorum": {"need": "{{ input.need }}"},
        "candidates": "{{ input.c }}",
    }
    assert (
        validate({"name": "w", "nodes": [{"id": "a", "type": "human.form", "params": whole}]}, CATALOGUE)
        == []
    )


def test_steps_that_are_connected_anyhow_start_together():
    nodes = [{"id": name, "type": "noop"} for name in "abcd"]
    together = [{"from": "a", "to": "c"}, {"from": "b", "to": "c"}, {"from": "c", "to": "d"}]
    assert validate({"name": "w", "nodes": nodes, "edges": together}, CATALOGUE) == []
    apart = [{"from": "a", "to": "b"}, {"from": "c", "to": "d"}]
    assert [
        (one.code, one.node) for one in validate({"name": "w", "nodes": nodes, "edges": apart}, CATALOGUE)
    ] == [("starts_apart", "c")]

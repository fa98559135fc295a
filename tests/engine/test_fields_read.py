"""The schema of a value comes from what expressions read of it, its types from schemas and from operators."""

import pytest

from engine.fields_read import input_read, outputs_read, payload_read
from steps.catalogue import CATALOGUE

WAIT = {"id": "wait", "type": "signal", "params": {"name": "paid"}}


def document(*nodes, edges=(), **more):
    return {
        "nodes": list(nodes),
        "edges": [dict(zip(("from", "to"), edge, strict=True)) for edge in edges],
    } | more


def noop(id="next", **node):
    return {"id": id, "type": "noop", **node}


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("prev.a > 5", {"a": {"type": "number"}}),
        ("prev.a * prev.b", {"a": {"type": "number"}, "b": {"type": "number"}}),
        ("prev.a == 'x'", {"a": {"type": "string"}}),
        ("prev.a in ['x', 'y']", {"a": {"type": "string"}}),
        ("!prev.a", {"a": {"type": "boolean"}}),
        ("prev.a ? prev.b : 1", {"a": {"type": "boolean"}, "b": {}}),
        ("prev.a.startsWith('x')", {"a": {"type": "string"}}),
        ("prev.a.map(x, x.b)", {"a": {"type": "array"}}),
        ("prev.a[0].b", {"a": {"type": "array"}}),
        ("has(prev.a)", {"a": {}}),
        ("'a' in prev", {"a": {}}),
        ("prev['a b'].c", {"a b": {"type": "object", "properties": {"c": {}}}}),
        ("steps.wait.output.a == 1.5 || prev.a == 2", {"a": {"type": "number"}}),
        ("prev.a == 1 || prev.a == 'x'", {"a": {}}),
    ],
)
def test_operators_say_of_which_type_a_value_is(expression, expected):
    after = noop(params={"x": "{{ " + expression + " }}"})
    schema = payload_read(document(WAIT, after, edges=[("wait", "next")]), "wait", CATALOGUE)
    assert schema == {"type": "object", "properties": expected}


def test_a_value_within_a_text_is_a_text_unless_an_operator_says_otherwise():
    after = noop(params={"x": "By {{ prev.by }}: {{ prev.amount }}"}, input=None)
    edge = {"from": "wait", "to": "next", "when": "output.amount > 1"}
    schema = payload_read(document(WAIT, after) | {"edges": [edge]}, "wait", CATALOGUE)
    assert schema["properties"] == {"by": {"type": "string"}, "amount": {"type": "number"}}
    assert schema["required"] == ["amount"]


def test_it_is_found_wherever_it_is_read():
    inner = [noop("in", params={"x": "{{ steps.wait.output.within }}"})]
    nodes = [
        {**WAIT, "set_vars": {"who": "{{ output.set }}"}},
        noop("one", input={"x": "{{ prev.mapped }}"}, params={"y": "{{ prev.of_the_mapping }}"}),
        {"id": "each", "type": "map", "params": {"items": "{{ [1] }}", "body": {"steps": inner}}},
        {
            "id": "loop",
            "type": "loop",
            "params": {"until": "steps.wait.output.until", "body": {"steps": inner}},
        },
        noop("join", params={"x": "{{ prev.wait.joined }}", "z": "{{ prev.one.other }}"}),
        noop("undone", compensate={"type": "noop", "params": {"x": "{{ steps.wait.output.undone }}"}}),
    ]
    edges = [("wait", "one"), ("wait", "join"), ("one", "join")]
    found = payload_read(
        document(*nodes, edges=edges, output={"x": "{{ steps.wait.output.result }}"}), "wait", CATALOGUE
    )
    assert set(found["properties"]) == {"set", "mapped", "within", "until", "joined", "undone", "result"}
    assert found["properties"]["until"] == {"type": "boolean"}


def test_what_is_read_as_a_whole_or_not_at_all_has_no_fields():
    whole = document(WAIT, noop(params={"x": "{{ prev }}"}), edges=[("wait", "next")])
    assert payload_read(whole, "wait", CATALOGUE) is None
    assert payload_read(document(WAIT), "wait", CATALOGUE) is None
    assert input_read(document(noop()), "next", CATALOGUE) is None


def test_outputs_have_the_types_that_their_steps_say():
    ask = {"id": "ask", "type": "human.approval", "params": {"title": "Pay?"}}
    form = {"type": "object", "properties": {"due": {"type": "string", "format": "date"}}}
    fill = {"id": "fill", "type": "human.form", "params": {"title": "Fill in", "form": form}}
    after = noop(params={"x": "{{ prev.comment }} {{ steps.fill.output.data.due }}", "y": "{{ input.z }}"})
    found = outputs_read(document(ask, fill, after, edges=[("ask", "next")]), "next", CATALOGUE)
    assert list(found) == ["ask", "fill"]
    assert found["ask"]["properties"]["comment"]["type"] == "string"
    assert found["fill"]["properties"]["data"]["properties"]["due"]["format"] == "date"
    assert outputs_read(document(after), "gone", CATALOGUE) == {}


def test_a_step_reads_the_input_and_the_first_one_reads_it_as_prev():
    first = noop("first", params={"x": "{{ prev.a > 1 }}", "y": "{{ input.b }}"})
    nodes = document(
        first, noop(params={"x": "{{ prev.item }}", "y": "{{ input.c }}"}), edges=[("first", "next")]
    )
    assert input_read(nodes, "first", CATALOGUE)["properties"] == {"a": {"type": "number"}, "b": {}}
    assert input_read(nodes, "next", CATALOGUE)["properties"] == {"c": {}}


@pytest.mark.parametrize(
    "broken",
    [
        {"nodes": None, "edges": 3},
        {"nodes": [1, {"id": 2}, {"type": "noop"}, noop(params="{{ input.a")], "edges": [{"from": 1}]},
        document(noop(params={"x": "{{ input. }} {{ input.ok }}"}, compensate=[1], boundary_timers=[3])),
    ],
)
def test_a_draft_may_be_of_whatever_quality(broken):
    assert payload_read(broken, "wait", CATALOGUE) is None
    assert outputs_read(broken, "next", CATALOGUE) == {}
    expected = {"type": "object", "properties": {"ok": {"type": "string"}}}
    assert input_read(broken, "next", CATALOGUE) in (None, expected)

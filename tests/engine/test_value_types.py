"""The type of a value that an expression reads by a plain path comes from the schema at the end of the path."""

import pytest

from engine.graph import compile_graph
from engine.value_types import OUTER, ValueTypes, part_with_types, reduced
from steps.catalogue import EXECUTABLE

MONEY = {"x-currency": "EUR"}
INPUT = {
    "type": "object",
    "properties": {
        "amount": {"type": "number", "x-currency": "EUR", "title": "Amount"},
        "day": {"$ref": "#/$defs/day"},
        "later": {"anyOf": [{"type": "string", "format": "date"}, {"type": "null"}]},
        "note": {"type": "string"},
        "kind": {"oneOf": [{"const": "t", "title": "Travel"}, {"const": "f", "title": "Food"}]},
        "lines": {
            "type": "array",
            "items": {"type": "object", "properties": {"price": {"type": "number", "x-currency": "USD"}}},
        },
    },
    "if": {"properties": {"kind": {"const": "t"}}},
    "then": {"properties": {"leaves": {"type": "string", "format": "date-time"}}},
    "$defs": {"day": {"type": "string", "format": "date"}},
}
FORM = {"type": "object", "properties": {"paid": {"type": "number", "x-currency": "CHF"}}}


def definition(*nodes, edges=()):
    asking = {
        "id": "ask",
        "type": "human.approval",
        "params": {
            "title": "Pay {{ input.amount }}?",
            "facts": {
                "Amount": "{{ input.amount }}",
                "Sum": "{{ input.amount + 1 }}",
                "Total": "{{ 1 + 1 }}",
            },
            "facts_schema": {"Total": {"type": "number", "x-currency": "GBP"}},
            "form": FORM,
        },
    }
    return {
        "name": "types",
        "input_schema": INPUT,
        "nodes": [asking, *nodes],
        "edges": [{"from": source, "to": target} for source, target in edges],
    }


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        (("input", "amount"), {"x-currency": "EUR", "title": "Amount"}),
        (("context", "amount"), {"x-currency": "EUR", "title": "Amount"}),
        (("input", "day"), {"format": "date"}),
        (("input", "later"), {"format": "date"}),
        (("input", "leaves"), {"format": "date-time"}),
        (("input", "note"), None),
        (("input", "kind"), {"oneOf": [{"const": "t", "title": "Travel"}, {"const": "f", "title": "Food"}]}),
        (("input", "lines"), {"items": {"properties": {"price": {"x-currency": "USD"}}}}),
        (("input", "amount", "cents"), None),
        (("run", "created_by"), {"type": "string", "format": "person"}),
        (("steps", "ask", "output", "by"), {"format": "person"}),
        (("steps", "ask", "output", "at"), {"format": "date-time"}),
        (("steps", "ask", "output", "data", "paid"), {"x-currency": "CHF"}),
        (("steps", "ask", "output", "facts", "Amount"), {"x-currency": "EUR", "title": "Amount"}),
        (("steps", "ask", "output", "facts", "Sum"), None),
        (("steps", "ask", "output", "facts", "Total"), {"x-currency": "GBP"}),
        (("steps", "gone", "output"), None),
    ],
)
def test_a_path_has_the_type_at_its_end(path, kind):
    kept = ValueTypes(definition({"id": "b", "type": "noop"}, edges=[("ask", "b")]), EXECUTABLE).at("b", path)
    assert (None if kept is None else {key: value for key, value in kept.items() if key != "title"}) == (
        None if kind is None else {key: value for key, value in kind.items() if key != "title"}
    )


@pytest.mark.parametrize(
    ("text", "currency"),
    [
        ("{{ has(input.amount) ? input.amount : null }}", "EUR"),
        ("{{ has(input.amount) ? input.note : null }}", None),
        ("{{ has(input.amount) ? input.amount : 0 }}", None),
        ("{{ has(input.note) ? input.amount : null }}", None),
    ],
)
def test_a_value_that_may_be_missing_keeps_its_type(text, currency):
    ask = {"id": "me", "type": "human.approval", "params": {"title": "?", "facts": {"A": text}}}
    node = compile_graph({"name": "types", "input_schema": INPUT, "nodes": [ask]}, EXECUTABLE).nodes["me"]
    for given in ({"amount": 2}, {}):
        typed = node.typed({"input": given}).type_at("facts", "A")
        assert (typed or {}).get("x-currency") == currency


def test_what_a_step_passes_on_keeps_its_type():
    steps = [
        {"id": "a", "type": "noop"},
        {"id": "b", "type": "noop", "input": {"cost": "{{ prev.data.paid }}"}},
        {"id": "c", "type": "noop"},
    ]
    types = ValueTypes(definition(*steps, edges=[("ask", "a"), ("a", "b"), ("b", "c")]), EXECUTABLE)
    assert types.at("a", ("prev", "data", "paid"))["x-currency"] == "CHF"
    assert types.at("b", ("prev", "cost"))["x-currency"] == "CHF"
    assert types.at("c", ("prev", "cost"))["x-currency"] == "CHF"


def test_a_long_chain_and_a_step_that_leads_to_itself_end():
    steps = [{"id": f"s{number}", "type": "noop", "input": "{{ prev }}"} for number in range(400)]
    chain = [("ask", "s0"), *((f"s{number}", f"s{number + 1}") for number in range(399))]
    assert ValueTypes(definition(*steps, edges=chain), EXECUTABLE).at("s399", ("prev", "by")) is None
    facts = {"title": "?", "facts": {"A": '{{ steps.me.output.facts["A"] }}'}}
    me = {"id": "me", "type": "human.approval", "params": facts}
    assert ValueTypes(definition(me), EXECUTABLE).at("me", ("facts", "A")) is None


def test_a_schema_that_refers_to_itself_is_read_to_a_bound():
    schema = {"properties": {"next": {"$ref": "#"}, "day": {"format": "date"}}}
    kept, levels = reduced(schema), 0
    while kept:
        assert kept["properties"]["day"]["format"] == "date"
        kept, levels = kept["properties"].get("next"), levels + 1
    assert 1 < levels < 10
    assert reduced({"$ref": "#/$defs/gone"}) is None
    assert reduced({"$ref": "https://elsewhere.example/schema"}) is None


def test_steps_inside_containers_see_the_types_outside_at_each_level():
    inner = {
        "id": "ask_each",
        "type": "human.approval",
        "params": {
            "title": "Pay {{ item.price }} of {{ input.amount }}, said {{ steps.ask.output.by }}?",
            "facts": {},
        },
    }
    each = {"id": "each", "type": "map", "params": {"items": "{{ input.lines }}", "body": {"steps": [inner]}}}
    outer = {"id": "outer", "type": "loop", "params": {"count": 1, "body": {"steps": [each]}}}
    whole = definition(each, edges=[("ask", "each")])
    part = part_with_types(
        whole, "each", {"name": "each", "part_of": "each", "nodes": [inner], "edges": []}, EXECUTABLE
    )
    node = compile_graph(part, EXECUTABLE).nodes["ask_each"]
    assert {path: kind.get("x-currency") or kind.get("format") for path, kind in node.types.items()} == {
        ("item", "price"): "USD",
        ("input", "amount"): "EUR",
        ("steps", "ask", "output", "by"): "person",
    }
    nested = definition(outer, edges=[("ask", "outer")])
    loop = {"name": "outer", "part_of": "outer", "nodes": [each], "edges": []}
    loop = part_with_types(nested, "outer", loop, EXECUTABLE)
    deep = {"name": "each", "part_of": "each", "nodes": [inner], "edges": []}
    deep = part_with_types(loop, "each", deep, EXECUTABLE)
    types = compile_graph(deep, EXECUTABLE).nodes["ask_each"].types
    assert types[("steps", "ask", "output", "by")] == {"format": "person"} | {
        key: value for key, value in types[("steps", "ask", "output", "by")].items() if key == "title"
    }
    assert types[("item", "price")]["x-currency"] == "USD"


@pytest.mark.parametrize("first", [{"input": "{{ input }}"}, {}])
def test_an_item_of_a_loop_has_a_type_only_where_each_round_gives_that_type(first):
    ask = {
        "id": "ask_each",
        "type": "human.form",
        "params": {"title": "{{ item.amount }} {{ input.amount }}"},
    }
    onward = {"id": "onward", "type": "noop", "input": "{{ item }}"}
    for steps, edges, kinds in (
        ([ask], [], {"input"}),
        ([ask, onward], [{"from": "ask_each", "to": "onward"}], {"input", "item"}),
        ([ask, {**onward, "input": "{{ prev }}"}], [{"from": "ask_each", "to": "onward"}], {"input"}),
        ([ask, onward], [], {"input"}),
    ):
        loop = {"id": "rounds", "type": "loop", "params": {**first, "count": 2, "body": {"steps": steps}}}
        part = {"name": "rounds", "part_of": "rounds", "nodes": steps, "edges": edges}
        whole = {"name": "types", "input_schema": INPUT, "nodes": [loop], "edges": []}
        types = (
            compile_graph(part_with_types(whole, "rounds", part, EXECUTABLE), EXECUTABLE)
            .nodes["ask_each"]
            .types
        )
        assert {path[0] for path in types} == kinds


def test_a_part_that_asks_nobody_stays_as_it_is():
    part = {"name": "each", "part_of": "each", "nodes": [{"id": "a", "type": "noop"}], "edges": []}
    container = {"id": "each", "type": "map", "params": {"items": [1], "body": {"steps": part["nodes"]}}}
    assert OUTER not in part_with_types(definition(container), "each", part, EXECUTABLE)

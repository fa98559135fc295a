"""A fact of a step that asks people is called otherwise wherever it is read, and nothing else changes."""

import pytest

from engine.renaming_facts import rename_fact
from steps.catalogue import CATALOGUE

ASK = {
    "id": "ask",
    "type": "human.approval",
    "params": {
        "title": 'Pay {{ facts["Net amount"] }}?',
        "facts": {"Customer": "{{ input.customer }}", "Net amount": "{{ input.amount }}"},
        "facts_order": ["Net amount", "Customer"],
        "facts_schema": {"Net amount": {"type": "number"}},
        "amendable": ["Net amount"],
    },
}


def document(*nodes, edges=(), **more):
    return {
        "nodes": [ASK, *nodes],
        "edges": [dict(zip(("from", "to"), edge, strict=True)) for edge in edges],
    } | more


def renamed(definition, old="Net amount", new="Total"):
    return rename_fact(definition, "ask", old, new, catalogue=CATALOGUE)


def test_the_step_itself_keeps_the_order_of_its_facts_and_its_texts_read_the_new_label():
    params = renamed(document()).definition["nodes"][0]["params"]
    assert params == {
        "title": "Pay {{ facts.Total }}?",
        "facts": {"Customer": "{{ input.customer }}", "Total": "{{ input.amount }}"},
        "facts_order": ["Total", "Customer"],
        "facts_schema": {"Total": {"type": "number"}},
        "amendable": ["Total"],
    }
    assert list(params["facts"]) == ["Customer", "Total"]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('{{ steps.ask.output.facts["Net amount"] }}', "{{ steps.ask.output.facts.Total }}"),
        ('{{ prev.facts["Net amount"] > 5 }}', "{{ prev.facts.Total > 5 }}"),
        ('{{ "Net amount" in prev.facts }}', '{{ "Total" in prev.facts }}'),
        ('{{ steps.other.output.facts["Net amount"] }}', '{{ steps.other.output.facts["Net amount"] }}'),
        ("Net amount: {{ prev.facts.Customer }}", "Net amount: {{ prev.facts.Customer }}"),
        ('{{ facts["Net amount"] }}', '{{ facts["Net amount"] }}'),
    ],
)
def test_what_other_steps_read_is_rewritten(before, after):
    node = {"id": "next", "type": "noop", "params": {"x": before}}
    assert renamed(document(node, edges=[("ask", "next")])).definition["nodes"][1]["params"]["x"] == after


def test_conditions_variables_undoing_joins_and_results_are_rewritten():
    read = 'facts["Net amount"]'
    ask = {**ASK, "set_vars": {"net": f"{{{{ output.{read} }}}}"}}
    ask["compensate"] = {"type": "noop", "params": {"x": f"{{{{ prev.output.{read} }}}}"}}
    join = {"id": "join", "type": "noop", "params": {"x": f"{{{{ prev.ask.{read} }}}}"}}
    mapped = {
        "id": "mapped",
        "type": "noop",
        "input": f"{{{{ prev.{read} }}}}",
        "params": {"x": f"{{{{ prev.{read} }}}}"},
    }
    inner = {"id": "in", "type": "noop", "params": {"x": f"{{{{ steps.ask.output.{read} }}}}"}}
    each = {"id": "each", "type": "map", "params": {"items": "{{ [1] }}", "body": {"steps": [inner]}}}
    edges = [
        {"from": "ask", "to": "join", "when": f"output.{read} > 1"},
        {"from": "other", "to": "join"},
        {"from": "ask", "to": "mapped"},
    ]
    nodes = [ask, {"id": "other", "type": "noop"}, join, mapped, each]
    whole = {"nodes": nodes, "edges": edges, "output": {"net": f"{{{{ steps.ask.output.{read} }}}}"}}
    made = renamed(whole)
    first, _, joined, behind, around = made.definition["nodes"]
    assert first["set_vars"] == {"net": "{{ output.facts.Total }}"}
    assert first["compensate"]["params"] == {"x": "{{ prev.output.facts.Total }}"}
    assert joined["params"] == {"x": "{{ prev.ask.facts.Total }}"}
    assert behind["input"] == "{{ prev.facts.Total }}"
    assert behind["params"] == {"x": f"{{{{ prev.{read} }}}}"}
    assert around["params"]["body"]["steps"][0]["params"] == {"x": "{{ steps.ask.output.facts.Total }}"}
    assert made.definition["edges"][0]["when"] == "output.facts.Total > 1"
    assert made.definition["output"] == {"net": "{{ steps.ask.output.facts.Total }}"}
    assert made.unread == []


def test_a_step_whose_id_is_the_label_stays():
    node = {"id": "Customer", "type": "noop", "params": {"x": "{{ steps.Customer.output }}"}}
    made = renamed(document(node, edges=[("ask", "Customer")]), "Customer", "Client").definition
    assert made["nodes"][1] == node
    assert made["edges"] == [{"from": "ask", "to": "Customer"}]


def test_a_label_with_quotes_is_no_name_in_an_expression_and_its_readers_are_told():
    node = {
        "id": "next",
        "type": "noop",
        "params": {"x": '{{ prev.facts["Net amount"] }}', "y": "{{ prev.x }}"},
    }
    made = renamed(document(node, edges=[("ask", "next")]), new='The "net"')
    assert made.definition["nodes"][1] == node
    assert 'The "net"' in made.definition["nodes"][0]["params"]["facts"]
    assert made.unread == ["nodes[0].params.title", "nodes[1].params.x"]

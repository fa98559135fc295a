"""Outcomes are ports: which edges each takes, and what an outcome without an edge means by old rules and new ones."""

import pytest

from engine.graph import compile_graph
from engine.outcomes import Completed
from engine.ports import RULES, ports_of, written_ways
from engine.simulate import simulate
from engine.validate import validate
from steps.catalogue import ALL_TYPES, EXECUTABLE

ASK = {"id": "ask", "type": "human.approval", "params": {"title": "Pay?", "due_seconds": 60}}
APPROVED, REJECTED = ({"branch": name, "outcome": name} for name in ("approved", "rejected"))


def flow(*edges, ask=ASK, more=()):
    nodes = [ask, *({"id": name, "type": "noop"} for name in ("pay", "tell")), *more]
    return {"name": "w", "nodes": nodes, "edges": [{"from": "ask", **edge} for edge in edges]}


def run(definition, output, rules=RULES):
    state = simulate(
        compile_graph(definition, ALL_TYPES, rules),
        None,
        lambda node, scope: Completed(output if node.id == "ask" else None),
    )
    done = [name for name, step in state.steps.items() if step.status == "COMPLETED"]
    return state.status, done, (state.error or {}).get("code")


TO_PAY = {"to": "pay", "branch": "approved"}
TO_TELL = {"to": "tell", "branch": "rejected"}


def test_each_outcome_takes_its_own_edges():
    definition = flow(TO_PAY, TO_TELL)
    assert run(definition, APPROVED) == ("COMPLETED", ["ask", "pay"], None)
    assert run(definition, REJECTED) == ("COMPLETED", ["ask", "tell"], None)


def test_an_outcome_without_an_edge_ends_its_path():
    definition = flow(TO_PAY, {"to": "tell", "branch": "approved"})
    assert run(definition, REJECTED) == ("COMPLETED", ["ask"], None)


def test_a_version_of_the_first_rules_still_fails_where_no_edge_is_there():
    definition = flow(TO_PAY, {"to": "tell", "branch": "approved"})
    assert run(definition, REJECTED, rules=1) == ("FAILED", [], "NoBranchMatched")


@pytest.mark.parametrize("rules", [1, RULES])
def test_what_is_no_outcome_of_the_step_is_an_error_still(rules):
    definition = flow(TO_PAY, TO_TELL)
    for output in ({"branch": "aproved"}, {}, None):
        assert run(definition, output, rules)[2] == "NoBranchMatched"


def test_outcomes_that_are_computed_end_their_path_whatever_they_are():
    computed = {**ASK, "params": {"title": "Pay?", "outcomes": "{{ input.outcomes }}"}}
    definition = flow(TO_PAY, {"to": "tell", "branch": "other"}, ask=computed)
    assert run(definition, {"branch": "later"}) == ("COMPLETED", ["ask"], None)


def test_conditions_of_a_person_that_do_not_hold_end_the_path():
    definition = flow({"to": "pay", "when": "output.outcome == 'never'"}, {"to": "tell", "when": "false"})
    assert run(definition, APPROVED) == ("COMPLETED", ["ask"], None)


def test_a_bare_edge_of_an_older_version_is_taken_by_each_outcome():
    assert run(flow({"to": "pay"}, TO_TELL), REJECTED, rules=1) == ("COMPLETED", ["ask", "pay", "tell"], None)


def test_items_keep_the_rules_of_the_version_around_them():
    each = {
        "id": "each",
        "type": "map",
        "params": {"items": [1], "body": {"steps": [ASK, {"id": "pay", "type": "noop"}], "edges": [
            {"from": "ask", **TO_PAY}]}},
    }  # fmt: skip
    definition = {"name": "w", "nodes": [each], "edges": []}
    for rules, outcomes in ((1, None), (RULES, ("approved", "rejected"))):
        part = compile_graph(definition, EXECUTABLE, rules).nodes["each"].body.part
        assert part.nodes["ask"].outcomes == outcomes


def found(*edges, **more):
    return [(one.code, one.field) for one in validate(flow(*edges, **more), ALL_TYPES)]


def test_an_edge_for_every_outcome_is_an_error_in_a_new_version():
    assert found({"to": "pay"}, {**TO_TELL}) == [("edge_without_outcome", "edges[0]")]
    assert found(TO_PAY, {"to": "tell", "default": True}) == []
    assert found(TO_PAY, {"to": "tell", "branch": "approved"}) == []


def test_of_one_outcome_a_bare_edge_is_that_outcomes():
    form = {"id": "ask", "type": "human.form", "params": {"title": "Which?", "due_seconds": 60}}
    assert found({"to": "pay"}, {"to": "tell"}, ask=form) == []
    assert run(flow({"to": "pay"}, {"to": "tell"}, ask=form), {"branch": "submitted"})[1] == [
        "ask",
        "pay",
        "tell",
    ]


def test_computed_outcomes_may_be_several():
    computed = {**ASK, "params": {**ASK["params"], "outcomes": "{{ input.outcomes }}"}}
    assert ("edge_without_outcome", "edges[0]") in found(
        {"to": "pay"}, {"to": "tell", "default": True}, ask=computed
    )


def test_steps_without_edges_do_not_lead_on_from_a_choice():
    body = {"steps": [ASK, {"id": "pay", "type": "noop"}]}
    each = {"id": "each", "type": "map", "params": {"items": [1], "body": body}}
    problems = validate({"name": "w", "nodes": [each], "edges": []}, ALL_TYPES)
    assert [(one.code, one.field, one.node) for one in problems] == [
        ("edge_without_outcome", "nodes[0].params.body.steps", "ask")
    ]


def test_the_ports_of_a_step_are_its_outcomes_its_deadline_its_failure_and_otherwise():
    node = {**ASK, "boundary_timers": [{"after_seconds": 5, "to": "late"}]}
    edges = [
        {"from": "ask", **TO_PAY},
        {"from": "ask", "to": "tell", "default": True},
        {"from": "ask", "to": "failed", "on": "error"},
        {"from": "other", "to": "tell"},
    ]
    ports = ports_of(written_ways(node, edges), ("approved", "rejected", "later"))
    assert [(one.kind, one.name, [way.target for way in one.takes]) for one in ports] == [
        ("outcome", "approved", ["pay"]),
        ("outcome", "rejected", ["tell"]),
        ("outcome", "later", ["tell"]),
        ("deadline", "", ["late"]),
        ("failed", "", ["failed"]),
    ]
    of_none = ports_of(written_ways(node, edges), ())
    assert [one.kind for one in of_none] == ["otherwise", "deadline", "failed"]


def test_what_a_condition_decides_may_be_taken():
    edges = [
        {"from": "ask", "to": "pay", "when": "output.data.ok"},
        {"from": "ask", "to": "tell", "default": True},
    ]
    (port, _) = ports_of(written_ways(ASK, edges), ("approved", "rejected"))
    assert ([way.target for way in port.takes], [way.target for way in port.may_take]) == (
        [],
        ["pay", "tell"],
    )
    assert not port.ends

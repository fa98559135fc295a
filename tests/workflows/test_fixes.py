"""Each fix removes its problem and adds no error: shown on the fixture of each rule, and on some of its own."""

import json
from pathlib import Path

import pytest

from tests.definitions import chain
from workflows.checking.check import check
from workflows.checking.fields import keys_of
from workflows.document.changes import NOTHING, Change, Group, apply, keyed, unkeyed

FIXTURES = Path(__file__).parents[1] / "engine/fixtures/invalid"
INVALID = {path.stem: json.loads(path.read_text())["document"] for path in sorted(FIXTURES.glob("*.json"))}

WITH_FIX = (
    "duplicate_edge",
    "error_edge_never_taken",
    "join_never_fires",
    "no_deadline",
    "no_default_edge",
    "no_error_edge",
    "not_yet",
    "reserved_queue",
    "unknown_field",
    "unserved_queue",
)

A_TRANSFORM = {"type": "transform", "params": {"set": {"n": 1}}}
SPLIT = [
    {"from": "a", "to": "b", "when": "output.n > 0"},
    {"from": "a", "to": "c", "default": True},
    {"from": "b", "to": "c"},
]


def flow(nodes, edges=(), **more):
    named = [{"id": name, **node} for name, node in nodes.items()]
    return {"name": "x", "nodes": named, "edges": list(edges), **more}


def three(last, **more):
    return flow({"a": A_TRANSFORM, "b": A_TRANSFORM, "c": last}, SPLIT, **more)


SET = {"type": "transform"}
ASKS = {"type": "human.approval", "params": {"title": "Go?", "due_seconds": 60}}
AMOUNT = {
    "type": "object",
    "properties": {"amount": {"type": "number"}, "note": {"type": "string"}},
    "required": ["amount"],
    "additionalProperties": False,
}
RED = {"seconds": 5, "colour": "red"}


def within(*steps, edges=None):
    """A second step that does these for each item."""
    body = {"steps": list(steps)} | ({} if edges is None else {"edges": edges})
    return flow({"first": A_TRANSFORM, "each": {"type": "map", "params": {"items": [1], "body": body}}})


def asking(title, label):
    """A step whose title reads a fact, and has one that may be corrected."""
    params = {"title": title, "facts": {label: "{{ input.amount }}"}, "amendable": [label], "due_seconds": 60}
    return flow({"a": {"type": "human.form", "params": params}}, input_schema=AMOUNT)


def later(text, label):
    """A step behind one whose fact may be corrected."""
    asks = asking("Go?", label)
    then = {"id": "b", "type": "transform", "params": {"set": {"n": text}}}
    return {**asks, "nodes": [*asks["nodes"], then], "edges": [{"from": "a", "to": "b"}]}


OWN = {
    "a misspelt step in a text": three({**SET, "params": {"set": {"t": ["n: {{ steps.aaa.output.n }}"]}}}),
    "a misspelt step": flow(
        {"charge": A_TRANSFORM, "tell": {**SET, "params": {"set": {"t": "{{ steps.chrage.output.n }}"}}}},
        [{"from": "charge", "to": "tell"}],
    ),
    "a misspelt type": flow({"a": {"type": "transfrom", "params": {"set": {}}}}),
    "a misspelt end": flow({"charge": A_TRANSFORM, "tell": A_TRANSFORM}, [{"from": "charge", "to": "tel"}]),
    "a text with a step of another path": three(
        {**SET, "params": {"set": {"t": "b: {{ steps.b.output.n }}!"}}}
    ),
    "a condition with a step of another path": flow(
        {"a": A_TRANSFORM, "b": A_TRANSFORM, "c": A_TRANSFORM, "d": A_TRANSFORM},
        [*SPLIT, {"from": "c", "to": "d", "when": "steps.b.output.n > 0 || false"}],
    ),
    "one condition alone": flow(
        {"a": {"type": "decision"}, "b": A_TRANSFORM}, [{"from": "a", "to": "b", "when": "true"}]
    ),
    "two conditions": flow(
        {"a": {"type": "decision"}, "b": A_TRANSFORM, "c": A_TRANSFORM},
        [{"from": "a", "to": "b", "when": "true"}, {"from": "a", "to": "c", "when": "false"}],
    ),
    "an unknown param": flow({"a": {**SET, "params": {"set": {}, "colour": "red"}}}),
    "an unknown field in a list": flow(
        {
            "a": {
                "type": "wait",
                "params": {"seconds": 5},
                "boundary_timers": [{"after_seconds": 1, "to": "b", "x": 1}],
            },
            "b": A_TRANSFORM,
        },
        [],
    ),
    "braces in a condition": flow(
        {"a": A_TRANSFORM, "b": A_TRANSFORM}, [{"from": "a", "to": "b", "when": "{{ output.n > 0 }}"}]
    ),
    "another name": chain("other"),
    "a misspelt type in a body": within(
        {"id": "a", **A_TRANSFORM}, {"id": "b", "type": "transfrom", "params": {"set": {}}}
    ),
    "an unknown param in a body in a body": within(
        {
            "id": "inner",
            "type": "map",
            "params": {
                "items": [1],
                "body": {"steps": [{"id": "b", "type": "noop"}, {"id": "c", "type": "wait", "params": RED}]},
            },
        }
    ),
    "a way out of an approval for every outcome": flow(
        {"a": ASKS, "b": A_TRANSFORM, "c": A_TRANSFORM},
        [{"from": "a", "to": "b", "branch": "approved"}, {"from": "a", "to": "c"}],
    ),
    "a misspelt field of the input": flow(
        {"a": {**SET, "params": {"set": {"n": "{{ input.amout * 2 }}"}}}}, input_schema=AMOUNT
    ),
    "a fact that need not be given": flow(
        {"a": {**ASKS, "params": {**ASKS["params"], "facts": {"Note": "{{ input.note }}"}}}},
        input_schema=AMOUNT,
    ),
    "a label that was changed": asking('Pay {{ facts["Amount du"] }}?', "Amount due"),
    "the label of the only fact": asking('Pay {{ facts["Amount du"] }}?', "Total"),
    "a label that was changed, in a body": within(
        {"id": "a", **asking("{{ facts.Amout }}", "Amount")["nodes"][0]}, {"id": "b", **A_TRANSFORM}
    ),
    "a label that was changed, read by a later step": later(
        '{{ steps.a.output.facts["Amount du"] }}', "Amount due"
    ),
    "a step that nothing leads to": flow(
        {"a": A_TRANSFORM, "b": A_TRANSFORM, "c": A_TRANSFORM}, [{"from": "a", "to": "b"}]
    ),
    "a misspelt outcome": flow(
        {"a": ASKS, "b": A_TRANSFORM}, [{"from": "a", "to": "b", "branch": "aproved"}]
    ),
    "an approval in a body without edges": within({"id": "a", **ASKS}, {"id": "b", **A_TRANSFORM}),
    "braces in a condition in a body": within(
        {"id": "a", **A_TRANSFORM},
        {"id": "b", "type": "noop"},
        edges=[{"from": "a", "to": "b", "when": "{{ output.n > 0 }}"}],
    ),
}
EXPECTED = {
    "a misspelt step": "Read charge instead",
    "a misspelt type": "Use Set values (transform)",
    "a misspelt end": "Use tell",
    "a text with a step of another path": "Leave it empty if that step was not done",
    "a condition with a step of another path": "Take the connection only if that step was done",
    "one condition alone": "Allow that no condition holds",
    "two conditions": "Make the last connection the default",
    "an unknown param": "Remove it",
    "an unknown field in a list": "Remove it",
    "braces in a condition": "Remove the braces",
    "another name": "Call it x",
    "a misspelt type in a body": "Use Set values (transform)",
    "an unknown param in a body in a body": "Remove it",
    "a way out of an approval for every outcome": "Take it when the outcome is rejected",
    "a misspelt outcome": "Use approved",
    "a misspelt field of the input": "Read amount instead",
    "a fact that need not be given": "Leave it empty if it is not given",
    "a label that was changed": "Read Amount due instead",
    "the label of the only fact": "Read Total instead",
    "a label that was changed, in a body": "Read Amount instead",
    "a label that was changed, read by a later step": "Read Amount due instead",
    "a step that nothing leads to": "Do it after b",
    "an approval in a body without edges": "Take it when the outcome is approved",
    "braces in a condition in a body": "Remove the braces",
}


def taken(definition, fix):
    changes = tuple(
        Change(
            tuple(change["path"]),
            change.get("from", NOTHING),
            change.get("to", NOTHING),
            change.get("at", NOTHING),
            change.get("was_at", NOTHING),
        )
        for change in fix["changes"]
    )
    done = apply(keyed(definition, {}), [Group("1", fix["title"], changes)])
    assert done.conflicts == []
    return unkeyed(done.document)[0]


def errors(problems):
    return {(problem.code, problem.node) for problem in problems if problem.severity == "error"}


@pytest.mark.parametrize("named", [*INVALID, *OWN])
def test_a_fix_removes_its_problem_and_adds_no_error(named):
    definition = OWN.get(named, INVALID.get(named))
    name = "x" if named in OWN else None
    before = check(definition, name=name).problems
    for problem in before:
        if problem.fix:
            after = check(taken(definition, problem.fix), name=name).problems
            assert errors(after) <= errors(before), problem
            same = [found for found in before if found.code == problem.code]
            assert len([found for found in after if found.code == problem.code]) < len(same), problem


@pytest.mark.parametrize("named", EXPECTED)
def test_these_problems_have_this_way_out(named):
    titles = [problem.fix["title"] for problem in check(OWN[named], name="x").problems if problem.fix]
    assert EXPECTED[named] in titles


@pytest.mark.parametrize("code", WITH_FIX)
def test_the_fixture_of_these_rules_has_a_way_out(code):
    assert any(problem.fix for problem in check(INVALID[code]).problems if problem.code == code)


def test_an_edge_is_not_removed_where_its_end_would_start_at_once():
    nodes = {"a": {"type": "decision"}, "b": A_TRANSFORM, "c": A_TRANSFORM}
    never = flow(nodes, [{"from": "a", "to": "b"}, {"from": "a", "to": "c", "when": "true"}])
    (problem,) = [found for found in check(never).problems if found.code == "edge_never_taken"]
    assert problem.fix is None


def test_no_fix_leads_into_a_cycle():
    looped = flow(
        {"first": A_TRANSFORM, "b": A_TRANSFORM}, [{"from": "first", "to": "b"}, {"from": "b", "to": "firs"}]
    )
    (problem,) = [found for found in check(looped).problems if found.code == "unknown_node"]
    assert problem.fix is None


def test_a_condition_on_what_people_enter_is_not_made_to_lead_nowhere():
    alone = flow({"a": ASKS, "b": A_TRANSFORM}, [{"from": "a", "to": "b", "when": "output.comment != ''"}])
    (problem,) = check(alone).problems
    assert (problem.code, problem.fix) == ("no_default_edge", None)


def test_another_dialect_has_no_fixes():
    found = check({"name": "x", "steps": [{"type": "human.approval", "params": {"title": "Go?"}}]}).problems
    assert [(problem.code, problem.fix) for problem in found] == [("no_deadline", None)]


def test_a_draft_whose_nodes_have_one_id_has_no_fixes():
    twice = {
        "name": "x",
        "nodes": [{"id": "a", "type": "noop", "y": 1}, {"id": "a", "type": "noop"}],
        "edges": [],
    }
    assert not any(problem.fix for problem in check(twice).problems)


@pytest.mark.parametrize(
    ("field", "keys"),
    [
        ("nodes[2].params.a-b", ("nodes", 2, "params", "a-b")),
        ('x["a \\" b"][0]', ("x", 'a " b', 0)),
        ("a..b", None),
        ("", ()),
    ],
)
def test_the_field_of_a_problem_is_read(field, keys):
    assert keys_of(field) == keys


def test_a_join_of_edges_that_exclude_one_another_starts_with_whichever_are_taken():
    nodes = {"a": {"type": "decision"}, "b": {"type": "noop"}, "c": {"type": "noop", "join": "all"}}
    edges = [{"from": "a", "to": "b", "when": "input.n > 0"}, {"from": "a", "to": "c", "default": True}]
    document = flow(nodes, [*edges, {"from": "b", "to": "c"}])
    (problem,) = [one for one in check(document, name="x").problems if one.code == "join_never_fires"]
    assert (problem.code, problem.fix["title"]) == (
        "join_never_fires",
        "Start with whichever connections are taken",
    )
    (change,) = problem.fix["changes"]
    assert change["path"] == ["nodes", "c", "join"]
    assert "to" not in change

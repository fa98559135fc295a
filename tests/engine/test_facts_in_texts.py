"""Texts of a step that asks people read its facts: `validate`, previews and the list of values agree on which do."""

import pytest
from hypothesis import given

from engine.entries import entries
from engine.preview import preview
from engine.surroundings import Sample, Spot
from engine.surroundings_within import surroundings
from engine.validate import validate
from steps.catalogue import CATALOGUE
from tests.engine.test_types_of_odd_params import ODD
from tests.engine.test_types_of_odd_params import PARAMS as ODD_PARAMS

SCHEMA = {
    "type": "object",
    "required": ["amount", "rows"],
    "properties": {"amount": {"type": "number"}, "rows": {"type": "object"}, "items": {"type": "array"}},
}
PARAMS = {
    "title": 'Pay {{ facts["Amount due"] }}?',
    "instructions": 'Compare {{ facts["Amount due"] }}.',
    "facts": {"Amount due": "{{ input.amount }}", "Broken": "{{ input.gone }}", "Fixed": "x"},
    "outcomes": [
        {"name": "approved", "label": 'Pay {{ facts["Amount due"] }}'},
        {"name": "rejected", "label": "Reject"},
    ],
    "due_seconds": 60,
}
SAMPLE = Sample(input={"amount": 12.5, "rows": {"A": 3}, "items": [{"price": 7}]})
TEXTS = [("title",), ("instructions",), ("outcomes", 0, "label")]
OTHERS = [("facts", "Fixed"), ("outcomes", 0, "name"), ("candidates", "expr"), ()]


def alone(**params):
    ask = {"id": "ask", "type": "human.approval", "params": {**PARAMS, **params}}
    return {"name": "pay", "input_schema": SCHEMA, "nodes": [ask], "edges": []}


def within(body):
    each = {"id": "each", "type": "map", "params": {"items": [{"price": 7}], "body": body}}
    return {"name": "pay", "input_schema": SCHEMA, "nodes": [each], "edges": []}


PARTED = within({"steps": [alone()["nodes"][0]]})
ONE_STEP = within({"type": "human.approval", "params": PARAMS})
HOLDERS = [(alone(), "params", "ask"), (PARTED, "params", "ask"), (ONE_STEP, "body", "each")]


def shown(document, place, node, keys, text='{{ facts["Amount due"] }}'):
    spot = Spot(place, node, keys=keys)
    return preview(surroundings(document, CATALOGUE, SAMPLE, node), spot, text)


def offered(document, place, node, keys):
    spot = Spot(place, node, keys=keys)
    found = surroundings(document, CATALOGUE, SAMPLE, node).known(spot)
    return {entry.path: entry for entry in entries(found) if entry.path.startswith("facts")}


def codes(document):
    return {problem.code for problem in validate(document, CATALOGUE) if problem.severity == "error"}


@pytest.mark.parametrize("keys", TEXTS, ids=str)
@pytest.mark.parametrize(("document", "place", "node"), HOLDERS, ids=["alone", "steps", "one step"])
def test_a_text_reads_the_facts_of_its_step(document, place, node, keys):
    view = shown(document, place, node, keys)
    assert (view.value, view.fault, view.problems) == (12.5, None, [])
    found = offered(document, place, node, keys)
    assert [*found] == ["facts", 'facts["Amount due"]', "facts.Broken", "facts.Fixed"]
    assert (found['facts["Amount due"]'].sample, found['facts["Amount due"]'].always) == (12.5, True)
    assert found["facts.Fixed"].type == "string"
    assert codes(document) == set()


@pytest.mark.parametrize("keys", OTHERS, ids=str)
@pytest.mark.parametrize(("document", "place", "node"), HOLDERS, ids=["alone", "steps", "one step"])
def test_nothing_else_of_the_step_does(document, place, node, keys):
    view = shown(document, place, node, keys)
    assert [problem.code for problem in view.problems] == ["name_not_in_scope"]
    assert offered(document, place, node, keys) == {}


def test_a_fact_that_nobody_knows_yet_is_said_to_have_no_value():
    view = shown(alone(), "params", "ask", ("title",), "{{ facts.Broken }}")
    assert (view.fault.code, view.problems) == ("no_sample", [])
    assert "the fact Broken" in view.fault.message


@pytest.mark.parametrize(("document", "place", "node"), HOLDERS, ids=["alone", "steps", "one step"])
def test_a_label_that_there_is_not_is_an_error_with_the_one_that_was_meant(document, place, node):
    (problem,) = shown(document, place, node, ("title",), '{{ facts["Amount duo"] }}').problems
    assert problem.code == "unknown_fact"
    assert "did you mean `Amount due`?" in problem.message


def test_labels_that_only_a_run_knows_are_no_problem():
    document = alone(facts="{{ input.rows }}", title="Pay {{ facts.A }}?", instructions="x", outcomes=None)
    assert codes(document) == set()
    view = shown(document, "params", "ask", ("title",), "{{ facts.A }}")
    assert (view.value, view.problems) == (3, [])
    assert [*offered(document, "params", "ask", ("title",))] == ["facts", "facts.A"]


def test_a_step_without_facts_has_none_to_read():
    document = alone(facts=None)
    assert codes(document) == {"unknown_fact"}
    assert offered(document, "params", "ask", ("title",)) == {}


def test_a_title_of_a_step_that_asks_nobody_reads_no_facts():
    step = {"id": "a", "type": "transform", "params": {"set": {"x": 1}, "title": "{{ facts.A }}"}}
    assert "name_not_in_scope" in codes({"name": "pay", "nodes": [step], "edges": []})


@given(ODD_PARAMS, ODD)
def test_a_draft_with_facts_of_any_shape_has_previews_and_a_list(params, body):
    for document, place, node in (
        (alone(**params), "params", "ask"),
        (within(body), "body", "each"),
        (within({"type": "human.approval", "params": body}), "body", "each"),
    ):
        assert isinstance(shown(document, place, node, ("title",)).reads, list)
        assert isinstance(offered(document, place, node, ("outcomes", 0, "label")), dict)

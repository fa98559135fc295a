"""What is different between two versions: as changes, by field, in words and as a picture."""

import pytest
from hypothesis import given, settings

from lib.refusals import Unprocessable
from tests.engine.strategies import QUICK, cases
from tests.workflows.documents import same_document
from workflows.document.changes import Group, apply, keyed
from workflows.versions.comparing import compared, shown


def flow(*nodes, edges=(), **rest):
    return {"name": "flow", "nodes": list(nodes), "edges": list(edges), **rest}


BEFORE = flow(
    {"id": "a", "type": "noop", "title": "First"},
    {"id": "b", "type": "wait", "params": {"seconds": 5}},
    edges=[{"from": "a", "to": "b"}],
    title="A flow",
    metadata={"sample_input": {"n": 1}},
)
AFTER = flow(
    {"id": "a", "type": "noop", "title": "Begin"},
    {"id": "c", "type": "noop"},
    edges=[{"from": "a", "to": "c", "when": "output.ok"}],
    title="A flow",
    sla_seconds=60,
    metadata={"sample_input": {"n": 2}},
)


@settings(QUICK)
@given(cases(), cases())
def test_the_changes_make_the_one_of_the_other(one, other):
    found = compared(one.definition, other.definition)
    before, after = keyed(one.definition, {}), keyed(other.definition, {})
    result = apply(before, [Group("g", "", tuple(found.changes))])
    assert same_document(result.document, after)
    assert len(found.fields) == len(found.changes)


def test_each_field_that_is_different_is_named_with_both_values():
    said = [found.as_dict() for found in compared(BEFORE, AFTER).fields]
    assert {
        "where": "nodes",
        "node": "a",
        "field": "title",
        "kind": "changed",
        "from": "First",
        "to": "Begin",
    } in said
    assert {"where": "settings", "node": None, "field": "sla_seconds", "kind": "added", "to": 60} in said
    assert [(each["node"], each["kind"]) for each in said if each["where"] == "edges"] == [
        ("a>b", "removed"),
        ("a>c", "added"),
    ]
    sample = next(each for each in said if each["field"] == "metadata.sample_input.n")
    assert (sample["from"], sample["to"]) == (1, 2)


def test_the_summary_names_what_is_new_different_and_gone():
    assert compared(BEFORE, AFTER).summary() == {
        "text": "1 step added, 1 step changed, 1 step removed, 1 connection added, 1 connection removed, "
        "2 settings changed",
        "nodes": {"added": ["c"], "changed": ["a"], "removed": ["b"], "moved": []},
        "edges": {"added": ["a>c"], "changed": [], "removed": ["a>b"], "moved": []},
        "settings": ["sla_seconds", "metadata"],
    }


def test_equal_definitions_have_no_difference():
    found = compared(BEFORE, dict(reversed(BEFORE.items())))
    assert (found.changes, found.text) == ([], "no difference")


def test_another_order_of_steps_is_a_move():
    first, second = BEFORE["nodes"]
    (moved,) = compared(BEFORE, BEFORE | {"nodes": [second, first]}).fields
    assert moved.kind == "moved"
    assert (moved.before, moved.after) in [("a", None), (None, "b")]


def test_another_dialect_that_says_the_same_makes_no_difference():
    chain = {"name": "x", "steps": ["text.clean", "text.tag"]}
    native = flow(
        {"id": "clean", "type": "text.clean"},
        {"id": "tag", "type": "text.tag"},
        edges=[{"from": "clean", "to": "tag"}],
    ) | {"name": "x"}
    assert compared(chain, native).changes == []


@pytest.mark.parametrize("draft", [{"a": 1}, flow({"id": "a"}, {"id": "a"}), {"nodes": 7}])
def test_what_can_not_be_compared_says_why(draft):
    with pytest.raises(Unprocessable, match="can't be compared") as refused:
        compared(draft, BEFORE)
    assert refused.value.code == "not_keyable"


def test_the_picture_marks_steps_and_ends_with_those_that_are_gone():
    picture = shown(BEFORE, AFTER).drawing
    assert [(step.id, step.mark) for step in picture.steps] == [("a", "changed"), ("c", "new"), ("b", "gone")]


def test_people_see_titles_settings_first_and_texts_cut_short():
    after = AFTER | {"description": "x" * 5000}
    parts = shown(BEFORE, after).parts
    assert [part.what for part in parts][:2] == ["Settings", "Begin"]
    assert "Begin → Do nothing (c)" in [part.what for part in parts]
    assert max(len(row.after or "") for part in parts for row in part.rows) < 1000

"""Ours → other dialects: what an export says is read back as the same workflow, or it is refused with the reason."""

import pytest
from hypothesis import given

from engine.canonical import content_hash
from engine.dialects import DIALECTS, DialectError, detect, from_native, to_native
from tests.definitions import chain
from tests.engine.strategies import QUICK, cases
from workflows.versions.examples import examples

OTHERS = sorted(set(DIALECTS) - {"native"})


def in_any_order(definition):
    """The definition with its edges in one order: plain ones may come back in another."""
    return {**definition, "edges": sorted(definition["edges"], key=repr)}


def test_a_chain_can_be_said_in_every_dialect_that_has_steps_of_all_types():
    definition = {**chain("flow", length=3, step="text.clean"), "title": "A flow"}
    for dialect in (name for name in OTHERS if name != "s4"):
        document = from_native(definition, dialect)
        assert detect(document) == dialect
        assert in_any_order(to_native(document)) == in_any_order(definition)


def test_steps_whose_ids_are_what_they_would_be_anyway_are_types_alone():
    definition = to_native(
        {"name": "x", "steps": ["text.clean", "text.clean", {"type": "text.tag", "id": "other"}]}
    )
    assert from_native(definition, "steps")["steps"] == [
        "text.clean",
        "text.clean",
        {"type": "text.tag", "id": "other"},
    ]
    assert from_native(definition, "configuration")["configuration"][:2] == ["text.clean", "text.clean"]


def test_the_dag_of_s0_has_its_own_names():
    definition = to_native(
        {
            "name": "x",
            "dag": {
                "nodes": [{"step_name": "a", "max_retries": 2, "timeout_s": 5}, {"step_name": "b"}],
                "edges": [{"from": "a", "to": "b", "condition": "yes"}],
            },
        }
    )
    document = from_native(definition, "s0")
    assert document["dag"]["nodes"][0] == {"step_name": "a", "max_retries": 2, "timeout_s": 5, "type": "job"}
    assert document["dag"]["edges"] == [{"from": "a", "to": "b", "condition": "yes"}]
    assert to_native(document) == definition


@pytest.mark.parametrize(
    ("dialect", "change", "field"),
    [
        ("steps", {"edges": []}, "nodes[1]"),
        ("steps", {"edges": [{"from": "s0", "to": "s2"}, {"from": "s1", "to": "s2"}]}, "edges[0]"),
        ("configuration", {"edges": [{"from": "s0", "to": "s1", "when": "true"}]}, "edges[0]"),
        ("depends_on", {"edges": [{"from": "s0", "to": "s1", "on": "error"}]}, "edges[0]"),
        ("depends_on", {"nodes": [], "edges": []}, "nodes"),
        ("depends_on", {"edges": [{"from": "s0", "to": "gone"}]}, "edges"),
        ("s0", {"dag": {}}, "dag"),
        ("s4", {}, "nodes[0].type"),
        ("s4", {"input_schema": {}}, "input_schema"),
        ("steps", {"steps": []}, "steps"),
        ("steps", {"nodes": "none"}, "nodes"),
    ],
)
def test_what_a_dialect_can_not_say_is_refused_with_the_place(dialect, change, field):
    with pytest.raises(DialectError, match=f"`{dialect}` can't say") as refused:
        from_native({**chain("flow", length=3), **change}, dialect)
    assert refused.value.field == field


@QUICK
@given(cases())
def test_any_workflow_comes_back_from_every_dialect_that_can_say_it(case):
    for dialect in OTHERS:
        try:
            document = from_native(case.definition, dialect)
        except DialectError:
            assert dialect != "s0"
            continue
        assert in_any_order(to_native(document, dialect)) == in_any_order(case.definition)


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.name)
@pytest.mark.parametrize("dialect", OTHERS)
def test_each_example_comes_back_from_the_dialects_that_can_say_it(example, dialect):
    try:
        document = from_native(example.definition, dialect)
    except DialectError:
        assert dialect != "s0"
        return
    back = to_native(document)
    assert content_hash(in_any_order(back)) == content_hash(in_any_order(example.definition))

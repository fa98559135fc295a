"""What `validate` once let pass."""

import pytest

from engine.validate import validate
from tests.engine.spec_samples import CATALOGUE, edge, node


def found(document):
    return validate(document, CATALOGUE)


@pytest.mark.parametrize("kind", ["", None, 7, "  "])
def test_a_type_that_is_none_is_an_error_at_its_node(kind):
    plain = {"id": "b", "type": "noop"}
    document = {"name": "x", "nodes": [plain, {"id": "a", "type": kind}], "edges": [edge("b", "a")]}
    (problem,) = found(document)
    assert (problem.severity, problem.node, problem.field) == ("error", "a", "nodes[1].type")
    document["nodes"][1] = {"id": "a", "type": "noop", "compensate": {"type": kind}}
    problem = found(document)[0]
    assert (problem.severity, problem.node, problem.field) == ("error", "a", "nodes[1].compensate.type")


@pytest.mark.parametrize(
    "after", [[], [edge("a", "b")], [edge("a", "b", branch="x"), edge("a", "b", default=True)]]
)
def test_a_failure_that_nothing_takes_up_is_told(after):
    nodes = [node("a", "noop", on_error="branch"), *([node("b", "noop")] if after else [])]
    document = {"name": "x", "nodes": nodes, "edges": after}
    assert [(p.severity, p.node, p.field) for p in found(document) if p.code == "no_error_edge"] == [
        ("warning", "a", "nodes[0].on_error")
    ]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("secrets", ["token"]),
    ],
)
def test_a_field_of_a_node_that_nothing_acts_upon_yet_is_told_and_stands_against_nothing(field, value):
    nodes = [node("b"), node("a", **{field: value})]
    (problem,) = [p for p in found({"name": "x", "nodes": nodes, "edges": []}) if p.code != "no_edges"]
    assert (problem.code, problem.severity) == ("not_yet", "warning")
    assert (problem.node, problem.field) == ("a", f"nodes[1].{field}")


@pytest.mark.parametrize("value", [0, -1, 1.5, "60", True, 10**12])
def test_a_time_to_begin_is_a_whole_number_of_seconds(value):
    document = {"name": "x", "nodes": [node("a", schedule_to_start_seconds=value)]}
    (problem,) = [one for one in found(document) if one.severity == "error"]
    assert (problem.code, problem.field) == ("bad_value", "nodes[0].schedule_to_start_seconds")


def test_a_step_that_is_done_at_once_is_never_begun_too_late():
    document = {"name": "x", "nodes": [node("a", "decision", schedule_to_start_seconds=5)]}
    assert "nodes[0].schedule_to_start_seconds" in {
        one.field for one in found(document) if one.code == "without_effect"
    }


def test_of_a_step_that_is_done_at_once_nobody_is_asked_what_becomes_of_its_failure():
    document = {
        "name": "x",
        "nodes": [node("a", "decision", on_error="ask"), node("b", "job", on_error="ask")],
    }
    assert [one.field for one in found(document) if one.code == "without_effect"] == ["nodes[0].on_error"]


@pytest.mark.parametrize("field", ["on_failure", "compensation"])
def test_a_failure_policy_is_one_of_two_words(field):
    (problem,) = [
        one for one in found({"name": "x", "nodes": [node("a")], field: "both"}) if one.severity == "error"
    ]
    assert problem.field == field

"""S2's configuration (R-011) and `depends_on` (R-003, R-004) as definitions of ours."""

import pytest

from engine.dialects import DialectError, detect, to_native
from engine.validate import validate
from steps.catalogue import CATALOGUE

S2 = {
    "id": 7,
    "user_id": 3,
    "name": "Daily digest",
    "configuration": ["Clean Text", "summarize", {"type": "extract-keywords", "params": {"limit": 4}}],
}


def test_a_configuration_becomes_a_chain():
    assert detect(S2) == "configuration"
    native = to_native(S2)
    assert native == {
        "name": "daily-digest",
        "title": "Daily digest",
        "metadata": {"id": 7, "user_id": 3},
        "nodes": [
            {"id": "clean", "type": "text.clean"},
            {"id": "summarize", "type": "text.summarize"},
            {"id": "keywords", "type": "text.keywords", "params": {"limit": 4}},
        ],
        "edges": [{"from": "clean", "to": "summarize"}, {"from": "summarize", "to": "keywords"}],
    }
    assert validate(native, CATALOGUE) == []


def test_the_pipeline_of_the_format_s_own_example_is_valid_as_it_is():
    native = to_native(
        {"name": "x", "configuration": ["Clean Text", "Summarize", "Extract Keywords", "Tag Category"]}
    )
    assert validate(native, CATALOGUE) == []


def test_a_type_that_s2_does_not_know_stays_for_validate_to_judge():
    native = to_native({"name": "x", "configuration": ["noop", "no.such"]})
    assert [node["type"] for node in native["nodes"]] == ["noop", "no.such"]


@pytest.mark.parametrize("configuration", [None, "clean", {}, [5], [{"params": {}}]])
def test_what_is_no_configuration_is_said(configuration):
    with pytest.raises(DialectError, match="configuration"):
        to_native({"name": "x", "configuration": configuration})


@pytest.mark.parametrize("key", ["steps", "nodes"])
def test_depends_on_becomes_edges(key):
    document = {
        "name": "x",
        key: [
            {"id": "fetch", "type": "task"},
            {"id": "left", "type": "noop", "depends_on": ["fetch"]},
            {"id": "right", "type": "noop", "depends_on": "fetch"},
            {"id": "meet", "type": "join", "depends_on": ["left", "right", "left"]},
        ],
    }
    assert detect(document) == "depends_on"
    native = to_native(document)
    assert [(edge["from"], edge["to"]) for edge in native["edges"]] == [
        ("fetch", "left"),
        ("fetch", "right"),
        ("left", "meet"),
        ("right", "meet"),
    ]
    assert [node["type"] for node in native["nodes"]] == ["job", "noop", "noop", "noop"]
    assert validate(native, CATALOGUE) == []


def test_depends_on_goes_with_the_names_of_s0_and_without_types():
    native = to_native(
        {
            "name": "x",
            "dag": {
                "nodes": [
                    {"step_name": "a", "max_retries": 3, "timeout_s": 60},
                    {"name": "b", "depends_on": ["a"]},
                ]
            },
        }
    )
    assert native["nodes"] == [
        {"id": "a", "type": "job", "retry": {"max_retries": 3}, "timeout_seconds": 60},
        {"id": "b", "type": "job"},
    ]
    assert native["edges"] == [{"from": "a", "to": "b"}]


def test_a_step_that_depends_on_nothing_that_is_there_is_a_problem_of_the_definition():
    native = to_native({"name": "x", "steps": [{"id": "a", "type": "noop", "depends_on": ["b"]}]})
    assert [problem.code for problem in validate(native, CATALOGUE)][:1] == ["unknown_node"]


@pytest.mark.parametrize("names", [5, [5], {}])
def test_depends_on_is_a_list_of_names(names):
    with pytest.raises(DialectError, match="depends_on"):
        to_native({"name": "x", "steps": [{"id": "a", "type": "noop", "depends_on": names}]})

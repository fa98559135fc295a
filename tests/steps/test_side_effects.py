"""Which steps a test run leaves out: those that change something outside, reach people or cost money."""

import pytest

from steps.catalogue import CATALOGUE, group_title


@pytest.mark.parametrize(
    "name", ["email.send", "job", "human.approval", "human.form", "llm.prompt", "text.translate"]
)
def test_these_have_side_effects_whatever_their_params(name):
    assert CATALOGUE[name].has_side_effects
    assert CATALOGUE[name].side_effects({})


@pytest.mark.parametrize(
    "name", ["text.clean", "text.tag", "transform", "decision", "wait", "signal", "noop"]
)
def test_these_have_none(name):
    assert not CATALOGUE[name].side_effects({})


@pytest.mark.parametrize(
    ("method", "has_any"),
    [
        ("GET", False),
        ("head", False),
        ("POST", True),
        ("DELETE", True),
        ("{{ input.method }}", True),
        (7, True),
    ],
)
def test_a_request_that_only_reads_has_none(method, has_any):
    assert CATALOGUE["http.request"].side_effects({"method": method}) is has_any
    assert CATALOGUE["http.request"].side_effects({}) is False, "GET where none is said"


def test_a_text_step_that_asks_a_language_model_costs_money():
    assert CATALOGUE["text.summarize"].side_effects({"llm": True})
    assert CATALOGUE["text.summarize"].side_effects({"llm": "{{ input.llm }}"})


def test_groups_have_titles_those_of_other_packages_too():
    assert {group_title(step_type.group) for step_type in CATALOGUE.values()} >= {"Flow", "People", "Data"}
    assert group_title("my_bank") == "My bank"

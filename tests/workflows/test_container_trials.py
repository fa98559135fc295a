"""Containers in test runs and test cases: the items are done, and of their steps the same is left out as elsewhere."""

import pytest

from engine.validate import validate
from lib.refusals import Invalid
from steps.catalogue import ALL_TYPES
from steps.stub import STUB_TYPE
from tests.factories import graph
from workflows.trials.case_runs import Case, Subject, run_cases
from workflows.trials.rewrite import TrialOptions, trial_definition

MAIL = {"id": "mail", "type": "email.send", "params": {"to": "a@b.example", "subject": "x", "text": "y"}}
TWICE = {"id": "twice", "type": "transform", "params": {"set": {"n": "{{ item * 2 + input.more }}"}}}


def each(body, **params):
    """A map over `input.items`."""
    return graph(
        [{"id": "each", "type": "map", "params": {"items": "{{ input.items }}", "body": body, **params}}], []
    )


def again(body, **params):
    """A loop over what it is given."""
    return graph([{"id": "again", "type": "loop", "params": {"body": body, **params}}], [])


def played(definition, given, **stubs):
    """What becomes of it as a test case."""
    case = Case(1, "one", given, stubs=stubs)
    return run_cases(Subject(definition, "graph", "ours", {}, is_valid=True), [case], seconds=30.0)[0]


@pytest.mark.parametrize(
    ("definition", "output"),
    [
        (each({"type": "transform", "params": TWICE["params"]}), {"results": [{"n": 12}, {"n": 14}]}),
        (each({"steps": [TWICE, {"id": "end", "type": "noop"}]}), {"results": [{"n": 12}, {"n": 14}]}),
        (each({"steps": [TWICE]}), {"results": [{"n": 12}, {"n": 14}]}),
        (
            again(
                {"type": "transform", "params": {"set": {"n": "{{ index }}"}}}, **{"while": "output.n < 3"}
            ),
            {"n": 3},
        ),
        (again({"steps": [TWICE]}, count=0), {"items": [1, 2], "more": 10}),
    ],
)
def test_a_test_case_does_the_items_in_memory(definition, output):
    result = played(definition, {"items": [1, 2], "more": 10})
    assert (result.status, result.output) == ("COMPLETED", output)


def test_what_a_container_does_that_is_all_another_one_does_is_left_out_as_well():
    inner = {"type": "map", "params": {"items": [1, 2], "body": {"steps": [MAIL, TWICE]}}}
    trial = trial_definition(each(inner), TrialOptions())
    steps = trial.definition["nodes"][0]["params"]["body"]["params"]["body"]["steps"]
    assert [step["type"] for step in steps] == [STUB_TYPE, "transform"]
    assert [(one.node, one.why) for one in trial.stubbed] == [("mail", "side_effects")]
    once = {"type": "map", "params": {"items": [1], "body": {"type": MAIL["type"], "params": MAIL["params"]}}}
    trial = trial_definition(each(once), TrialOptions())
    assert trial.definition["nodes"][0]["params"]["body"]["params"]["body"]["type"] == STUB_TYPE
    assert [(one.node, one.why) for one in trial.stubbed] == [("each", "side_effects")]


def test_rounds_and_items_set_variables_of_the_run_in_memory():
    plus = {"id": "plus", "type": "noop", "set_vars": {"n": "{{ vars.n + index + 1 }}"}}
    loop = {"id": "again", "type": "loop", "params": {"body": {"steps": [plus]}, "while": "vars.n < 6"}}
    zero = {"id": "zero", "type": "noop", "set_vars": {"n": 0}}
    result = played(graph([zero, loop], ["zero>again"], output="{{ vars }}"), {})
    assert (result.status, result.output) == ("COMPLETED", {"n": 6})


def test_a_failed_item_fails_a_test_case_as_it_fails_a_run():
    body = {"steps": [{"id": "part", "type": "transform", "params": {"set": {"n": "{{ 6 / item }}"}}}]}
    result = played(each(body), {"items": [1, 0]})
    assert (result.status, result.error["code"]) == ("FAILED", "ItemsFailed")
    tolerant = played(each(body, tolerate_failures="50%"), {"items": [1, 0]})
    assert [tolerant.output["results"][0], "error" in tolerant.output["results"][1]] == [{"n": 6}, True]


def test_a_step_of_an_item_is_answered_by_the_case():
    result = played(each({"steps": [MAIL]}), {"items": [1]}, mail={"output": {"sent": "yes"}})
    assert result.output == {"results": [{"sent": "yes"}]}
    assert result.differences == []


def test_what_reaches_people_is_left_out_in_each_item():
    definition = each({"steps": [TWICE, MAIL]})
    made = trial_definition(definition, TrialOptions())
    (node,) = made.definition["nodes"]
    assert [step["type"] for step in node["params"]["body"]["steps"]] == ["transform", "test.stub"]
    assert [(one.node, one.why) for one in made.stubbed] == [("mail", "side_effects")]
    assert [one for one in validate(made.definition, ALL_TYPES) if one.severity == "error"] == []


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"type": "email.send", "params": MAIL["params"]}, "side_effects"),
        ({"type": "signal", "params": {"name": "go"}}, "waits"),
        ({"workflow": "other"}, "waits"),
    ],
)
def test_a_single_step_of_items_is_left_out_for_the_same_reasons(body, why):
    made = trial_definition(each(body), TrialOptions())
    assert made.definition["nodes"][0]["params"]["body"]["type"] == "test.stub"
    assert [(one.node, one.why, one.made_up) for one in made.stubbed] == [("each", why, True)]
    assert [one for one in validate(made.definition, ALL_TYPES) if one.severity == "error"] == []


def test_steps_of_items_may_be_pinned_and_made_to_happen():
    definition = each({"steps": [TWICE, MAIL]})
    pinned = trial_definition(definition, TrialOptions(pins={"twice": {"n": 7}})).definition["nodes"][0]
    assert pinned["params"]["body"]["steps"][0]["type"] == "test.stub"
    live = trial_definition(definition, TrialOptions(live=frozenset({"mail"})))
    assert live.stubbed == ()
    with pytest.raises(Invalid, match="no step nobody"):
        trial_definition(definition, TrialOptions(live=frozenset({"nobody"})))

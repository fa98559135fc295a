"""Expressions without braces in params: read, judged and renamed as those in braces are, wherever the step stands."""

import pytest

from engine.graph import compile_graph
from engine.renaming import rename_step
from engine.validate import validate
from steps.catalogue import CATALOGUE
from workflows.trials.rewrite import TrialOptions, trial_definition


def table(when):
    return {
        "type": "decision.table",
        "params": {
            "columns": [{"title": "A", "when": when}, {"set": "x"}],
            "rows": [["-", "{{ steps.a.output }}"]],
        },
    }


def flow(step):
    return {
        "name": "flow",
        "nodes": [{"id": "a", "type": "noop"}, {"id": "t", **step}],
        "edges": [{"from": "a", "to": "t"}],
    }


PLACES = {
    "node": lambda step: step,
    "body": lambda step: {"type": "map", "params": {"items": [1], "body": step}},
    "steps": lambda step: {"type": "map", "params": {"items": [1], "body": {"steps": [{"id": "s", **step}]}}},
    "undo": lambda step: {"type": "noop", "compensate": step},
}
every_place = pytest.mark.parametrize("place", PLACES)


@every_place
def test_an_unknown_step_is_found(place):
    found = list(validate(flow(PLACES[place](table("steps.gone.output"))), CATALOGUE))
    assert [problem.code for problem in found if problem.severity == "error"] == ["unknown_step"]
    assert found[0].field.endswith("params.columns[0].when")


@every_place
def test_a_rename_rewrites_it(place):
    document = flow(PLACES[place](table("steps.a.output.n > 1")))
    renamed = rename_step(document, "a", "b-c", catalogue=CATALOGUE)
    assert renamed.definition == flow_renamed(place)
    assert renamed.unread == []


def flow_renamed(place):
    step = table('steps["b-c"].output.n > 1')
    step["params"]["rows"] = [["-", '{{ steps["b-c"].output }}']]
    document = flow(PLACES[place](step))
    document["nodes"][0]["id"] = "b-c"
    document["edges"][0]["from"] = "b-c"
    return document


def test_it_is_read_by_the_graph_and_kept_in_a_test_run_of_the_step_alone():
    document = flow(table("steps.a.output.n"))
    assert compile_graph(document, CATALOGUE).nodes["t"].reads.steps == {"a"}
    trial = trial_definition(document, TrialOptions(only="t"))
    assert {node["id"] for node in trial.definition["nodes"]} == {"a", "t"}


@pytest.mark.parametrize("when", ["{{ input.a }}", "input.a }}", "", "input.a }} {{ input.b", "input.a +"])
def test_what_is_no_single_expression_is_an_error_at_its_place(when):
    errors = [problem for problem in validate(flow(table(when)), CATALOGUE) if problem.severity == "error"]
    assert errors
    assert {problem.field for problem in errors} == {"nodes[1].params.columns[0].when"}

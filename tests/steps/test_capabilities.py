"""What a step type can do is said by the type, not by its name: an installed one may decide, or ask people, too."""

from dataclasses import replace

import pytest

from engine.graph import compile_graph
from engine.validate import validate
from steps.catalogue import CATALOGUE

ROUTE = replace(CATALOGUE["decision"], name="acme.route")
ASK = replace(CATALOGUE["human.approval"], name="acme.ask")
INSTALLED = {**CATALOGUE, ROUTE.name: ROUTE, ASK.name: ASK}


def definition(**nodes):
    return {"name": "flow", "nodes": [{"id": name, **node} for name, node in nodes.items()], "edges": []}


def codes(of):
    return {problem.code for problem in validate(of, INSTALLED)}


def test_an_installed_type_may_decide():
    flow = definition(a={"type": "acme.route"})
    assert "decision_without_edge" in codes(flow)
    assert compile_graph(flow, INSTALLED).nodes["a"].decides


def test_an_installed_type_may_ask_people():
    flow = definition(a={"type": "acme.ask", "params": {"title": "Go on?"}, "timeout_seconds": 5})
    assert codes(flow) >= {"no_deadline", "without_effect"}


@pytest.mark.parametrize(
    "capability",
    [
        "decides",
        "asks_people",
        "keeps_calendar",
        "takes_signals",
        "gives_input",
        "rewrites_text",
        "ends_run",
        "fails",
        "parts",
        "starter_decides",
    ],
)
def test_what_is_built_in_has_each_capability_where_it_should(capability):
    expected = {
        "decides": {"decision"},
        "asks_people": {"human.approval", "human.form"},
        "keeps_calendar": {"wait", "human.approval", "human.form"},
        "takes_signals": {"signal"},
        "gives_input": {"decision", "parallel", "join", "end", "noop"},
        "rewrites_text": {"text.summarize", "text.translate"},
        "ends_run": {"end"},
        "fails": {"fail"},
        "parts": {"parallel"},
        "starter_decides": {"human.form"},
    }
    found = {name for name, step_type in CATALOGUE.items() if getattr(step_type, capability)}
    assert found == expected[capability]

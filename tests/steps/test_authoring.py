"""Workflows written in Python (docs/definitions-as-code.md): what is written is the JSON, mistakes are told at once."""

import inspect
import re
from datetime import date, timedelta
from enum import StrEnum

import pytest
from pydantic import BaseModel, Field

from engine import definition as shapes
from engine.validate import validate
from handoff.definition import UNSET, Compensation, Retry, Workflow, WorkflowInvalid, prev, run
from steps.authoring.workflow import Step
from steps.catalogue import CATALOGUE


def arguments(function):
    return {name for name in inspect.signature(function).parameters if name != "self"}


def edges_of(workflow):
    return workflow.definition()["edges"]


@pytest.fixture
def flow():
    return Workflow("flow")


@pytest.fixture
def abc(flow):
    """A workflow's three steps."""
    return [flow.step(name, "noop") for name in "abc"]


def test_what_a_definition_may_say_can_be_said_in_python():
    assert arguments(Workflow.step) == set(shapes.Node.model_fields)
    assert arguments(Workflow.__init__) == set(shapes.Definition.model_fields) - {"nodes"}
    assert arguments(Workflow.edge) == set(shapes.Edge.model_fields)
    assert set(Retry.__annotations__) == set(shapes.Retry.model_fields)
    assert set(Compensation.__annotations__) == set(shapes.Compensation.model_fields)


def test_what_is_not_said_is_not_in_the_definition():
    flow = Workflow("flow", title=None)
    flow.step("a", "noop", queue=UNSET, retry=None)
    assert flow.definition() == {
        "name": "flow",
        "title": None,
        "nodes": [{"id": "a", "type": "noop", "retry": None}],
        "edges": [],
    }
    assert "edges" not in Workflow("flow", edges=UNSET).definition()


def test_steps_are_chained_spread_and_joined(flow, abc):
    a, b, c = abc
    d, e = flow.step("d", "noop"), flow.step("e", "noop")
    a >> [b, c] >> d >> e
    assert edges_of(flow) == [{"from": one, "to": other} for one, other in ("ab", "ac", "bd", "cd", "de")]


def test_then_says_the_same(flow, abc):
    a, b, c = abc
    d = flow.step("d", "noop")
    assert a.then(b, c).then(d) is d
    [a.when("true"), b] >> d
    assert edges_of(flow) == [
        *({"from": one, "to": other} for one, other in ("ab", "ac", "bd", "cd")),
        {"from": "a", "to": "d", "when": "true"},
        {"from": "b", "to": "d"},
    ]


def test_several_lead_to_several_from_each_to_each(flow, abc):
    a, b, c = abc
    a >> [b, c] >> [flow.step("d", "noop"), flow.step("e", "noop")]
    assert [(edge["from"], edge["to"]) for edge in edges_of(flow)][2:] == [
        ("b", "d"),
        ("c", "d"),
        ("b", "e"),
        ("c", "e"),
    ]


def test_ways_have_their_conditions(flow, abc):
    a, b, c = abc
    a.when("output.n > 1") >> b
    a.branch("premium") >> b
    a.otherwise >> c
    a.failed >> c
    assert edges_of(flow) == [
        {"from": "a", "to": "b", "when": "output.n > 1"},
        {"from": "a", "to": "b", "branch": "premium"},
        {"from": "a", "to": "c", "default": True},
        {"from": "a", "to": "c", "on": "error"},
    ]
    assert flow.definition()["nodes"][0]["on_error"] == "branch"


def test_a_step_that_says_what_its_failure_means_keeps_it(flow):
    a = flow.step("a", "noop", on_error="continue")
    a.failed >> flow.step("b", "noop")
    assert flow.definition()["nodes"][0]["on_error"] == "continue"


def test_timers_are_ways_too(flow, abc):
    a, b, c = abc
    a.after("P2D") >> b
    a.after(timedelta(hours=1), interrupting=False) >> [b, c]
    assert flow.definition()["nodes"][0]["boundary_timers"] == [
        {"duration": "P2D", "to": "b"},
        {"after_seconds": 3600, "interrupting": False, "to": "b"},
        {"after_seconds": 3600, "interrupting": False, "to": "c"},
    ]
    assert edges_of(flow) == []


def test_a_step_of_another_workflow_is_refused_where_it_is_written(flow, abc):
    other = Workflow("other").step("a", "noop")
    with pytest.raises(ValueError, match="<step a of other> is of another workflow"):
        abc[0] >> other
    with pytest.raises(ValueError, match="another workflow"):
        abc[0].after(5) >> other


def test_values_of_a_run_are_written_as_they_are_read(flow):
    order = flow.step("get-order", "noop")
    flow.step(
        "a",
        "transform",
        {
            "set": {
                "city": flow.input.address["home city"],
                "price": order.output.lines[0].price,
                "text": f"Dear {prev.name}, this is {run.id}",
            }
        },
        input=order.output,
    )
    flow.output = {"n": prev.n}
    assert flow.definition()["nodes"][1] == {
        "id": "a",
        "type": "transform",
        "params": {
            "set": {
                "city": '{{ input.address["home city"] }}',
                "price": '{{ steps["get-order"].output.lines[0].price }}',
                "text": "Dear {{ prev.name }}, this is {{ run.id }}",
            }
        },
        "input": '{{ steps["get-order"].output }}',
    }
    assert flow.output == {"n": "{{ prev.n }}"}


def test_what_a_value_will_be_can_not_be_asked_when_it_is_written():
    with pytest.raises(TypeError, match=r"`prev\.ok` is, nobody knows"):
        assert prev.ok
    with pytest.raises(TypeError, match="not iterable"):
        list(prev)
    with pytest.raises(AttributeError):
        _ = prev.__wrapped__


class Colour(StrEnum):
    """What a param may be."""

    RED = "red"


def test_what_is_given_becomes_json_of_its_own(flow):
    tags = ["a"]
    flow.step("a", "transform", {"set": {"colour": Colour.RED, "pair": (1, 2.5), "tags": tags}})
    tags.append("b")
    found = flow.definition()["nodes"][0]["params"]["set"]
    assert found == {"colour": "red", "pair": [1, 2.5], "tags": ["a"]}
    assert type(found["colour"]) is str


@pytest.mark.parametrize(
    ("params", "said"),
    [
        ({"set": {"at": date(2027, 1, 1)}}, r"`params\.set\.at` is no JSON: date"),
        ({"set": [{1: 2}]}, r"`params\.set\[0\]` has a key that is no text: 1"),
        ({"n": float("nan")}, r"`params\.n` is no JSON: float"),
    ],
)
def test_what_is_no_json_is_refused_where_it_is_written(flow, params, said):
    with pytest.raises(TypeError, match=said):
        flow.step("a", "transform", params)


class Order(BaseModel):
    """What is ordered."""

    order_id: str = Field(title="Order number", min_length=1)
    amount: int = Field(0, ge=0)


def test_a_model_says_what_a_run_needs():
    flow = Workflow("flow", input_schema=Order)
    flow.step("a", "noop")
    schema = flow.build()["input_schema"]
    assert schema["required"] == ["order_id"]
    assert schema["properties"]["order_id"] == {"title": "Order number", "minLength": 1, "type": "string"}


def test_a_workflow_is_built_as_json_can_be_published():
    flow = Workflow("booking", business_key="{{ input.id }}")
    reserve = flow.step(
        "reserve",
        "job",
        queue="hotel",
        retry=Retry(max_retries=1),
        compensate=Compensation(type="job", queue="hotel-undo", retry="minutes"),
    )
    check = flow.step("check", "decision")
    reserve >> check
    check.when("output.price > 100") >> flow.step(
        "ask", "human.approval", {"title": "Dear?", "candidates": {"roles": ["approver"]}}
    )
    check.otherwise >> flow.step("done", "noop", join="any")
    assert [one for one in validate(flow.build(), CATALOGUE) if one.severity == "error"] == []


def test_all_mistakes_are_told_at_once_and_when_it_is_built():
    flow = Workflow("flow", sla_seconds=0)
    a = flow.step("a", "http.request", {"mehtod": "GET"})
    b = flow.step("a", "noop")
    c = flow.step("c", "transform", {"set": {"x": "{{ steps.gone.output }}"}}, retry="often")
    a >> b >> c >> a
    c.after("in a while") >> a
    with pytest.raises(WorkflowInvalid) as refused:
        flow.build()
    codes = {problem.code for problem in refused.value.problems}
    assert {"bad_value", "bad_params", "duplicate_id", "cycle"} <= codes
    assert {problem.code for problem in flow.problems()} >= codes
    said = str(refused.value)
    assert said.startswith(f"The workflow `flow` has {len(refused.value.problems)} problems:\n")
    place = r"\n  test_authoring\.py:\d+: step a: `nodes\[0\]\.params\.mehtod` is not known: remove it"
    assert re.search(place, said)


def test_one_mistake_is_one():
    with pytest.raises(WorkflowInvalid, match="has 1 problem:"):
        Workflow("flow").build()


def test_steps_and_workflows_say_who_they_are(flow, abc):
    assert repr(abc[0]) == "<step a of flow>"
    assert repr(flow) == "<workflow flow>"
    assert repr(prev.x) == "<value prev.x>"
    assert repr(UNSET) == "UNSET"
    assert isinstance(abc[0], Step)


def test_steps_are_added_to_lists_alone():
    broken = Workflow.of({"name": "n", "nodes": "none"})
    with pytest.raises(TypeError, match="`nodes` of <workflow n> is no list"):
        broken.step("a", "noop")

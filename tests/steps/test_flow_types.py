"""transform, decision, job and noop: the types of the flow."""

import pytest

from engine.errors import StepError
from steps.catalogue import CATALOGUE

transform = CATALOGUE["transform"]


def test_transform_gives_the_object_set():
    assert transform.evaluate({"set": {"a": 1, "b": [2]}}, {"c": 3}) == {"a": 1, "b": [2]}


def test_transform_lays_it_over_the_input_if_asked():
    assert transform.evaluate({"set": {"a": 1}, "keep_input": True}, {"a": 0, "c": 3}) == {"a": 1, "c": 3}


def test_transform_leaves_the_input_itself_alone():
    given = {"a": 0}
    transform.evaluate({"set": {"a": 1}, "keep_input": True}, given)
    assert given == {"a": 0}


@pytest.mark.parametrize("given", ["text", 5, None, [1]], ids=repr)
def test_transform_can_keep_nothing_but_an_object(given):
    with pytest.raises(StepError, match="`input` must be an object") as refused:
        transform.evaluate({"set": {}, "keep_input": True}, given)
    assert refused.value.code == "BadInput"
    assert transform.evaluate({"set": {}}, given) == {}


def test_the_schema_of_transform_tells_which_keys_there_are():
    schema = transform.output_schema({"set": {"n": 1, "t": "Hello {{ input.x }}", "v": "{{ input.x }}"}})
    assert schema["properties"] == {"n": {"type": "integer"}, "t": {"type": "string"}, "v": {}}
    assert schema["required"] == ["n", "t", "v"]
    assert schema["additionalProperties"] is False


@pytest.mark.parametrize("keep", [True, "{{ input.keep }}"])
def test_the_schema_of_transform_stays_open_where_the_input_may_be_kept(keep):
    assert transform.output_schema({"set": {"n": 1}, "keep_input": keep})["additionalProperties"] is True


def test_a_value_of_two_expressions_is_a_text():
    schema = transform.output_schema({"set": {"t": "{{ input.a }}{{ input.b }}"}})
    assert schema["properties"]["t"] == {"type": "string"}


@pytest.mark.parametrize("name", ["noop", "decision"])
@pytest.mark.parametrize("given", [None, 0, "", [], {"a": {"b": [1]}}], ids=repr)
def test_noop_and_decision_give_their_input_on(name, given):
    assert CATALOGUE[name].evaluate({}, given) == given


def test_the_types_of_the_engine_are_decided_inside_advance():
    kinds = {name: CATALOGUE[name].kind for name in ("transform", "decision", "noop", "job")}
    assert kinds == {"transform": "engine", "decision": "engine", "noop": "inline", "job": "external"}


def test_a_job_takes_any_params_and_is_executed_by_nobody_here():
    job = CATALOGUE["job"]
    assert job.params_model.model_validate({"anything": [1]}).model_dump() == {"anything": [1]}
    assert job.timeout_seconds is None
    with pytest.raises(StepError, match="external worker"):
        job.evaluate({}, {})

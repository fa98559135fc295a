"""Executing a step: what is checked before and after its run, and what it costs where nothing is to check."""

import pytest
from pydantic import BaseModel

from engine.errors import StepError
from steps.base import Params, StepType, WholeNumber, execute


class CountParams(Params):
    count: WholeNumber
    loud: bool = False


class Counted(BaseModel):
    total: int


def step(run, **more):
    face = {"title": "T", "help": "H.", "icon": "i", "group": "g", "example": {"params": {}, "input": None}}
    return StepType(name="x", kind="inline", run=run, **face, **more)


def run(step_type, params, given=None):
    return execute(step_type, params, given, run_id="r1", node="n1", attempt=2, idempotency_key="k1")


def test_run_gets_who_it_runs_for():
    seen = step(lambda context: [context.run_id, context.node, context.attempt, context.idempotency_key])
    assert run(seen, {}) == ["r1", "n1", 2, "k1"]


def test_run_gets_its_params_as_the_model_has_them():
    doubled = step(lambda context: context.params.count * 2, params_model=CountParams)
    assert run(doubled, {"count": 21.0}) == 42


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({}, "`count` is missing."),
        ({"count": "3"}, "`count` should be a whole number, but is '3'."),
        ({"count": True}, "`count` should be a whole number, but is true or false."),
        ({"count": 2.5}, "`count` should be a whole number, but is 2.5."),
        ({"count": None}, "`count` should be a whole number, but is null."),
        ({"count": 1, "loud": "yes"}, "`loud` should be true or false, but is 'yes'."),
        ({"count": 1, "size": 2}, "`size` is not known here."),
        (
            {"count": [], "size": 2},
            "`count` should be a whole number, but is a list. There is one more problem.",
        ),
    ],
)
def test_wrong_params_are_said_in_one_sentence(params, says):
    with pytest.raises(StepError) as refused:
        run(step(lambda context: None, params_model=CountParams), params)
    assert (refused.value.code, refused.value.message) == ("BadParams", says)


def test_a_text_too_long_to_show_is_not_shown():
    with pytest.raises(StepError, match="but is a text"):
        run(step(lambda context: None, params_model=CountParams), {"count": "x" * 1000})


def test_an_output_that_the_type_does_not_promise_fails_the_step():
    broken = step(lambda context: {"total": "many"}, output_model=Counted)
    with pytest.raises(StepError, match="`total`") as refused:
        run(broken, {})
    assert refused.value.code == "BadOutput"


def test_what_the_step_itself_says_goes_through():
    def fail(context):
        raise StepError("Busy", "Try later.", retryable=True)

    with pytest.raises(StepError, match=r"Try later\.") as failed:
        run(step(fail), {})
    assert failed.value.retryable


def test_a_step_without_params_and_schemas_skips_validation():
    assert step(lambda context: None).takes_nothing
    assert not step(lambda context: None, params_model=CountParams).takes_nothing
    assert not step(lambda context: None, output_model=Counted).takes_nothing

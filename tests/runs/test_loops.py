"""Loops: one round after another, each with what the one before gave, until a condition ends it."""

import pytest

from tests import factories as make

pytestmark = pytest.mark.django_db

PLUS = {"type": "transform", "params": {"set": {"n": "{{ item.n + input.step }}"}}}


def looped(body=None, **params):
    """A loop named `again` that adds `input.step` to `n`, and a step `after` it."""
    again = {"id": "again", "type": "loop", "params": {"body": body or PLUS, **params}}
    return make.graph([again, "after"], ["again>after"])


def begun(definition, **given):
    """A run of it, worked off as far as it goes."""
    run_id = make.start(definition, {"n": 0, "step": 1, **given})[0]
    make.work()
    return run_id


@pytest.mark.parametrize(
    ("ends", "n"),
    [
        ({"while": "output.n < 3"}, 3),
        ({"until": "output.n >= 4"}, 4),
        ({"count": 5}, 5),
        ({"count": 5, "until": "iteration == 2"}, 2),
        ({"while": "output.n < input.most"}, 6),
    ],
)
def test_it_goes_on_until_what_it_says(ends, n):
    run_id = begun(looped(**ends), most=6)
    assert make.run(run_id).output == {"n": n}
    assert [child.input["n"] for child in make.children(run_id, "again")] == [*range(n)]


def test_its_first_round_is_given_what_the_step_says():
    run_id = begun(looped(input={"n": "{{ input.step * 100 }}"}, count=1))
    assert make.run(run_id).output == {"n": 101}


def test_a_round_may_be_several_steps_or_wait():
    body = {"steps": [{"id": "ask", "type": "signal", "params": {"name": "go"}}, {"id": "plus", **PLUS}]}
    run_id = begun(looped(body, count=2))
    for _ in range(2):
        part = str(make.children_of(run_id)[-1].pk)
        make.send(part, "go")
        make.work()
    assert make.run(run_id).output == {"n": 2}


def test_a_round_that_fails_fails_the_loop_and_resumed_it_goes_on_there():
    body = {"type": "transform", "params": {"set": {"n": "{{ item.n + 1 }}", "x": "{{ 6 / (item.n - 2) }}"}}}
    run_id = begun(looped(body, count=4))
    step = make.steps(run_id)["again"]
    assert (step.status, step.error["code"], step.error["details"]["round"]) == ("FAILED", "RoundFailed", 3)

    make.resume(run_id)
    make.work()
    assert make.steps(run_id)["again"].error["details"]["round"] == 3
    assert [child.index for child in make.children(run_id, "again")] == [0, 1, 2]


def test_a_loop_without_an_end_fails_at_its_bound():
    run_id = begun(looped(**{"while": "true"}, max_iterations=4))
    assert make.steps(run_id)["again"].error["code"] == "TooManyRounds"


def test_a_condition_that_can_not_be_computed_fails_the_loop():
    run_id = begun(looped(**{"while": "output.none < 3"}))
    error = make.steps(run_id)["again"].error
    assert (error["code"], "after round 1" in error["message"]) == ("ExpressionError", True)


def test_a_paused_loop_stands_still_between_rounds():
    run_id = make.start(looped({"type": "noop"}, count=3), {"n": 0})[0]
    make.work("engine")
    (first,) = make.claimed()
    make.pause(run_id)
    make.complete(first, output={"n": 1})
    make.work()
    assert [child.status for child in make.children(run_id, "again")] == ["COMPLETED", "QUEUED"]
    make.unpause(run_id)
    make.work()
    assert make.run(run_id).output == {"n": 1}

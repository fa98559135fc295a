"""What a run gives, and what may not be stored (docs/engine.md, "Semantics", "Strict outcomes")."""

import pytest

from engine.errors import StepError
from runs.kernel.advance import advance
from runs.store.attempts import Errored, Succeeded
from runs.workers.execute import broken, encoded
from tests import factories as make

pytestmark = pytest.mark.django_db

POISON = Succeeded("\0", b'"\\u0000"')
"""An output that got past the encoder."""


def test_one_poison_value_in_a_batch_of_a_hundred_fails_its_own_step_only():
    """docs/engine.md, "Strict outcomes"."""
    runs = make.start(make.chain("noop", "noop"), *[{"n": n} for n in range(100)])
    batch = make.claimed()
    guilty = batch[57]

    result = advance([(step, POISON if step is guilty else Succeeded(step.input)) for step in batch])

    assert result.applied == {step.id for step in batch}
    steps = make.steps(guilty.run_id)
    assert steps["a"].status == "FAILED"
    assert steps["a"].error["code"] == "BadOutput"
    assert make.run(guilty.run_id).status == "FAILED"
    make.work()
    assert {make.run(run_id).status for run_id in runs if run_id != guilty.run_id} == {"COMPLETED"}


def test_several_poison_values_in_one_batch_are_all_found():
    make.start(make.chain("noop"), *[{"n": n} for n in range(20)])
    batch = make.claimed()
    guilty = {batch[0].id, batch[10].id, batch[11].id, batch[19].id}

    advance([(step, POISON if step.id in guilty else Succeeded(step.input)) for step in batch])

    assert {step.id for step in batch if make.run(step.run_id).status == "FAILED"} == guilty


def test_a_poison_value_of_a_step_with_continue_is_handed_on_as_its_error():
    run_id = make.start(make.graph([{"id": "a", "on_error": "continue"}, "b"], ["a>b"]))[0]

    advance([(make.claimed()[0], POISON)])
    make.work()

    assert make.run(run_id).output["error"]["code"] == "BadOutput"


def test_a_poison_value_while_the_run_is_cancelled_does_not_block_it():
    run_id = make.start(make.graph("a", []))[0]
    step = make.claimed()[0]
    make.cancel(run_id)

    advance([(step, POISON)])

    assert make.run(run_id).status == "CANCELLED"


@pytest.mark.parametrize(
    "output",
    ["\0", "\ud800", float("nan"), float("inf"), 10**400, {1: 2}, object()],
    ids=["NUL", "a lone surrogate", "NaN", "infinity", "too large", "a key that is no text", "no JSON"],
)
def test_what_no_json_gate_takes_is_bad_output_and_not_retried(output):
    ending = encoded(output)

    assert ending.error["code"] == "BadOutput"
    assert ending.retryable is False


@pytest.mark.parametrize("literal", ["'\\u0000'", "1e308 * 10.0", "0.0 / 0.0"])
@pytest.mark.parametrize("on_error", ["fail", "continue"])
def test_an_engine_step_that_computes_what_can_t_be_stored_fails_and_blocks_nobody(literal, on_error):
    params = {"set": {"x": f"{{{{ {literal} }}}}"}}
    bad = {"id": "b", "type": "transform", "params": params, "on_error": on_error}
    run_id = make.start(make.graph(["a", bad, "c"], ["a>b", "b>c"]))[0]
    good = make.start(make.chain("noop"))[0]
    make.work()

    assert make.run(good).status == "COMPLETED"
    assert make.run(run_id).status == ("FAILED" if on_error == "fail" else "COMPLETED")


def test_the_output_of_several_sinks_is_by_their_ids_and_of_one_completed_sink_it_is_its_own():
    both = make.start(make.graph("abc", ["a>b", "a>c"]), {"n": 1})[0]
    edges = [{"from": "a", "to": "b", "branch": "x"}, {"from": "a", "to": "c", "branch": "y"}]
    one = make.start(make.graph("abc", edges), {"branch": "x"})[0]
    make.work()

    assert make.run(both).output == {"b": {"n": 1}, "c": {"n": 1}}
    assert make.run(one).output == {"branch": "x"}


def test_the_definition_s_output_sees_input_and_steps():
    output = {"sum": "{{ input.n + steps.a.output.n }}", "key": "{{ run.workflow }}"}
    run_id = make.start(make.graph("a", [], output=output), {"n": 2})[0]
    make.work()

    assert make.run(run_id).output["sum"] == 4


def test_skipped_sinks_and_those_failed_with_continue_give_no_output():
    soft = {"id": "b", "on_error": "continue", "retry": "none"}
    run_id = make.start(make.graph(["a", soft, "c"], ["a>b", {"from": "a", "to": "c", "when": "false"}]))[0]
    make.complete(*make.claimed())

    make.fail(*make.claimed())

    assert make.statuses(run_id) == {"a": "COMPLETED", "b": "FAILED", "c": "SKIPPED"}
    assert (make.run(run_id).status, make.run(run_id).output) == ("COMPLETED", None)


@pytest.mark.parametrize(
    "message", ["nul \0", "surrogate \ud800", "long " * 100_000], ids=["nul", "surrogate", "long"]
)
def test_an_error_that_can_t_be_stored_is_told_in_plain_characters(message):
    run_id = make.start(make.chain("noop"))[0]

    advance([(make.claimed()[0], broken(StepError("Boom", message)))])

    error = make.run(run_id).error
    assert error["code"] == "Boom"
    assert error["message"].startswith(message[:4])
    assert len(error["message"]) <= 2000


def test_a_failure_that_can_t_be_stored_either_keeps_nobody_back():
    """Else one guilty ending would hold up a batch, and each sweep, for ever."""
    runs = make.start(make.chain("noop"), *[{}] * 5)
    batch = make.claimed()
    guilty = batch[2]

    result = advance([(step, Errored({"code": "\0" if step is guilty else "Boom"})) for step in batch])

    assert result.applied == {step.id for step in batch}
    assert {make.run(run_id).status for run_id in runs} == {"FAILED"}
    assert make.run(guilty.run_id).error["code"] == "BadOutput"


@pytest.mark.parametrize("asked", [1e300, 10**400, float("inf"), float("nan"), -5], ids=repr)
def test_whatever_wait_is_asked_for_the_retry_can_be_stored(clock, asked):
    run_id = make.start(make.chain("noop"))[0]

    error = StepError("Busy", "Later.", retryable=True, details={"retry_after": asked})
    advance([(make.claimed()[0], broken(error))])

    step = make.steps(run_id)["a"]
    assert step.status == "QUEUED"
    assert 2 <= (step.available_at - clock.now).total_seconds() <= 30 * 86_400

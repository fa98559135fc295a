"""Resume: failed and cancelled-by-failure steps run again, completed ones stay, and nothing is forgotten (R-051)."""

import pytest

from runs.kernel.advance import advance
from runs.kernel.refused import RunRefused
from runs.store.attempts import Errored, Succeeded
from tests import factories as make

pytestmark = pytest.mark.django_db

ONCE = {"retry": "none"}


def nodes(*names, **extra):
    return [{"id": name, **ONCE, **extra} for name in names]


def by_node(queue="default"):
    return {step.node: step for step in make.claimed(queue)}


def test_b_completes_while_a_fails_and_on_resume_its_edges_are_resolved():
    """docs/engine.md, "Failure, pause, cancel": edges of what completed while FAILING are resolved now."""
    run_id = make.start(make.graph(nodes("a", "b", "c", "d"), ["a>c", "b>d"]), {"n": 1})[0]
    step = by_node()
    make.fail(step["a"])
    assert make.run(run_id).status == "FAILING"

    make.complete(step["b"], output={"b": 1})

    assert make.run(run_id).status == "FAILED"
    assert make.statuses(run_id) == {"a": "FAILED", "b": "COMPLETED"}
    make.resume(run_id)
    assert make.statuses(run_id) == {"a": "QUEUED", "b": "COMPLETED", "d": "QUEUED"}
    make.work()
    assert make.run(run_id).status == "COMPLETED"
    assert make.run(run_id).output == {"c": {"n": 1}, "d": {"b": 1}}
    assert make.history(run_id).count("STEP_COMPLETED b") == 1
    assert make.run(run_id).life == 2


def test_a_resumed_step_has_a_fresh_budget_and_a_higher_epoch():
    run_id = make.start(make.graph(nodes("a"), []))[0]
    make.fail(by_node()["a"])

    make.resume(run_id)

    step = make.steps(run_id)["a"]
    assert (step.status, step.attempt, step.epoch, step.error) == ("QUEUED", 0, 2, None)
    assert [letter.resolution for letter in make.letters(run_id)] == ["redriven"]
    assert make.history(run_id)[-2:] == ["RUN_REOPENED", "STEP_REQUEUED a"]


def test_whoever_held_a_step_before_the_resume_is_fenced():
    """ "Epoch rises at every claim, cancel, skip, resume"."""
    run_id = make.start(make.graph(nodes("a"), []))[0]
    before = by_node()["a"]
    make.fail(before)
    make.resume(run_id)

    assert make.complete(before).applied == set()
    assert make.statuses(run_id) == {"a": "QUEUED"}


def test_two_failed_steps_both_run_again():
    """docs/engine.md, "Failure, pause, cancel": every other FAILED step goes back to QUEUED."""
    run_id = make.start(make.graph(nodes("a", "b", "c"), ["a>c", "b>c"]))[0]
    step = by_node()
    make.fail(step["a"])
    make.fail(step["b"])
    assert make.run(run_id).status == "FAILED"

    make.resume(run_id)
    make.work()

    assert make.run(run_id).status == "COMPLETED"
    assert make.statuses(run_id) == dict.fromkeys("abc", "COMPLETED")


def test_two_failing_in_one_batch_leave_one_failure_and_both_run_again():
    run_id = make.start(make.graph(nodes("a", "b", "c"), ["a>c", "b>c"]))[0]

    make.fail(*by_node().values())

    assert make.run(run_id).status == "FAILED"
    assert make.statuses(run_id) == {"a": "FAILED", "b": "FAILED"}
    make.resume(run_id)
    make.work()
    assert make.run(run_id).status == "COMPLETED"


def test_a_join_half_counted_goes_on_counting_after_resume():
    run_id = make.start(make.graph(nodes("a", "b", "c"), ["a>c", "b>c"]))[0]
    step = by_node()
    make.complete(step["a"])
    assert (make.joins(run_id)["c"].arrived, make.joins(run_id)["c"].fired) == (1, False)
    make.fail(step["b"])

    make.resume(run_id)
    make.work()

    assert make.joins(run_id)["c"].arrived == 2
    assert make.history(run_id).count("STEP_COMPLETED c") == 1
    assert make.run(run_id).status == "COMPLETED"


def test_queued_steps_cancelled_by_the_failure_run_after_resume():
    run_id = make.start(make.graph(nodes("a", "b"), []))[0]
    make.fail(*(step for step in make.claimed(limit=1)))
    assert sorted(make.statuses(run_id).values()) == ["CANCELLED", "FAILED"]

    make.resume(run_id)
    make.work()

    assert make.run(run_id).status == "COMPLETED"


def test_a_successor_of_the_batch_that_failed_the_run_is_cancelled_and_comes_back():
    run_id = make.start(make.graph(nodes("a", "b", "c"), ["a>c"]))[0]
    step = by_node()

    advance([(step["b"], Errored({"code": "Boom"})), (step["a"], Succeeded({"a": 1}))])

    assert make.run(run_id).status == "FAILED"
    assert make.statuses(run_id)["b"] == "FAILED"
    make.resume(run_id)
    make.work()
    assert make.run(run_id).status == "COMPLETED"
    assert make.run(run_id).output == {"b": {}, "c": {"a": 1}}


@pytest.mark.parametrize("status", ["RUNNING", "COMPLETED", "CANCELLED"])
def test_only_a_failed_run_can_be_resumed(status):
    run_id = make.start(make.graph(nodes("a"), []))[0]
    if status == "COMPLETED":
        make.work()
    elif status == "CANCELLED":
        make.cancel(run_id)

    with pytest.raises(RunRefused) as refused:
        make.resume(run_id)

    assert refused.value.conflict
    assert make.run(run_id).status == status


def test_a_run_whose_output_can_t_be_computed_fails_again_when_resumed_and_is_never_stuck():
    definition = make.graph(nodes("a"), [], output={"x": "{{ steps.a.output.missing }}"})
    run_id = make.start(definition)[0]
    make.work()
    assert (make.run(run_id).status, make.run(run_id).error["code"]) == ("FAILED", "ExpressionError")

    make.resume(run_id)

    assert make.run(run_id).status == "FAILED"
    assert make.run(run_id).life == 2


def test_a_mapping_that_failed_is_computed_again_on_resume():
    """Else the step would run with its predecessor's output instead of its mapped input."""
    mapped = {"id": "b", "input": {"x": "{{ prev.missing }}"}, **ONCE}
    run_id = make.start(make.graph(["a", mapped], ["a>b"]), {"n": 1})[0]
    make.work()
    assert make.run(run_id).status == "FAILED"

    make.resume(run_id)
    make.work()

    assert make.run(run_id).status == "FAILED"
    assert make.run(run_id).error["code"] == "ExpressionError"


def test_an_engine_step_that_failed_inside_advance_runs_again_on_resume():
    transform = {"id": "b", "type": "transform", "params": {"set": {"x": "{{ prev.missing }}"}}}
    run_id = make.start(make.graph(["a", transform, "c"], ["a>b", "b>c"]), {"n": 1})[0]
    make.work()
    assert make.statuses(run_id) == {"a": "COMPLETED", "b": "FAILED"}
    assert len(make.letters(run_id)) == 1

    make.resume(run_id)
    make.work()

    assert make.run(run_id).status == "FAILED"
    assert make.history(run_id).count("STEP_COMPLETED a") == 1


def test_edges_that_fail_when_they_are_resolved_on_resume_fail_the_run_again():
    edges = [{"from": "b", "to": "c", "branch": "x"}]
    run_id = make.start(make.graph(nodes("a", "b", "c"), edges))[0]
    step = by_node()
    make.fail(step["a"])
    make.complete(step["b"], output={"branch": "unknown"})

    make.resume(run_id)

    assert make.run(run_id).status == "FAILED"
    assert make.run(run_id).error["code"] == "NoBranchMatched"
    assert make.run(run_id).error["node"] == "b"
    assert make.statuses(run_id)["b"] == "COMPLETED"


def test_what_completed_while_failing_is_never_done_twice_however_often_the_run_is_resumed():
    """Its edges fail at each resume; the step's work is done all the same (R-051)."""
    edges = [{"from": "b", "to": "c", "branch": "x"}]
    run_id = make.start(make.graph(nodes("a", "b", "c"), edges))[0]
    step = by_node()
    make.fail(step["a"])
    make.complete(step["b"], output={"branch": "unknown"})

    for _ in range(3):
        make.resume(run_id)
        make.work()

    assert make.run(run_id).status == "FAILED"
    history = make.history(run_id)
    assert history.count("STEP_COMPLETED b") == 1
    assert [letter.error["code"] for letter in make.letters(run_id) if letter.node == "b"] == [
        "NoBranchMatched"
    ] * 3
    assert "STEP_REQUEUED b" not in history
    assert "EDGES_RESOLVED b" not in history


def test_edges_that_fail_on_resume_behind_on_error_continue_make_the_step_a_failed_one():
    soft = {"id": "b", "on_error": "continue", **ONCE}
    conditions = [{"from": "b", "to": "c", "branch": "x"}, {"from": "b", "to": "d", "branch": "y"}]
    run_id = make.start(make.graph([*nodes("a"), soft, *nodes("c", "d")], conditions))[0]
    step = by_node()
    make.fail(step["a"])
    make.complete(step["b"], output={"branch": "unknown"})

    make.resume(run_id)
    make.work()

    assert make.run(run_id).status == "COMPLETED"
    assert make.statuses(run_id) == {"a": "COMPLETED", "b": "FAILED", "c": "SKIPPED", "d": "SKIPPED"}
    assert make.steps(run_id)["b"].error["code"] == "NoBranchMatched"
    assert make.history(run_id).count("STEP_FAILED b") == 1


def test_a_resumed_any_graph_may_end_at_once_by_the_edges_of_what_completed_while_failing():
    definition = make.graph([*nodes("a", "b"), {"id": "c", "join": "any", **ONCE}], ["a>c", "b>c"])
    run_id = make.start(definition)[0]
    step = by_node()
    make.fail(step["a"])
    make.complete(step["b"], output={"b": 1})

    make.resume(run_id)
    make.work()

    assert make.run(run_id).status == "COMPLETED"
    assert make.run(run_id).output == {"b": {"b": 1}}


def test_a_step_with_continue_that_fails_while_its_run_is_failing_runs_again():
    soft = {"id": "b", "on_error": "continue", **ONCE}
    run_id = make.start(make.graph([*nodes("a"), soft, *nodes("c")], ["b>c"]))[0]
    step = by_node()
    make.fail(step["a"])
    make.fail(step["b"])
    assert make.run(run_id).status == "FAILED"

    make.resume(run_id)
    make.work()

    assert make.run(run_id).status == "COMPLETED"


@pytest.mark.parametrize(
    ("sources", "edges"), [("", []), ("a", ["a>b"]), ("ac", ["a>b", "c>b"])], ids=["start", "one", "join"]
)
def test_what_failed_when_it_was_started_is_started_anew_with_what_it_was_given(sources, edges):
    """Also when it does well this time, as after the release that mends what it failed by."""
    mapped = {"id": "b", "input": {"x": "{{ prev }}", "n": "{{ input.n / input.zero }}"}}
    run_id = make.start(make.graph([*sources, mapped, "d"], [*edges, "b>d"]), {"n": 4, "zero": 0})[0]
    make.work()
    assert make.run(run_id).status == "FAILED"

    make.Run.unsafe_all_tenants.filter(pk=run_id).update(input={"n": 4, "zero": 2})
    make.resume(run_id)
    make.work()

    given = {"n": 4, "zero": 0}
    # As it was: the rows must be what history says.
    make.Run.unsafe_all_tenants.filter(pk=run_id).update(input=given)
    prev = {"": {"n": 4, "zero": 2}, "a": given, "ac": {"a": given, "c": given}}[sources]
    assert make.run(run_id).output == {"x": prev, "n": 2}
    assert make.history(run_id).count("STEP_FAILED b") == 1

"""Cancel: what waits goes at once, what runs is awaited, and no edge is resolved any more (R-074, H-32)."""

import pytest

from runs.kernel.refused import RunRefused
from runs.maintenance.leases import sweep
from runs.store import hot
from tests import factories as make

pytestmark = pytest.mark.django_db


def test_a_run_with_nothing_running_is_cancelled_at_once():
    run_id = make.start(make.graph("ab", []))[0]

    make.cancel(run_id)

    assert make.run(run_id).status == "CANCELLED"
    assert make.statuses(run_id) == dict.fromkeys("ab", "CANCELLED")
    assert make.history(run_id)[1:] == [
        "RUN_CANCELLING",
        "STEP_CANCELLED a",
        "STEP_CANCELLED b",
        "RUN_CANCELLED",
    ]


def test_the_epoch_rises_at_cancel():
    run_id = make.start(make.graph("a", []))[0]

    make.cancel(run_id)

    assert make.steps(run_id)["a"].epoch == 1


def test_cancelling_awaits_running_steps_and_resolves_none_of_their_edges():
    run_id = make.start(make.graph("abc", ["a>c"]))[0]
    a, b = make.claimed()
    make.cancel(run_id)
    assert make.run(run_id).status == "CANCELLING"

    make.complete(a, output={"a": 1})
    assert make.run(run_id).status == "CANCELLING"
    make.fail(b)

    assert make.run(run_id).status == "CANCELLED"
    steps = make.steps(run_id)
    assert {node: step.status for node, step in steps.items()} == {"a": "COMPLETED", "b": "FAILED"}
    assert (steps["a"].output, steps["a"].edges_pending) == ({"a": 1}, True)


def test_a_worker_learns_from_its_heartbeat_that_its_run_is_being_cancelled():
    run_id = make.start(make.graph("a", []))[0]
    step = make.claimed()[0]
    make.cancel(run_id)

    assert hot.heartbeat([{"id": step.id, "epoch": step.epoch}])[step.id][1] == "CANCELLING"


def test_a_step_lost_while_its_run_is_being_cancelled_has_an_unknown_outcome(clock):
    run_id = make.start(make.graph("ab", []))[0]
    make.claimed()
    make.cancel(run_id)
    clock.advance(31)

    sweep()

    assert make.run(run_id).status == "CANCELLED"
    assert {step.cancel_cause for step in make.steps(run_id).values()} == {"unknown"}


def test_a_step_that_would_be_retried_is_failed_once_its_run_is_being_cancelled():
    run_id = make.start(make.graph("a", []))[0]
    step = make.claimed()[0]
    make.cancel(run_id)

    make.fail(step, retryable=True)

    assert make.statuses(run_id) == {"a": "FAILED"}
    assert make.run(run_id).status == "CANCELLED"


def test_a_failing_run_can_be_cancelled():
    run_id = make.start(make.graph([{"id": "a", "retry": "none"}, "b"], []))[0]
    a, b = make.claimed()
    make.fail(a)
    assert make.run(run_id).status == "FAILING"

    make.cancel(run_id)
    make.complete(b)

    assert make.run(run_id).status == "CANCELLED"


def test_an_ended_run_can_t_be_cancelled_and_then_none_is():
    done, running = make.start(make.graph("a", []), {}, {})
    make.complete(*(step for step in make.claimed() if step.run_id == done))

    with pytest.raises(RunRefused) as refused:
        make.cancel(running, done)

    assert refused.value.conflict
    assert make.run(running).status == "RUNNING"


def test_outcomes_for_a_run_that_was_cancelled_meanwhile_change_nothing(clock):
    run_id = make.start(make.graph("ab", ["a>b"]))[0]
    step = make.claimed()[0]
    make.cancel(run_id)
    clock.advance(31)
    sweep()
    before = make.history(run_id)

    assert make.complete(step).applied == set()
    assert make.history(run_id) == before

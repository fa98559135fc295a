"""Pause and unpause: nothing new starts, what runs goes on to its end, and time and signals still count (R-075)."""

import pytest

from runs.commands.lifecycle import pause_runs, unpause_runs
from runs.kernel.refused import RunRefused
from tests import factories as make

pytestmark = pytest.mark.django_db


def pause(*runs):
    pause_runs(make.a_tenant().pk, runs, by="test")


def unpause(*runs):
    unpause_runs(make.a_tenant().pk, runs, by="test")


def test_a_paused_run_starts_nothing_and_goes_on_where_it_stood():
    run_id = make.start(make.chain("noop", "noop"), {"n": 1})[0]
    pause(run_id)
    make.work()
    assert make.run(run_id).status == "PAUSED"
    assert make.statuses(run_id) == {"a": "QUEUED"}
    unpause(run_id)
    make.work()
    assert make.run(run_id).status == "COMPLETED"
    assert [event for event in make.history(run_id) if "PAUSED" in event] == ["RUN_PAUSED", "RUN_UNPAUSED"]


def test_what_runs_ends_and_what_follows_is_held_a_retry_too():
    run_id = make.start(make.graph(["a", "b", "c"], ["a>c"]))[0]
    a, b = make.claimed()
    pause(run_id)
    make.complete(a)
    make.fail(b, retryable=True)
    assert make.statuses(run_id) == {"a": "COMPLETED", "b": "QUEUED", "c": "QUEUED"}
    assert {step.held for node, step in make.steps(run_id).items() if node != "a"} == {True}
    unpause(run_id)
    assert not any(step.held for step in make.steps(run_id).values())


def test_a_run_whose_last_step_ends_while_it_is_paused_is_over():
    run_id = make.start(make.chain("noop"))[0]
    (step,) = make.claimed()
    pause(run_id)
    make.complete(step)
    assert make.run(run_id).status == "COMPLETED"


def test_time_and_signals_count_while_it_is_paused(clock):
    nodes = [
        {"id": "w", "type": "wait", "params": {"seconds": 10}},
        {"id": "s", "type": "signal", "params": {"name": "x"}},
        "after",
    ]
    run_id = make.start(make.graph(nodes, ["w>after", "s>after"]))[0]
    make.work()
    pause(run_id)
    clock.advance(10)
    make.tick()
    make.send(run_id, "x")
    make.work()
    assert make.statuses(run_id) == {"w": "COMPLETED", "s": "COMPLETED", "after": "QUEUED"}
    unpause(run_id)
    make.work()
    assert make.run(run_id).status == "COMPLETED"


def test_it_can_be_cancelled_and_fails_as_ever():
    cancelled, failed = make.start(make.chain("noop"), {}, {})
    (step,) = [one for one in make.claimed() if one.run_id == failed]
    pause(failed)
    make.fail(step)
    assert make.run(failed).status == "FAILED"
    make.change(make.steps(cancelled)["a"].pk.__str__(), status="QUEUED")
    pause(cancelled)
    make.cancel(cancelled)
    assert make.statuses(cancelled) == {"a": "CANCELLED"}


def test_only_a_running_run_is_paused_and_only_a_paused_one_goes_on():
    run_id = make.start(make.chain("noop"))[0]
    with pytest.raises(RunRefused, match="Only a PAUSED run can be unpaused"):
        unpause(run_id)
    pause(run_id)
    with pytest.raises(RunRefused, match="Only a RUNNING run can be paused"):
        pause(run_id)

"""A step that computes for ever holds up neither its queue nor a stop, and in the end its process ends with it."""

import threading

import pytest

from config.embedded.processes import wait_until
from runs.kernel import graphs
from runs.maintenance.leases import sweep
from runs.workers import drain as drains
from runs.workers import execute
from runs.workers.blocking import BlockingDrain
from runs.workers.drain import Drain
from steps.base import StepType
from tests import factories as make

pytestmark = pytest.mark.django_db(transaction=True)

TYPE = "test.slow"


class Slow:
    """Steps whose input says so come back when `open` is set, or leave by SystemExit."""

    def __init__(self):
        self.open = threading.Event()
        self.inside = []

    def run(self, context):
        if context.input.get("leave"):
            raise SystemExit(3)
        if context.input.get("stay"):
            self.inside.append(context.run_id)
            assert self.open.wait(30)
        return context.input


@pytest.fixture(params=["inline"])
def slow(request, monkeypatch):
    slow = Slow()
    step_type = StepType(
        name=TYPE,
        kind=request.param,
        title="Slow",
        help="Waits.",
        icon="clock",
        group="test",
        example={"params": {}, "input": {}},
        run=slow.run,
        timeout_seconds=None if request.param == "wait" else 600,
    )
    catalogue = {**graphs.EXECUTABLE, TYPE: step_type}
    monkeypatch.setattr(graphs, "EXECUTABLE", catalogue)
    monkeypatch.setattr(execute, "EXECUTABLE", catalogue)
    monkeypatch.setattr(drains, "ASIDE_SECONDS", 0.0)
    yield slow
    slow.open.set()


@pytest.fixture
def drain(slow):
    drain = Drain("default")
    yield drain
    slow.open.set()
    drain.stop()
    drain.finish()
    until(lambda: not [each for each in threading.enumerate() if each.name == "drain"], "the threads to end")
    assert drain.in_hand._leases == {}


def until(condition, what):
    wait_until(condition, 10, what)


def ended(*runs):
    return lambda: {make.run(run_id).status for run_id in runs} == {"COMPLETED"}


def one(**node):
    return make.graph([{"id": "a", "type": TYPE, **node}], [])


def test_another_thread_goes_on_behind_a_slow_step_and_what_that_gives_counts_all_the_same(slow, drain):
    (stays,) = make.start(one(), {"stay": True})
    drain.start()
    until(lambda: slow.inside, "the slow step")
    drain.relieve()
    others = make.start(one(), {"n": 1}, {"n": 2})
    drain.told()
    until(ended(*others), "the others")
    assert make.run(stays).status == "RUNNING"
    slow.open.set()
    until(ended(stays), "the slow one")
    assert make.steps(stays)["a"].attempt == 1


def test_only_so_many_slow_steps_are_worked_around(slow, drain, monkeypatch):
    monkeypatch.setattr(drains, "SLOW_STEPS", 2)
    runs = make.start(one(), *[{"stay": True}] * 4)
    drain.start()
    for count in (1, 2, 3):
        until(lambda count=count: len(slow.inside) == count, f"{count} slow steps")
        # What waited in hand behind the slow one is handed back after a moment.
        drain.in_hand.let_go()
        make_unstarted_available(drain)
        drain.relieve()
        drain.told()
    assert len(slow.inside) == 3
    slow.open.set()
    until(ended(*runs), "all of them")


def make_unstarted_available(drain):
    """Hand back what is in hand and was not started, as the heartbeat does after seconds."""
    for lease in drain.in_hand._leases.values():
        lease.taken_at -= 60
    drain.in_hand.let_go()


def test_a_step_behind_its_hard_deadline_is_the_end_of_its_process_and_runs_alone_the_next_time(
    slow, drain, monkeypatch, clock
):
    (stays,) = make.start(one(timeout_seconds=1, retry={"base_seconds": 0, "jitter": 0}), {"stay": True})
    drain.start()
    until(lambda: slow.inside, "the slow step")
    drain.relieve()
    assert drain.overrun() is None
    monkeypatch.setattr(drains, "OVERRUN_SECONDS", -1.0)
    assert drain.overrun() == f"step a of run {stays} does not come back"

    clock.advance(2)
    sweep()
    step = make.steps(stays)["a"]
    assert (step.status, step.attempt, step.solo) == ("QUEUED", 1, True)


@pytest.mark.parametrize("slow", ["wait"], indirect=True)
def test_a_step_without_a_time_limit_may_not_compute_for_ever(slow, monkeypatch):
    """It has none for what it waits for; what it does here is to say for what."""
    make.start(one(), {"stay": True})
    drain = Drain("engine")
    drain.start()
    try:
        until(lambda: slow.inside, "the slow step")
        assert drain.overrun() is None
        monkeypatch.setattr(drains, "UNLIMITED_SECONDS", -3.0)
        assert "does not come back" in (drain.overrun() or "")
    finally:
        slow.open.set()
        drain.stop()
        drain.finish()


def test_a_stop_waits_for_no_step_that_does_not_come_back(slow, drain):
    make.start(one(), {"stay": True})
    drain.start()
    until(lambda: slow.inside, "the slow step")
    drain.relieve()
    drain.stop()
    drain.finish()
    assert not drain._owner.is_alive()


def test_while_a_step_that_must_run_alone_is_at_it_no_other_such_step_is_claimed(slow, drain):
    first, second = make.start(one(), {"stay": True}, {"stay": True})
    for run_id in (first, second):
        step = make.steps(run_id)["a"]
        step.solo = True
        type(step).unsafe_all_tenants.filter(pk=step.pk).update(solo=True)
    drain.start()
    until(lambda: len(slow.inside) == 1, "one of them")
    drain.relieve()
    (plain,) = make.start(one(), {"n": 1})
    drain.told()
    until(ended(plain), "an ordinary one beside it")
    assert len(slow.inside) == 1
    slow.open.set()
    until(ended(first, second), "both")


def test_a_step_that_means_to_end_the_process_fails_and_the_queue_goes_on(slow, drain):
    leaves, stays = make.start(one(retry="none"), {"leave": True}, {"n": 1})
    drain.start()
    until(ended(stays), "the other")
    until(lambda: make.run(leaves).status == "FAILED", "the one that left")
    assert make.run(leaves).error["code"] == "InternalError"
    assert drain.overrun() is None


@pytest.mark.parametrize("slow", ["blocking"], indirect=True)
def test_a_lost_step_that_must_run_alone_keeps_no_other_such_step_waiting(slow, clock):
    first, second = make.start(one(retry="none", timeout_seconds=5), {"stay": True}, {"n": 1})
    for run_id in (first, second):
        step = make.steps(run_id)["a"]
        type(step).unsafe_all_tenants.filter(pk=step.pk).update(solo=True)
    type(step).unsafe_all_tenants.filter(run_id=first).update(available_at="2030-01-01T00:00Z")
    drain = BlockingDrain("blocking", slots=4)
    drain.start()
    try:
        until(lambda: slow.inside == [first], "the one that stays")
        clock.advance(6)
        sweep()
        drain.in_hand._lost.update(
            (lease.step.id, lease.step.epoch) for lease in drain.in_hand._leases.values()
        )
        drain.told()
        until(ended(second), "the other one that must run alone")
    finally:
        slow.open.set()
        drain.stop()
        drain.finish()

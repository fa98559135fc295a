"""The drain of steps that wait for others: many at once, none for ever, none lost."""

import signal
import threading
from collections import Counter

import pytest
from django.db import connection

from config.embedded.processes import wait_until
from lib import named_sql
from runs.kernel import dispatch, graphs
from runs.maintenance.leases import sweep
from runs.workers import blocking, execute, process, watchdog
from runs.workers.blocking import BlockingDrain
from runs.workers.watchdog import Watchdog
from steps.base import StepType
from tests import factories as make
from tests.runs.conftest import lose_the_connection

pytestmark = pytest.mark.django_db(transaction=True)

TYPE = "test.gate"


class Gate:
    """What the steps of the test wait for; `seen` has the keys of the attempts that came here."""

    def __init__(self):
        self.open = threading.Event()
        self.seen = []
        self.inside = self.most = 0
        self.connections = Counter()

    def run(self, context):
        self.seen.append(context.idempotency_key)
        self.inside += 1
        self.most = max(self.most, self.inside)
        try:
            assert self.open.wait(30)
            self.connections[connection.connection is not None] += 1
            if context.input.get("die"):
                raise SystemExit
        finally:
            self.inside -= 1
        return context.input


@pytest.fixture
def gate(monkeypatch):
    gate = Gate()
    step_type = StepType(
        name=TYPE,
        kind="blocking",
        title="Gate",
        help="Waits.",
        icon="clock",
        group="test",
        example={"params": {}, "input": {}},
        run=gate.run,
    )
    catalogue = {**graphs.EXECUTABLE, TYPE: step_type}
    monkeypatch.setattr(graphs, "EXECUTABLE", catalogue)
    monkeypatch.setattr(execute, "EXECUTABLE", catalogue)
    yield gate
    gate.open.set()


@pytest.fixture
def drain(gate):
    """Started by the test; stopped behind it."""
    drain = BlockingDrain("blocking", slots=4)
    yield drain
    gate.open.set()
    drain.stop()
    drain.finish()
    assert drain._owner is None or not drain._owner.is_alive()
    assert drain.in_hand._leases == {}


def until(condition, what):
    wait_until(condition, 10, what)


def all_completed(runs):
    return lambda: {make.run(run_id).status for run_id in runs} == {"COMPLETED"}


def test_as_many_steps_as_there_are_slots_run_at_once_and_nothing_more_is_claimed(gate, drain):
    """H-27: what is claimed must not wait for a slot while its lease runs."""
    runs = make.start(make.chain(TYPE), *[{"n": n} for n in range(10)])
    drain.start()
    until(lambda: gate.inside == 4, "four steps at once")
    assert Counter(make.statuses(run_id)["a"] for run_id in runs) == {"RUNNING": 4, "QUEUED": 6}

    gate.open.set()
    until(all_completed(runs), "the runs")

    assert gate.most == 4
    assert len(gate.seen) == len(set(gate.seen)) == 10


def test_threads_that_do_steps_hold_no_connection(gate, drain):
    runs = make.start(
        make.graph([{"id": "a", "type": TYPE, "input": "{{ {'n': run.id} }}"}], []),
        *[{"n": n} for n in range(4)],
    )
    gate.open.set()
    drain.start()
    until(all_completed(runs), "the runs")

    assert gate.connections == {False: 4}


def test_what_ends_together_is_committed_together_and_successors_stay_in_free_slots(gate, drain, monkeypatch):
    seen = []
    monkeypatch.setattr(named_sql, "watchers", [seen.append])
    runs = make.start(make.chain(TYPE, TYPE), *[{"n": n} for n in range(4)])
    drain.start()
    until(lambda: gate.inside == 4, "four steps at once")
    gate.open.set()
    until(all_completed(runs), "the runs")

    assert seen.count("advance") < 8
    kept = [event for run_id in runs for event in make.events(run_id, "STEP_COMPLETED") if event.node == "b"]
    assert len(kept) == 4


def test_being_told_wakes_a_drain_that_found_nothing(gate, drain):
    gate.open.set()
    drain.start()
    until(lambda: not drain._told and not drain._more, "a first look")
    run_id = make.start(make.chain(TYPE))[0]
    drain.told()

    until(all_completed([run_id]), "the run")


def test_steps_of_all_tenants_get_their_turn_when_slots_become_free_one_by_one(gate):
    """A backlog of one tenant must not starve those behind it."""
    make.start(make.chain("noop"), *[{}] * 20, tenant=make.a_tenant("first"))
    make.start(make.chain("noop"), *[{}] * 2, tenant=make.a_tenant("second"))
    worker = blocking.BlockingDrain("default", slots=1)
    turns = []
    for _ in range(4):
        (step,) = worker.claim(1, alone=False)
        turns.append(step.tenant_id)
        worker.in_hand.drop([step])
        make.complete(step)

    assert len(set(turns)) == 2
    assert turns[0] == turns[2]
    assert turns[1] == turns[3]


def test_a_step_that_ends_its_thread_fails_and_gives_its_slot_back(gate, drain):
    gate.open.set()
    (run_id,) = make.start(make.graph([{"id": "a", "type": TYPE, "retry": "none"}], []), {"die": True})
    drain.start()
    until(lambda: make.run(run_id).status == "FAILED", "the failure")

    assert make.run(run_id).error["code"] == "InternalError"
    assert drain._running == {}


def test_after_a_stop_nothing_is_claimed_and_what_runs_may_end(gate, drain):
    runs = make.start(make.chain(TYPE, TYPE), *[{"n": n} for n in range(6)])
    drain.start()
    until(lambda: gate.inside == 4, "four steps at once")
    drain.stop()
    gate.open.set()
    drain.finish()

    first = Counter(make.statuses(run_id)["a"] for run_id in runs)
    assert first == {"COMPLETED": 4, "QUEUED": 2}
    assert Counter(make.statuses(run_id).get("b") for run_id in runs) == {"QUEUED": 4, None: 2}
    assert {make.steps(run_id)["a"].attempt for run_id in runs} == {0, 1}
    BlockingDrain.start(again := BlockingDrain("blocking", slots=4))
    until(all_completed(runs), "the runs")
    again.stop()
    again.finish()


def test_what_is_claimed_while_the_stop_comes_is_handed_back(gate, drain, before):
    runs = make.start(make.chain(TYPE), {}, {})
    before("claim", drain.stop)
    drain.start()
    drain.finish()

    assert gate.seen == []
    steps = [make.steps(run_id)["a"] for run_id in runs]
    assert {(step.status, step.attempt, step.solo) for step in steps} == {("QUEUED", 0, False)}


def test_what_runs_on_after_the_grace_is_left_to_its_lease(gate, drain, monkeypatch, clock):
    monkeypatch.setattr(blocking, "GRACE_SECONDS", 0.1)
    runs = make.start(make.chain(TYPE), {}, {})
    drain.start()
    until(lambda: gate.inside == 2, "two steps at once")
    drain.stop()
    drain.finish()

    assert {make.statuses(run_id)["a"] for run_id in runs} == {"RUNNING"}
    assert drain.in_hand._leases == {}
    clock.advance(31)
    assert sweep() == 2
    gate.open.set()
    make.work("blocking")
    assert all_completed(runs)()


def test_ended_steps_wait_for_a_database_that_was_away(gate, drain, before):
    """What was paid for is not done again because PostgreSQL restarts."""
    runs = make.start(make.chain(TYPE), *[{"n": n} for n in range(3)])
    drain.start()
    until(lambda: gate.inside == 3, "three steps at once")
    before("advance", lose_the_connection)
    gate.open.set()
    until(all_completed(runs), "the runs")

    assert len(gate.seen) == 3


def test_a_drain_that_loses_its_database_while_it_claims_goes_on(gate, drain, before):
    gate.open.set()
    runs = make.start(make.chain(TYPE), {}, {})
    before("claim", lose_the_connection)
    drain.start()

    until(all_completed(runs), "the runs")


def test_of_the_steps_that_must_run_alone_one_runs_at_a_time_and_others_beside_it(gate, drain):
    """A worker that was killed leaves many of them: they must not stop the queue (see the head of `blocking`)."""
    alone = make.start(make.chain(TYPE), *[{"n": n} for n in range(3)])
    for run_id in alone:
        make.change(str(make.steps(run_id)["a"].id), solo=True)
    others = make.start(make.chain(TYPE), *[{"n": n} for n in range(2)])
    drain.start()
    until(lambda: gate.inside == 3, "three steps at once")

    assert Counter(make.statuses(run_id)["a"] for run_id in alone) == {"RUNNING": 1, "QUEUED": 2}
    assert {make.statuses(run_id)["a"] for run_id in others} == {"RUNNING"}
    gate.open.set()
    until(all_completed([*alone, *others]), "the runs")


def test_ordinary_steps_never_count_as_alone(gate, drain, clock):
    """Others may join one at any time, so a lost lease of the first says nothing."""
    (run_id,) = make.start(make.chain(TYPE), {})
    drain.start()
    until(lambda: gate.inside == 1, "the step")

    assert make.steps(run_id)["a"].solo is False


def test_a_step_that_never_comes_back_is_noticed_and_the_process_is_started_anew(
    gate, drain, monkeypatch, clock, caplog
):
    """A hard timeout ends the attempt; the thread and its slot go on until the process ends."""
    monkeypatch.setattr(blocking, "STUCK_SECONDS", 0.0)
    monkeypatch.setattr(blocking, "LOOK_SECONDS", 0.05)
    nodes = [{"id": "a", "type": TYPE, "timeout_seconds": 1, "lease_seconds": 1, "retry": "none"}]
    runs = make.start(make.graph(nodes, []), {}, {})
    drain.start()
    until(lambda: gate.inside == 2, "two steps at once")
    assert drain.overrun() is None
    clock.advance(2)
    sweep()
    assert {make.run(run_id).error["code"] for run_id in runs} == {"Timeout"}

    until(drain.overrun, "the two of four slots to be counted")
    assert "2 of 4 slots of blocking are stuck" in caplog.text

    worker = process.WorkerProcess("blocking")
    worker.drain = drain
    ended = []
    monkeypatch.setattr(watchdog.os, "kill", lambda pid, signum: ended.append(signum))
    monkeypatch.setattr(watchdog.os, "_exit", ended.append)
    monkeypatch.setattr(watchdog, "GRACE_SECONDS", 0.0)
    Watchdog([worker.overrun]).look()
    assert ended == [signal.SIGTERM, watchdog.EXIT_CODE]
    drain.stop()
    drain.finish()


def test_a_thread_that_comes_back_late_takes_nothing_from_the_attempt_that_runs_now(gate, drain, clock):
    """The same process may have the step again, under a new epoch, while the old attempt still hangs."""
    nodes = [{"id": "a", "type": TYPE, "timeout_seconds": 5, "retry": {"base_seconds": 0, "jitter": 0}}]
    (run_id,) = make.start(make.graph(nodes, []), {"n": 1})
    drain.start()
    until(lambda: gate.inside == 1, "the first attempt")
    clock.advance(6)
    sweep()
    drain.told()
    until(lambda: gate.inside == 2, "the second attempt beside the first")
    assert make.steps(run_id)["a"].epoch == 2
    gate.open.set()
    until(all_completed([run_id]), "the run")
    until(lambda: not drain._running, "both threads")

    assert make.history(run_id).count("STEP_COMPLETED a") == 1


def test_a_worker_process_of_the_queue_is_not_held_by_a_hint(gate, monkeypatch):
    """The Celery task only wakes the drain: it must be free for the next message, and for a shutdown."""
    worker = process.WorkerProcess("blocking")
    assert isinstance(worker.drain, BlockingDrain)
    run_id = make.start(make.chain(TYPE))[0]
    worker.drain.start()
    until(lambda: gate.inside == 1, "the step")

    worker.told()

    assert gate.inside == 1
    gate.open.set()
    until(all_completed([run_id]), "the run")
    worker.stop()
    worker.finish()
    assert dispatch.BUILT_IN_QUEUES.count(worker.queue) == 1

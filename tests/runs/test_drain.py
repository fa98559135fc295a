"""The loop of a worker over its queue: what stops it, what it gives back, and what it does without its database."""

import pytest

from runs.maintenance.leases import sweep
from runs.workers import drain as drains
from runs.workers.drain import Drain
from tests import factories as make
from tests.runs.conftest import lose_the_connection

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_drain_that_is_told_to_stop_gives_back_what_it_did_not_start(before, monkeypatch):
    """ "a drain ends after the batch in hand, and hands back what it did not start"."""
    runs = make.start(make.chain("noop", "noop"), *[{}] * 10)
    drain = Drain("default")
    before("advance", drain.stopping.set)
    monkeypatch.setattr(drains, "BATCH", 4)

    drain.run()

    steps = [make.steps(run_id) for run_id in runs]
    assert [step["a"].status for step in steps].count("COMPLETED") == 4
    assert {row.status for step in steps for row in step.values()} == {"COMPLETED", "QUEUED"}
    assert {row.attempt for step in steps for row in step.values() if row.status == "QUEUED"} == {0}
    assert drain.in_hand._leases == {}
    make.work()
    assert {make.run(run_id).status for run_id in runs} == {"COMPLETED"}


@pytest.mark.parametrize("name", ["claim", "read_scope", "lock_light", "advance"])
def test_a_drain_that_loses_its_database_lets_go_and_the_next_one_goes_on(before, clock, name):
    reading = {"id": "b", "type": "text.clean", "params": {"max_chars": "{{ input.n }}"}}
    runs = make.start(make.graph(["a", reading], ["a>b"]), *[{"n": 10, "text": "Some text."}] * 5)
    drain = Drain("default")
    before(name, lose_the_connection)

    assert drain.run() == 0
    assert drain.in_hand._leases == {}
    clock.advance(31)
    sweep()
    make.work()

    assert {make.run(run_id).status for run_id in runs} == {"COMPLETED"}
    assert {make.history(run_id).count("STEP_COMPLETED a") for run_id in runs} == {1}


def test_only_one_thread_drains_a_queue_of_a_process(before):
    make.start(make.chain("noop"))
    drain = Drain("default")
    found = []
    before("advance", lambda: found.append(drain.run()))

    assert drain.run() == 1
    assert found == [0]


def test_a_version_that_this_release_can_t_compile_fails_its_own_runs_only(monkeypatch):
    broken, good = make.start(make.chain("text.keywords"))[0], make.start(make.chain("noop"))[0]
    with make.not_compiling(make.run(broken).version_id):
        make.work()

    assert make.run(good).status == "COMPLETED"
    assert make.run(broken).status == "FAILED"
    assert make.run(broken).error["code"] == "BrokenVersion"
    assert make.statuses(broken) == {"a": "FAILED"}


def test_a_slow_step_makes_batches_small_and_fast_ones_large_again():
    drain = Drain("default")
    assert drain._limit() == drains.BATCH
    for _ in range(20):
        drain._learn(0.1)
    assert drain._limit() == 2
    for _ in range(50):
        drain._learn(0.0001)
    assert drain._limit() == drains.BATCH

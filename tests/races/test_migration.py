"""A move to another version against workers, signals and cancels: each waits for the other, or is told."""

import pytest

from runs.kernel.refused import RunRefused
from tests import factories as make
from tests.races.staging import Actor, blocked, holding

WAITS = make.graph([{"id": "s", "type": "signal", "params": {"name": "x"}}, "after"], ["s>after"])
MORE = make.graph(
    [{"id": "s", "type": "signal", "params": {"name": "x"}}, "new", "after"], ["s>new", "new>after"]
)


def waiting(definition=WAITS):
    run_id = make.start(definition)[0]
    make.work("engine")
    return run_id, make.newer(run_id, MORE)


def test_a_signal_behind_a_move_goes_on_by_the_other_version(rounds):
    for _ in rounds:
        run_id, version = waiting()
        with holding(lambda run_id=run_id, version=version: make.migrate(run_id, version), before="advance"):
            signal = blocked(lambda run_id=run_id: make.send(run_id, "x", {"n": 1}))
        signal.end()
        make.work()
        assert make.statuses(run_id) == dict.fromkeys(("s", "new", "after"), "COMPLETED")


def test_a_move_behind_a_signal_finds_the_step_done(rounds):
    for _ in rounds:
        run_id, version = waiting()
        with holding(lambda run_id=run_id: make.send(run_id, "x", {"n": 1}), before="advance"):
            move = blocked(lambda run_id=run_id, version=version: make.migrate(run_id, version))
        with pytest.raises(RunRefused, match="would not have reached it yet"):
            move.end()
        make.work()
        assert make.statuses(run_id) == {"s": "COMPLETED", "after": "COMPLETED"}


def test_a_move_behind_a_cancel_is_told(rounds):
    for _ in rounds:
        run_id, version = waiting()
        with holding(lambda run_id=run_id: make.cancel(run_id), before="cancel_open_steps"):
            move = blocked(lambda run_id=run_id, version=version: make.migrate(run_id, version))
        with pytest.raises(RunRefused, match="Only a run that is RUNNING or PAUSED"):
            move.end()
        assert make.run(run_id).status == "CANCELLED"


def test_a_claim_that_was_first_has_the_step_and_the_move_is_told(rounds):
    two = make.graph(["a", "b"], ["a>b"])
    for _ in rounds:
        run_id = make.start(two, {})[0]
        version = make.newer(run_id, make.graph(["a", "b", "c"], ["a>b", "b>c"]))
        move = Actor(
            lambda run_id=run_id, version=version: make.migrate(run_id, version), before="lock_steps"
        )
        move.until_halted()
        held = make.claimed()
        with pytest.raises(RunRefused, match="is being worked on"):
            move.end()
        make.complete(*held)
        make.work()
        assert make.statuses(run_id) == dict.fromkeys("ab", "COMPLETED")


def test_a_claim_behind_a_move_passes_the_step_over_and_takes_it_by_the_other_version(rounds):
    two = make.graph(["a", "b"], ["a>b"])
    for _ in rounds:
        run_id = make.start(two, {})[0]
        version = make.newer(run_id, make.graph(["a", "c"], ["a>c"]))
        move = Actor(
            lambda run_id=run_id, version=version: make.migrate(run_id, version), before="migrate_run"
        )
        move.until_halted()
        assert make.claimed() == []
        move.end()
        make.work()
        assert make.statuses(run_id) == dict.fromkeys("ac", "COMPLETED")

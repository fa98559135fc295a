"""Operators' verbs against workers and each other: exactly one wins, and the other is told."""

import pytest

from runs.kernel.refused import RunRefused
from tests import factories as make
from tests.races.staging import Actor, blocked, holding

ONCE = {"retry": "none"}
TWO = make.graph([{"id": "a", **ONCE}, {"id": "b", **ONCE}], ["a>b"])
WAITS = make.graph([{"id": "s", "type": "signal", "params": {"name": "x"}}, "after"], ["s>after"])


def failed(definition=TWO):
    run_id = make.start(definition, {"n": 1})[0]
    make.fail(*make.claimed())
    return run_id


def test_a_claim_that_was_first_has_the_step_and_the_skip_is_told(rounds):
    for _ in rounds:
        run_id = make.start(TWO, {"n": 1})[0]
        skip = Actor(lambda run_id=run_id: make.skip(run_id, "a", {}), before="advance").until_halted()
        held = make.claimed()
        with pytest.raises(RunRefused, match="A worker took the step"):
            skip.end()
        make.complete(*held)
        assert make.statuses(run_id) == {"a": "COMPLETED", "b": "QUEUED"}
        make.work()


def test_a_claim_that_was_first_has_the_step_and_the_retry_is_told(rounds):
    for _ in rounds:
        run_id = make.start(TWO, {"n": 1})[0]
        retry = Actor(lambda run_id=run_id: make.retry(run_id, "a", {"n": 2}), before="requeue_step")
        retry.until_halted()
        held = make.claimed()
        with pytest.raises(RunRefused, match="A worker took the step"):
            retry.end()
        make.complete(*held)
        make.work()
        assert make.run(run_id).output == {"n": 1}


def test_a_signal_behind_a_skip_comes_too_late_for_the_step(rounds):
    for _ in rounds:
        run_id = make.start(WAITS)[0]
        make.work("engine")
        with holding(lambda run_id=run_id: make.skip(run_id, "s", {"skipped": 1}), before="advance"):
            signal = blocked(lambda run_id=run_id: make.send(run_id, "x", {"sent": 1}))
        signal.end()
        make.work()
        assert make.run(run_id).output == {"skipped": 1}


def test_a_skip_behind_a_signal_finds_the_step_done(rounds):
    for _ in rounds:
        run_id = make.start(WAITS)[0]
        make.work("engine")
        with holding(lambda run_id=run_id: make.send(run_id, "x", {"sent": 1}), before="advance"):
            skip = blocked(lambda run_id=run_id: make.skip(run_id, "s", {"skipped": 1}))
        with pytest.raises(RunRefused, match="it is done"):
            skip.end()
        make.work()
        assert make.run(run_id).output == {"sent": 1}


@pytest.mark.parametrize("first", ["retry", "resume"])
def test_a_retry_and_a_resume_reopen_a_run_once(rounds, first):
    for _ in rounds:
        run_id = failed()
        verbs = {
            "retry": lambda run_id=run_id: make.skip(run_id, "a", {"n": 2}),
            "resume": lambda run_id=run_id: make.resume(run_id),
        }
        mine = verbs.pop(first)
        with holding(mine, before="reopen_runs"):
            other = blocked(*verbs.values())
        if first == "retry":
            with pytest.raises(RunRefused):
                other.end()
        else:
            # The step is queued then: a skip finds it so.
            other.end()
        assert make.history(run_id).count("RUN_REOPENED") == 1
        make.work()
        assert make.run(run_id).output == {"n": 2}


def test_a_rerun_while_its_run_is_resumed_is_told_that_it_goes_on(rounds):
    for _ in rounds:
        run_id = failed()
        with holding(lambda run_id=run_id: make.resume(run_id), before="reopen_runs"):
            rerun = blocked(lambda run_id=run_id: make.rerun(run_id, "a"))
        with pytest.raises(RunRefused, match="when it has ended"):
            rerun.end()
        make.work()

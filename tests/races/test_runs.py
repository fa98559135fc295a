"""Who moves a run forward against who closes it (docs/engine.md, "Advance", "Failure, pause, cancel")."""

import pytest

from runs.kernel.advance import advance
from runs.kernel.refused import RunRefused
from runs.store.attempts import Succeeded
from tests import factories as make
from tests.races.staging import Actor, blocked, holding

ONCE = {"retry": "none"}


def pair(*edges):
    """Two branches whose steps fail at the first try."""
    nodes = [{"id": name, **ONCE} for name in "abcd"[: 2 + len(edges)]]
    return make.graph(nodes, list(edges))


def started(definition):
    run_id = make.start(definition)[0]
    return run_id, *make.claimed()


def test_a_completion_that_was_first_is_kept_and_the_cancel_takes_what_it_started(rounds):
    for _ in rounds:
        run_id, a = started(make.chain("noop", "noop"))
        with holding(lambda a=a: make.complete(a), before="advance"):
            cancel = blocked(lambda run_id=run_id: make.cancel(run_id))
        cancel.end()

        assert make.run(run_id).status == "CANCELLED"
        assert make.statuses(run_id) == {"a": "COMPLETED", "b": "CANCELLED"}


def test_a_completion_behind_a_cancel_is_kept_without_resolving_its_edges(rounds):
    for _ in rounds:
        run_id, a = started(make.chain("noop", "noop"))
        with holding(lambda run_id=run_id: make.cancel(run_id), before="close_runs"):
            late = blocked(lambda a=a: make.complete(a))
        late.end()

        assert make.run(run_id).status == "CANCELLED"
        assert make.statuses(run_id) == {"a": "COMPLETED"}
        assert make.steps(run_id)["a"].edges_pending


def test_the_last_completion_takes_its_second_lock_although_a_cancel_waits_for_the_run(rounds):
    """docs/engine.md, "Advance": who has KEY SHARE gets NO KEY UPDATE ahead of who waits for both."""
    for _ in rounds:
        run_id, a = started(make.chain("noop"))
        with holding(lambda a=a: make.complete(a), before="lock_sinks"):
            cancel = blocked(lambda run_id=run_id: make.cancel(run_id))
        with pytest.raises(RunRefused):
            cancel.end()

        assert make.run(run_id).status == "COMPLETED"


def test_a_branch_that_advances_behind_one_that_fails_leaves_no_live_step(rounds):
    """docs/engine.md, "Advance": what the lock of the run is for."""
    for _ in rounds:
        run_id, a, b = started(pair("b>c"))
        with holding(lambda a=a: make.fail(a), before="close_runs"):
            forward = blocked(lambda b=b: make.complete(b))
        forward.end()

        assert make.run(run_id).status == "FAILED"
        assert make.statuses(run_id) == {"a": "FAILED", "b": "COMPLETED"}


def test_a_branch_that_fails_behind_one_that_advances_cancels_what_that_started(rounds):
    for _ in rounds:
        run_id, a, b = started(pair("b>c"))
        with holding(lambda b=b: make.complete(b), before="advance"):
            failing = blocked(lambda a=a: make.fail(a))
        failing.end()

        assert make.run(run_id).status == "FAILED"
        assert make.statuses(run_id) == {"a": "FAILED", "b": "COMPLETED", "c": "CANCELLED"}


def test_two_failing_branches_do_not_deadlock(rounds):
    """docs/engine.md, "Advance": they would if they upgraded their locks."""
    for _ in rounds:
        run_id, a, b = started(pair())
        with holding(lambda a=a: make.fail(a), before="advance"):
            other = blocked(lambda b=b: make.fail(b))
        other.end()

        assert make.run(run_id).status == "FAILED"
        assert make.statuses(run_id) == {"a": "FAILED", "b": "FAILED"}
        assert make.history(run_id).count("RUN_FAILED") == 1


def test_two_branches_that_turn_out_to_fail_behind_their_joins_do_not_deadlock(rounds):
    """They share the run first and must have it alone then: in a transaction of their own."""
    bad = {"type": "transform", "params": {"set": {"x": "{{ prev.missing }}"}}}
    nodes = ["a", "b", {"id": "y", **bad}, {"id": "z", **bad}, "c", "d"]
    edges = ["a>y", "c>y", "b>z", "d>z"]
    for _ in rounds:
        run_id, a, b, c, d = started(make.graph(nodes, edges))
        make.complete(c, d)
        actors = [Actor(lambda step=step: make.complete(step), before="lock_sinks") for step in (a, b)]
        for actor in actors:
            actor.until_halted()
        for actor in [actor.go() for actor in actors]:
            actor.end()

        assert make.run(run_id).status == "FAILED"
        assert make.history(run_id).count("RUN_FAILED") == 1


def test_two_completions_of_a_join_s_last_edges_fire_it_once(rounds):
    for _ in rounds:
        run_id, a, b = started(make.graph("abc", ["a>c", "b>c"]))
        with holding(lambda a=a: make.complete(a), before="advance"):
            other = blocked(lambda b=b: make.complete(b))
        other.end()
        make.work()

        assert make.joins(run_id)["c"].arrived == 2
        assert make.history(run_id).count("STEP_COMPLETED c") == 1
        assert make.run(run_id).status == "COMPLETED"


def test_batches_that_end_the_same_runs_in_opposite_order_do_not_deadlock(rounds):
    """docs/engine.md, "Lock order": ids ascending."""
    for _ in rounds:
        runs = make.start(make.graph("ab", []), *[{}] * 10)
        steps = sorted(make.claimed(), key=lambda step: step.run_id)
        halves = [
            [step for step in steps if step.node == "a"],
            [step for step in reversed(steps) if step.node == "b"],
        ]
        actors = [Actor(lambda half=half: make.complete(*half), before="lock_sinks") for half in halves]
        for actor in actors:
            actor.until_halted()
        for actor in [actor.go() for actor in actors]:
            actor.end()

        assert {make.run(run_id).status for run_id in runs} == {"COMPLETED"}


def test_two_failures_of_the_same_runs_in_opposite_order_do_not_deadlock(rounds):
    for _ in rounds:
        runs = make.start(pair(), *[{}] * 10)
        steps = sorted(make.claimed(), key=lambda step: step.run_id)
        halves = [
            [step for step in steps if step.node == "a"],
            [step for step in reversed(steps) if step.node == "b"],
        ]
        actors = [Actor(lambda half=half: make.fail(*half), before="lock_heavy") for half in halves]
        for actor in actors:
            actor.until_halted()
        for actor in [actor.go() for actor in actors]:
            actor.end()

        assert {make.run(run_id).status for run_id in runs} == {"FAILED"}


def test_of_two_resumes_one_wins_and_the_other_is_refused(rounds):
    for _ in rounds:
        run_id, a, b = started(pair())
        make.fail(a, b)
        with holding(lambda run_id=run_id: make.resume(run_id), before="reopen_runs"):
            second = blocked(lambda run_id=run_id: make.resume(run_id))
        with pytest.raises(RunRefused) as refused:
            second.end()

        assert refused.value.conflict
        assert make.run(run_id).life == 2
        make.work()


def test_a_late_outcome_against_a_resume_counts_for_nobody(rounds):
    for _ in rounds:
        run_id, a, b = started(pair())
        make.fail(a, b)
        with holding(lambda run_id=run_id: make.resume(run_id), before="pending_edges"):
            late = blocked(lambda a=a: advance([(a, Succeeded("late"))]))

        assert late.end().applied == set()
        assert make.statuses(run_id) == {"a": "QUEUED", "b": "QUEUED"}
        make.work()


def going_on():
    """Two branches of which one may fail while the other goes on."""
    nodes = [{"id": name, **ONCE} for name in "ab"]
    return make.graph(nodes, [], on_failure="finish_others")


@pytest.mark.parametrize("halt", ["note_failures", "runs_at_their_end"])
def test_the_last_branch_that_ends_behind_a_failure_fails_the_run(rounds, halt):
    for _ in rounds:
        run_id, a, b = started(going_on())
        with holding(lambda a=a: make.fail(a), before=halt):
            last = blocked(lambda b=b: make.complete(b))
        last.end()

        assert make.run(run_id).status == "FAILED"
        assert make.statuses(run_id) == {"a": "FAILED", "b": "COMPLETED"}


def test_a_failure_behind_the_last_branch_that_ends_fails_the_run(rounds):
    for _ in rounds:
        run_id, a, b = started(going_on())
        with holding(lambda b=b: make.complete(b), before="advance"):
            failing = blocked(lambda a=a: make.fail(a))
        failing.end()

        assert make.run(run_id).status == "FAILED"
        assert make.statuses(run_id) == {"a": "FAILED", "b": "COMPLETED"}


def test_a_failed_step_that_is_tried_again_as_the_last_other_branch_ends_is_awaited(rounds):
    for _ in rounds:
        run_id, a, b = started(going_on())
        make.fail(a)
        with holding(lambda run_id=run_id: make.retry(run_id, "a"), before="requeue_step"):
            last = blocked(lambda b=b: make.complete(b))
        last.end()

        assert make.run(run_id).status == "RUNNING"
        make.complete(*make.claimed())
        assert make.run(run_id).status == "COMPLETED"

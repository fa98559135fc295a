"""Workers, their heartbeats, the sweep and cancels against each other (docs/engine.md, "Leases", "Lock order")."""

from django.db import transaction

from runs.kernel.hand_back import hand_back
from runs.maintenance.leases import sweep
from runs.store import hot
from tests import factories as make
from tests.races.staging import Actor, blocked, holding, me

WITH_OUTPUT = {"output": {"n": "{{ input }}"}}
"""Its end reads once more before it commits: a place to halt with the steps locked."""


def halfway(write):
    """`write` in a transaction that is not yet committed."""

    def work():
        with transaction.atomic():
            found = write()
            me().halt()
            return found

    return Actor(work).until_halted()


def test_two_claims_never_get_the_same_step(rounds):
    for _ in rounds:
        make.start(make.chain("noop"), *[{}] * 10)
        first = halfway(lambda: make.claimed(limit=5, worker="one"))
        second = Actor(lambda: make.claimed(limit=10, worker="two")).end()
        mine = first.end()

        assert (len(mine), len(second)) == (5, 5)
        assert not {step.id for step in mine} & {step.id for step in second}
        make.complete(*mine, *second)


def test_a_completion_that_is_about_to_commit_wins_over_the_sweep(clock, rounds):
    for _ in rounds:
        run_id, other = make.start(make.chain("noop", **WITH_OUTPUT), 1, 2)
        batch = make.claimed()
        clock.advance(31)
        with holding(lambda batch=batch: make.complete(*batch), before="read_scope"):
            sweeping = blocked(sweep)
        sweeping.end()

        assert {make.run(run_id).status, make.run(other).status} == {"COMPLETED"}
        assert "LEASE_LOST a" not in make.history(run_id)


def test_a_sweep_that_found_a_lease_expired_takes_nothing_that_was_completed_meanwhile(clock, rounds):
    for _ in rounds:
        runs = make.start(make.chain("noop", "noop"), {}, {})
        batch = make.claimed()
        clock.advance(31)
        with holding(sweep, before="hand_back"):
            Actor(lambda batch=batch: make.complete(*batch)).end()

        assert [make.statuses(run_id) for run_id in runs] == [{"a": "COMPLETED", "b": "QUEUED"}] * 2
        make.work()


def test_a_heartbeat_that_is_about_to_commit_wins_over_the_sweep(clock, rounds):
    """ "The sweep re-checks expiry inside its UPDATE"."""
    for _ in rounds:
        runs = make.start(make.chain("noop"), {}, {})
        batch = make.claimed()
        clock.advance(31)
        rows = [{"id": step.id, "epoch": step.epoch} for step in batch]
        beating = halfway(lambda rows=rows: hot.heartbeat(rows))
        sweeping = blocked(sweep)
        beating.end()
        sweeping.end()

        assert [make.statuses(run_id) for run_id in runs] == [{"a": "RUNNING"}] * 2
        make.complete(*batch)


def test_a_sweep_and_a_cancel_of_the_same_runs_do_not_deadlock(clock, rounds):
    """docs/engine.md, "Lock order": a sweep that took a timer before its run would deadlock with this."""
    for _ in rounds:
        runs = make.start(make.chain("noop"), {}, {})
        make.claimed()
        clock.advance(31)
        with holding(sweep, before="hand_back"):
            cancel = blocked(lambda runs=runs: make.cancel(*runs))
        cancel.end()

        assert {make.run(run_id).status for run_id in runs} == {"CANCELLED"}


def test_a_sweep_does_not_wait_for_a_run_that_is_being_cancelled(clock, rounds):
    for _ in rounds:
        runs = make.start(make.chain("noop"), {}, {})
        make.claimed()
        clock.advance(31)
        with holding(lambda runs=runs: make.cancel(*runs), before="close_runs"):
            Actor(sweep).end()
        sweep()

        assert {make.run(run_id).status for run_id in runs} == {"CANCELLED"}


def in_opposite_order(steps, one, other):
    """Two who write the same steps, named in opposite order, both waiting for the first of them; gives how they end."""
    first = min(step.id for step in steps)
    holder = halfway(lambda: make.change(first, priority=1))
    actors = [
        blocked(lambda: one(sorted(steps, key=lambda step: step.id))),
        blocked(lambda: other(sorted(steps, key=lambda step: step.id, reverse=True))),
    ]
    holder.end()
    for actor in actors:
        actor.end()


def beat(steps):
    return hot.heartbeat([{"id": step.id, "epoch": step.epoch} for step in steps])


def test_a_heartbeat_and_a_completion_of_the_same_steps_do_not_deadlock(rounds):
    for _ in rounds:
        runs = make.start(make.chain("noop"), *[{}] * 30)
        in_opposite_order(make.claimed(), beat, lambda steps: make.complete(*steps))

        assert {make.run(run_id).status for run_id in runs} == {"COMPLETED"}


def test_a_heartbeat_and_a_hand_back_of_the_same_steps_do_not_deadlock(rounds):
    for _ in rounds:
        runs = make.start(make.chain("noop"), *[{}] * 30)
        in_opposite_order(make.claimed(), beat, hand_back)

        assert {make.statuses(run_id)["a"] for run_id in runs} == {"QUEUED"}
        make.work()


def test_a_late_completion_and_the_sweep_of_the_same_steps_do_not_deadlock(clock, rounds):
    for _ in rounds:
        runs = make.start(make.chain("noop"), *[{}] * 30)
        batch = make.claimed()
        clock.advance(31)
        in_opposite_order(
            batch, lambda steps: make.complete(*steps), lambda steps: hand_back(steps, lost=True)
        )
        ended = {
            (make.run(run_id).status, make.statuses(run_id)["a"], len(make.events(run_id, "LEASE_LOST")))
            for run_id in runs
        }

        assert ended in ({("COMPLETED", "COMPLETED", 0)}, {("RUNNING", "QUEUED", 1)})
        make.work()

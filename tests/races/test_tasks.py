"""A decision against whatever else may end the task: exactly one of them happens (SECURITY I11)."""

import pytest

from lib.refusals import Conflict
from tasks_inbox import actions
from tests import factories as make
from tests.inbox.asking import again, approval, asked, decide, member, task_of
from tests.races.staging import Actor, blocked, holding


def ring_late():
    """A definition whose task is given up after a minute."""
    definition = approval(more=["late"])
    definition["nodes"][0]["boundary_timers"] = [{"after_seconds": 60, "interrupting": True, "to": "late"}]
    return definition


def test_of_two_who_decide_one_wins_and_the_other_learns_who(rounds):
    ann, bob = member("ann"), member("bob")
    for _ in rounds:
        task = asked()
        with holding(lambda task=task: decide(ann, task), before="advance"):
            second = blocked(lambda task=task: decide(bob, task, "rejected", comment="No."))
        with pytest.raises(Conflict) as refused:
            second.end()

        assert refused.value.details["decided_by"] == "ann"
        assert (again(task).outcome, again(task).decided_by) == ("approved", "ann")
        make.work()
        assert make.statuses(task.run_id) == {"ask": "COMPLETED", "yes": "COMPLETED", "no": "SKIPPED"}


def test_many_who_decide_at_once_decide_once(rounds):
    people = [member(f"p{n}") for n in range(6)]
    for _ in rounds:
        task = asked()
        actors = [Actor(lambda who=who, task=task: decide(who, task)) for who in people]
        won, refused = [], []
        for actor in actors:
            try:
                won.append(actor.end().decided_by)
            except Conflict as error:
                refused.append((error.code, error.details["decided_by"]))
        assert won == [again(task).decided_by]
        assert refused == [("decided_already", won[0])] * 5


def test_of_two_who_claim_one_has_it_and_the_other_learns_who(rounds):
    ann, bob = member("ann"), member("bob")
    for _ in rounds:
        task = asked()
        slow = Actor(lambda task=task: actions.claim_task(ann, task.pk), before="give_task").until_halted()
        assert actions.claim_task(bob, task.pk).assignee == "bob"
        with pytest.raises(Conflict, match="bob has claimed"):
            slow.end()

        assert again(task).assignee == "bob"


def test_a_claim_between_looking_and_deciding_counts(rounds):
    ann, bob = member("ann"), member("bob")
    for _ in rounds:
        task = asked()
        deciding = Actor(lambda task=task: decide(ann, task), before="complete_task").until_halted()
        actions.claim_task(bob, task.pk)
        with pytest.raises(Conflict, match="bob has claimed"):
            deciding.end()

        assert (again(task).status, make.statuses(task.run_id)["ask"]) == ("OPEN", "WAITING")


def test_a_decision_before_a_cancel_is_kept(rounds):
    ann = member("ann")
    for _ in rounds:
        task = asked()
        with holding(lambda task=task: decide(ann, task), before="advance"):
            cancel = blocked(lambda task=task: make.cancel(str(task.run_id)))
        cancel.end()

        assert again(task).status == "COMPLETED"
        assert make.statuses(task.run_id)["ask"] == "COMPLETED"
        assert make.run(task.run_id).status == "CANCELLED"


def test_a_decision_behind_a_cancel_is_refused(rounds):
    ann = member("ann")
    for _ in rounds:
        task = asked()
        with holding(lambda task=task: make.cancel(str(task.run_id)), before="cancel_tasks"):
            late = blocked(lambda task=task: decide(ann, task))
        with pytest.raises(Conflict) as refused:
            late.end()

        assert refused.value.code == "task_cancelled"
        assert again(task).status == make.statuses(task.run_id)["ask"] == "CANCELLED"


def test_a_decision_before_a_boundary_timer_is_kept(rounds, clock):
    ann = member("ann")
    for _ in rounds:
        task = asked(ring_late())
        clock.advance(61)
        with holding(lambda task=task: decide(ann, task), before="advance"):
            tick = blocked(make.tick)
        tick.end()
        make.work()

        assert again(task).status == "COMPLETED"
        assert make.statuses(task.run_id) == {
            "ask": "COMPLETED",
            "yes": "COMPLETED",
            "no": "SKIPPED",
            "late": "SKIPPED",
        }


def test_a_decision_behind_a_boundary_timer_is_refused(rounds, clock):
    ann = member("ann")
    for _ in rounds:
        task = asked(ring_late())
        clock.advance(61)
        with holding(make.tick, before="cancel_tasks"):
            late = blocked(lambda task=task: decide(ann, task))
        with pytest.raises(Conflict) as refused:
            late.end()
        make.work()

        assert (refused.value.code, again(task).status) == ("task_cancelled", "CANCELLED")
        assert make.statuses(task.run_id)["late"] == "COMPLETED"


def test_a_cancel_while_the_step_begins_to_wait_leaves_no_open_task(rounds):
    for _ in rounds:
        (run_id,) = make.start(approval(), {"amount": 1})
        with holding(make.work, before="open_tasks"):
            cancel = blocked(lambda run_id=run_id: make.cancel(run_id))
        cancel.end()

        assert task_of(run_id).status == "CANCELLED"

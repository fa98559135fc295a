"""What is held back, taken back, decided and returned at the same moment: one of them is what happened."""

import pytest

from lib.refusals import Conflict
from tasks_inbox.actions import holding, rounds
from tasks_inbox.actions.decision import Decision
from tasks_inbox.duties import settling
from tasks_inbox.models import HeldDecision, TaskDecision
from tests import factories as make
from tests.inbox.asking import again, approval, asked, decide, member, read
from tests.races import staging
from tests.races.staging import blocked


def hold(who, task, outcome="approved"):
    return holding.hold_decision(who, task.pk, Decision(outcome, comment="Well.", seen=read(who, task)))


def held_back(who):
    task = asked(approval(undo_seconds=10))
    hold(who, task)
    return task


def refused(actor):
    with pytest.raises(Conflict) as refusal:
        actor.end()
    return refusal.value.code


@pytest.fixture
def times(rounds):
    """`rounds` is what this is about, too."""
    return rounds


def test_what_is_taken_back_while_it_comes_to_count_counts(times, clock):
    ann = member("ann")
    for _ in times:
        task = held_back(ann)
        clock.advance(11)
        with staging.holding(settling.tick, before="advance"):
            undo = blocked(lambda task=task: holding.undo_decision(ann, task.pk))
        assert refused(undo) == "nothing_to_undo"
        assert again(task).outcome == "approved"


def test_what_is_taken_back_before_it_comes_to_count_never_does(times, clock):
    ann = member("ann")
    for _ in times:
        task = held_back(ann)
        clock.advance(11)
        with staging.holding(lambda task=task: holding.undo_decision(ann, task.pk), before="drop_held"):
            tick = blocked(settling.tick)
        tick.end()
        assert (again(task).status, HeldDecision.unsafe_all_tenants.count()) == ("OPEN", 0)


def test_what_two_processes_find_due_counts_once(times, clock):
    ann = member("ann")
    for _ in times:
        task = held_back(ann)
        clock.advance(11)
        with staging.holding(settling.tick, before="advance"):
            other = blocked(settling.tick)
        other.end()
        assert TaskDecision.unsafe_all_tenants.filter(task_id=task.pk).count() == 1
        assert HeldDecision.unsafe_all_tenants.count() == 0


def test_of_two_who_hold_theirs_back_at_once_one_does(times):
    ann, bob = member("ann"), member("bob")
    for _ in times:
        task = asked(approval(undo_seconds=10))
        with staging.holding(lambda task=task: hold(ann, task), before="hold_decision"):
            other = blocked(lambda task=task: hold(bob, task, "rejected"))
        assert refused(other) == "being_decided"
        assert HeldDecision.unsafe_all_tenants.get(task_id=task.pk).username == "ann"


def test_who_decides_at_once_beside_who_holds_theirs_back_is_told(times):
    ann, bob = member("ann"), member("bob")
    for _ in times:
        task = asked(approval(undo_seconds=10))
        with staging.holding(lambda task=task: hold(ann, task), before="hold_decision"):
            other = blocked(lambda task=task: decide(bob, task))
        assert refused(other) == "being_decided"
        task = asked(approval(undo_seconds=10))
        with staging.holding(lambda task=task: decide(bob, task), before="advance"):
            other = blocked(lambda task=task: hold(ann, task))
        assert refused(other) == "decided_already"


def test_of_returning_and_deciding_one_happens(times):
    ann, bob = member("ann"), member("bob")
    for _ in times:
        task = asked()

        def give_back(task=task):
            return rounds.return_task(ann, task.pk, comment="Not so.", to="bob", seen=read(ann, task))

        with staging.holding(give_back, before="return_task"):
            other = blocked(lambda task=task: decide(bob, task))
        assert refused(other) == "returned"
        with staging.holding(lambda task=task: rounds.send_again(bob, task.pk), before="send_again"):
            other = blocked(lambda task=task: rounds.send_again(ann, task.pk))
        assert refused(other) == "not_returned"
        assert again(task).round == 2
        with staging.holding(lambda task=task: decide(bob, task), before="advance"):
            other = blocked(give_back)
        assert refused(other) == "decided_already"
        make.work()

"""Several who decide at the same moment: each counts once, and the run goes on once (I11)."""

import pytest

from lib.refusals import Conflict, NotAllowed
from tasks_inbox.actions import assignment
from tasks_inbox.duties.clock import tick
from tasks_inbox.models import TaskDecision
from tests import factories as make
from tests.inbox.asking import again, approval, asked, decide, hand, member
from tests.races.staging import Actor, blocked, holding


def test_two_who_complete_a_quorum_at_the_same_moment_both_count_and_the_run_goes_on_once(rounds):
    ann, bob = member("ann"), member("bob")
    for _ in rounds:
        task = asked(approval(quorum=2))
        with holding(lambda task=task: decide(ann, task), before="note_vote"):
            second = blocked(lambda task=task: decide(bob, task))
        assert second.end().decided_by == "bob"
        make.work()
        assert make.statuses(task.run_id) == {"ask": "COMPLETED", "yes": "COMPLETED", "no": "SKIPPED"}
        decisions = make.steps(task.run_id)["ask"].output["decisions"]
        assert [one["by"] for one in decisions] == ["ann", "bob"]


def test_fifty_who_vote_at_once_are_as_many_as_are_needed(rounds):
    people = [member(f"p{n}") for n in range(50)]
    for _ in rounds[:1]:
        task = asked(approval(quorum=3))
        actors = [Actor(lambda who=who, task=task: decide(who, task)) for who in people]
        won, refused = [], []
        for actor in actors:
            try:
                won.append(actor.end())
            except Conflict as error:
                refused.append(error.code)
        assert (len(won), refused) == (3, ["decided_already"] * 47)
        make.work()
        assert len(make.steps(task.run_id)["ask"].output["decisions"]) == 3


def test_of_fifty_who_decide_at_once_one_does_and_the_others_learn_who(rounds):
    people = [member(f"p{n}") for n in range(50)]
    for _ in rounds[:1]:
        task = asked()
        outcomes = ["approved", "rejected"] * 25
        actors = [
            Actor(lambda who=who, said=said, task=task: decide(who, task, said, comment="Well."))
            for who, said in zip(people, outcomes, strict=True)
        ]
        won, refused = [], []
        for actor in actors:
            try:
                won.append(actor.end().decided_by)
            except Conflict as error:
                refused.append((error.code, error.details["decided_by"]))
        assert (won, refused) == ([again(task).decided_by], [("decided_already", won[0])] * 49)
        assert TaskDecision.unsafe_all_tenants.filter(task_id=task.pk).count() == 1
        make.work()
        ways = {"approved": "COMPLETED", "rejected": "SKIPPED"}
        assert make.statuses(task.run_id)["yes"] == ways[again(task).outcome]


@pytest.mark.parametrize(("quorum", "before"), [(1, "advance"), (2, "note_vote")])
def test_a_double_click_decides_once(rounds, quorum, before):
    ann, _ = member("ann"), member("bob")
    for _ in rounds:
        task = asked(approval(quorum=quorum))
        with holding(lambda task=task: decide(ann, task), before=before):
            second = blocked(lambda task=task: decide(ann, task))
        with pytest.raises(Conflict) as refused:
            second.end()
        assert refused.value.code == ("decided_already" if quorum == 1 else "voted_already")
        assert TaskDecision.unsafe_all_tenants.filter(task_id=task.pk).count() == 1


def test_a_decision_before_the_deadline_strikes_is_kept(rounds, clock):
    ann = member("ann")
    for _ in rounds:
        task = asked(approval(due_seconds=60, on_timeout="rejected"))
        clock.advance(61)
        with holding(lambda task=task: decide(ann, task), before="advance"):
            deadline = blocked(tick)
        deadline.end()
        make.work()
        assert (again(task).outcome, again(task).decided_by) == ("approved", "ann")
        assert make.statuses(task.run_id) == {"ask": "COMPLETED", "yes": "COMPLETED", "no": "SKIPPED"}


def test_a_decision_behind_the_deadline_is_told_so(rounds, clock):
    ann = member("ann")
    for _ in rounds:
        task = asked(approval(due_seconds=60, on_timeout="rejected"))
        clock.advance(61)
        with holding(tick, before="advance"):
            late = blocked(lambda task=task: decide(ann, task))
        with pytest.raises(Conflict, match="the deadline already decided this: Reject"):
            late.end()
        make.work()
        assert TaskDecision.unsafe_all_tenants.filter(task_id=task.pk).count() == 1
        assert make.statuses(task.run_id) == {"ask": "COMPLETED", "yes": "SKIPPED", "no": "COMPLETED"}


LEGAL = {"candidates": {"users": ["ann", "bob"]}, "quorum": 2}


def test_a_vote_that_was_given_before_it_is_taken_back_counts(rounds):
    ann, cat, _ = member("ann"), member("cat"), member("bob")
    for _ in rounds:
        task = asked(approval(**LEGAL))
        hand(ann, task, "cat")
        with holding(lambda task=task: decide(cat, task), before="note_vote"):
            late = blocked(lambda task=task: assignment.unclaim_task(ann, task.pk))
        with pytest.raises(Conflict) as refused:
            late.end()
        assert refused.value.code == "voted_already"
        assert again(task).voted == ["cat", "ann"]


def test_a_vote_that_was_taken_back_before_it_is_given_does_not_count(rounds):
    ann, cat, _ = member("ann"), member("cat"), member("bob")
    for _ in rounds:
        task = asked(approval(**LEGAL))
        hand(ann, task, "cat")
        with holding(lambda task=task: assignment.unclaim_task(ann, task.pk), before="take_vote_back"):
            late = blocked(lambda task=task: decide(cat, task))
        with pytest.raises(NotAllowed):
            late.end()
        assert (again(task).voted, again(task).proxies) == ([], [])


def test_of_two_who_give_somebody_their_vote_one_does(rounds):
    ann, bob, _ = member("ann"), member("bob"), member("cat")
    for _ in rounds:
        task = asked(approval(**LEGAL))
        with holding(lambda task=task: hand(ann, task, "cat"), before="hand_vote"):
            late = blocked(lambda task=task: hand(bob, task, "cat"))
        with pytest.raises(Conflict) as refused:
            late.end()
        assert refused.value.code == "voted_already"
        assert [one["by"] for one in again(task).proxies] == ["ann"]

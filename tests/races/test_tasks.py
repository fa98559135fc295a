"""A decision against whatever else may end the task: exactly one of them happens (I11)."""

import pytest

from accounts.models import User
from lib.refusals import Conflict
from lib.uuid7 import uuid7
from runs.commands import dead_letters
from runs.models import DeadLetter
from tasks_inbox.actions import assignment
from tasks_inbox.mail import mailing
from tasks_inbox.store import queries
from tests import factories as make
from tests.inbox.asking import (
    again,
    approval,
    asked,
    decide,
    hand,
    member,
    resolve,
    say,
    stuck,
    task_of,
    undo_the_rest,
)
from tests.races.staging import Actor, blocked, holding
from tests.smtp import mailbox


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
        slow = Actor(lambda task=task: assignment.claim_task(ann, task.pk), before="give_task").until_halted()
        assert assignment.claim_task(bob, task.pk).assignee == "bob"
        with pytest.raises(Conflict, match="bob has claimed"):
            slow.end()

        assert again(task).assignee == "bob"


def test_a_claim_between_looking_and_deciding_counts(rounds):
    ann, bob = member("ann"), member("bob")
    for _ in rounds:
        task = asked()
        deciding = Actor(lambda task=task: decide(ann, task), before="hold_task").until_halted()
        assignment.claim_task(bob, task.pk)
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


def test_of_two_who_resolve_one_wins_and_the_other_learns_who(rounds):
    olga, paul = member("olga", "operator"), member("paul", "operator")
    for _ in rounds:
        task = stuck()
        with holding(lambda task=task: resolve(olga, task, "done"), before="resolve_compensation"):
            second = blocked(lambda task=task: resolve(paul, task, "retry"))
        with pytest.raises(Conflict) as refused:
            second.end()

        assert refused.value.details["decided_by"] == "olga"
        assert (again(task).outcome, again(task).decided_by) == ("done", "olga")
        assert undo_the_rest() == ["reserve:compensate"]
        assert make.run(task.run_id).status == "COMPENSATED"


def redrive(who, task):
    """They let the compensation be tried again by its dead letter."""
    letter = DeadLetter.unsafe_all_tenants.get(step_id=task.step_id, resolution=None)
    return dead_letters.redrive(who, [letter])


def test_a_redrive_before_a_resolve_is_kept(rounds):
    olga, paul = member("olga", "operator"), member("paul", "operator")
    for _ in rounds:
        task = stuck()
        with holding(lambda task=task: redrive(olga, task), before="close_compensation_task"):
            second = blocked(lambda task=task: resolve(paul, task, "abandon"))
        with pytest.raises(Conflict) as refused:
            second.end()

        assert refused.value.details["decided_by"] == "olga"
        assert undo_the_rest() == ["charge:compensate", "reserve:compensate"]
        assert make.run(task.run_id).status == "COMPENSATED"


def test_a_redrive_behind_a_resolve_is_refused(rounds):
    olga, paul = member("olga", "operator"), member("paul", "operator")
    for _ in rounds:
        task = stuck()
        with holding(lambda task=task: resolve(olga, task, "abandon"), before="close_compensation_task"):
            second = blocked(lambda task=task: redrive(paul, task))
        (why,) = second.end().refused.values()

        assert why.code == "resolved"
        assert (again(task).outcome, again(task).decided_by) == ("abandon", "olga")
        assert undo_the_rest() == ["reserve:compensate"]
        assert make.run(task.run_id).status == "FAILED"


def test_who_looked_before_it_failed_once_more_resolves_nothing(rounds):
    olga, paul = member("olga", "operator"), member("paul", "operator")
    for _ in rounds:
        task = stuck()
        late = Actor(lambda task=task: resolve(paul, task, "abandon"), before="lock_heavy").until_halted()
        resolve(olga, task, "retry")
        make.fail(*make.claimed("undo"))
        with pytest.raises(Conflict, match="olga already decided"):
            late.end()

        assert task_of(task.run_id).status == "OPEN"
        assert make.run(task.run_id).status == "WAITING_FOR_MANUAL_ACTION"
        resolve(olga, task_of(task.run_id), "done")
        undo_the_rest()


def test_a_claim_between_looking_and_resolving_counts(rounds):
    olga, paul = member("olga", "operator"), member("paul", "operator")
    for _ in rounds:
        task = stuck()
        late = Actor(
            lambda task=task: resolve(olga, task, "done"), before="hold_compensation_task"
        ).until_halted()
        assignment.claim_task(paul, task.pk)
        with pytest.raises(Conflict, match="paul has claimed"):
            late.end()

        assert again(task).status == "OPEN"
        assert make.statuses(task.run_id)["charge:compensate"] == "FAILED"


def test_a_claim_behind_a_resolve_finds_it_settled(rounds):
    olga, paul = member("olga", "operator"), member("paul", "operator")
    for _ in rounds:
        task = stuck()
        late = Actor(
            lambda task=task: assignment.claim_task(paul, task.pk), before="give_task"
        ).until_halted()
        resolve(olga, task, "done")
        with pytest.raises(Conflict, match="olga already decided"):
            late.end()

        assert again(task).assignee is None
        undo_the_rest()


def test_a_claim_between_looking_and_delegating_counts(rounds):
    ann, cid = member("ann"), member("cid")
    member("bob")
    for _ in rounds:
        task = asked()
        late = Actor(lambda task=task: hand(ann, task, "bob"), before="delegate_task").until_halted()
        assignment.claim_task(cid, task.pk)
        with pytest.raises(Conflict, match="cid has claimed"):
            late.end()

        assert (again(task).assignee, again(task).delegated_by) == ("cid", None)
        assert make.events(task.run_id, "TASK_DELEGATED") == []


def test_a_claim_behind_a_delegation_is_refused(rounds):
    ann, cid = member("ann"), member("cid")
    member("bob")
    for _ in rounds:
        task = asked()
        late = Actor(lambda task=task: assignment.claim_task(cid, task.pk), before="give_task").until_halted()
        hand(ann, task, "bob")
        with pytest.raises(Conflict, match="bob has claimed"):
            late.end()

        assert (again(task).assignee, again(task).delegated_by) == ("bob", "ann")


def test_a_decision_before_a_delegation_is_kept(rounds):
    ann, cid = member("ann"), member("cid")
    member("bob")
    for _ in rounds:
        task = asked()
        with holding(lambda task=task: decide(cid, task), before="advance"):
            late = blocked(lambda task=task: hand(ann, task, "bob"))
        with pytest.raises(Conflict) as refused:
            late.end()

        assert refused.value.details["decided_by"] == "cid"
        assert (again(task).assignee, again(task).delegated_by) == (None, None)
        assert make.events(task.run_id, "TASK_DELEGATED") == []


def test_a_decision_behind_a_delegation_is_refused(rounds):
    ann, bob, cid = member("ann"), member("bob"), member("cid")
    for _ in rounds:
        task = asked()
        with holding(lambda task=task: hand(ann, task, "bob"), before="delegate_task"):
            late = blocked(lambda task=task: decide(cid, task))
        with pytest.raises(Conflict, match="bob has claimed"):
            late.end()

        assert decide(bob, task).delegated_by == "ann"


def test_of_two_who_delegate_one_does_and_the_other_learns_to_whom(rounds):
    ann, cid = member("ann"), member("cid")
    member("bob")
    member("dora")
    for _ in rounds:
        task = asked()
        with holding(lambda task=task: hand(ann, task, "bob"), before="delegate_task"):
            late = blocked(lambda task=task: hand(cid, task, "dora"))
        with pytest.raises(Conflict, match="bob has claimed"):
            late.end()

        assert len(make.events(task.run_id, "TASK_DELEGATED")) == 1


def test_what_was_taken_from_a_delegate_who_is_deciding_is_not_decided(rounds):
    ann, bob = member("ann"), member("bob")
    for _ in rounds:
        task = asked(approval(candidates={"users": ["ann"]}))
        hand(ann, task, "bob")
        late = Actor(lambda task=task: decide(bob, task), before="hold_task").until_halted()
        assignment.unclaim_task(bob, task.pk)
        assignment.unclaim_task(ann, task.pk)
        assert again(task).assignee is None
        with pytest.raises(Conflict, match="Nobody has this task"):
            late.end()

        assert again(task).status == "OPEN"


def test_a_delegation_while_the_run_is_cancelled_is_told_before_the_end_or_not_at_all(rounds):
    ann = member("ann")
    member("bob")
    for _ in rounds:
        task = asked()
        with holding(lambda task=task: make.cancel(str(task.run_id)), before="cancel_tasks"):
            late = blocked(lambda task=task: hand(ann, task, "bob"))
        with pytest.raises(Conflict) as refused:
            late.end()

        assert refused.value.code == "task_cancelled"
        task = asked()
        with holding(lambda task=task: hand(ann, task, "bob"), before="delegate_task"):
            cancel = blocked(lambda task=task: make.cancel(str(task.run_id)))
        cancel.end()

        assert (again(task).status, again(task).assignee) == ("CANCELLED", "bob")
        assert make.history(task.run_id)[-1] == "RUN_CANCELLED"


def test_a_comment_behind_a_decision_is_refused(rounds):
    ann, bob = member("ann"), member("bob")
    for _ in rounds:
        task = asked()
        with holding(lambda task=task: decide(ann, task), before="advance"):
            late = blocked(lambda task=task: say(bob, task, "Wait!"))
        with pytest.raises(Conflict) as refused:
            late.end()

        assert refused.value.code == "task_closed"
        assert queries.comments_of(task).count() == 0


def test_a_comment_that_is_sent_twice_at_once_is_there_once(rounds):
    ann = member("ann")
    for _ in rounds:
        task, id = asked(), uuid7()
        with holding(lambda task=task, id=id: say(ann, task, "Hm.", id=id), before="add_comment") as first:
            late = blocked(lambda task=task, id=id: say(ann, task, "Hm.", id=id))
        assert late.end() == first.end()
        assert queries.comments_of(task).count() == 1


def test_of_several_who_send_mail_at_once_each_person_gets_one(rounds, monkeypatch):
    for name in ("ann", "bob", "cyd"):
        member(name)
        User.objects.filter(username=name).update(email=f"{name}@example.org")
    with mailbox(monkeypatch) as box:
        for count, _ in enumerate(rounds, 1):
            asked()
            senders = [Actor(lambda: mailing.tick(10)) for _ in range(3)]
            for sender in senders:
                sender.end()
            # What one of them had put off when the others looked is not lost either.
            mailing.tick(10)
            assert {name: len(got) for name, got in box.subjects().items()} == dict.fromkeys(
                ("ann", "bob", "cyd"), count
            )

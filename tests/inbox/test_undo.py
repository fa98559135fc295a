"""A decision can be undone for some seconds: the server holds it back, and then it counts, once and checked anew."""

import psycopg
import pytest

from accounts.models import Membership
from lib.refusals import Conflict, Invalid, NotAllowed
from tasks_inbox.actions import assignment, deciding, holding, rounds
from tasks_inbox.actions.decision import Decision
from tasks_inbox.duties import clock, settling
from tasks_inbox.eligibility.standing import standing
from tasks_inbox.models import HeldDecision, TaskDecision
from tasks_inbox.reading import task_rows
from tests import factories as make
from tests.inbox.asking import again, approval, asked, decide, member, read, task_of


@pytest.fixture(autouse=True)
def now(clock, settings):
    settings.HANDOFF_UNDO_SECONDS = 10
    return clock


def hold(who, task, outcome="approved", **more):
    return holding.hold_decision(who, task.pk, Decision(outcome, **{"seen": read(who, task), **more}))


def later(now, seconds):
    now.advance(seconds)
    found = settling.tick()
    make.work()
    return found


def left():
    return list(HeldDecision.unsafe_all_tenants.values_list("username", "refused"))


def test_it_counts_when_its_time_has_come_and_not_before(now):
    ann, task = member("ann"), asked()
    hold(ann, task, comment="Fine.")
    row = task_rows.whole_row(standing(ann, again(task)), "refunds")
    assert (row["status"], row["may_decide"], row["held"]["by"], row["held"]["outcome"]) == (
        "OPEN",
        False,
        "ann",
        "approved",
    )
    assert (later(now, 9), again(task).status) == (0, "OPEN")
    assert (later(now, 2), left()) == (1, [])
    done = again(task)
    assert (done.status, done.outcome, done.decided_by, done.comment) == (
        "COMPLETED",
        "approved",
        "ann",
        "Fine.",
    )
    assert make.steps(task.run_id)["yes"].status == "COMPLETED"
    assert later(now, 10) == 0


def test_what_is_undone_never_happened_and_gives_back_what_was_typed(now):
    ann = member("ann")
    form = {"type": "object", "properties": {"limit": {"type": "number"}}}
    task = asked(approval(form=form))
    hold(ann, task, data={"limit": 2.5}, comment="Fine.")
    was = holding.undo_decision(ann, task.pk)
    assert was == {"outcome": "approved", "data": {"limit": 2.5}, "comment": "Fine.", "refused": None}
    assert (later(now, 20), again(task).status) == (0, "OPEN")
    assert not TaskDecision.unsafe_all_tenants.exists()
    with pytest.raises(Conflict) as refused:
        holding.undo_decision(ann, task.pk)
    assert refused.value.code == "nothing_to_undo"


def test_nobody_else_decides_meanwhile_and_who_does_may_change_their_mind(now):
    ann, bob, task = member("ann"), member("bob"), asked()
    hold(ann, task)
    for act in (decide, hold):
        with pytest.raises(Conflict, match="ann is deciding this right now: Approve") as refused:
            act(bob, task)
        assert refused.value.code == "being_decided"
    now.advance(5)
    hold(ann, task, "rejected", comment="No.")
    assert (later(now, 6), again(task).status) == (0, "OPEN")
    later(now, 5)
    assert again(task).outcome == "rejected"
    assert TaskDecision.unsafe_all_tenants.count() == 1


def test_deciding_at_once_replaces_what_was_held_back(now):
    ann, task = member("ann"), asked()
    hold(ann, task)
    assert decide(ann, task, "rejected", comment="No.").outcome == "rejected"
    assert (left(), later(now, 20)) == ([], 0)


def test_those_who_decide_beside_each_other_hold_theirs_back_beside_each_other(now):
    ann, bob = member("ann"), member("bob")
    task = asked(approval(quorum=2))
    hold(ann, task)
    assert task_rows.whole_row(standing(bob, again(task)), "refunds")["may_decide"]
    hold(bob, task)
    assert later(now, 11) == 2
    assert again(task).outcome == "approved"


@pytest.mark.parametrize(
    "happens",
    [
        lambda task: make.cancel(str(task.run_id)),
        lambda task: Membership.unsafe_all_tenants.filter(user__username="ann").delete(),
        lambda task: Membership.unsafe_all_tenants.filter(user__username="ann").update(role="viewer"),
        lambda task: type(task).unsafe_all_tenants.filter(pk=task.pk).update(exclude=["ann"]),
    ],
    ids=["cancelled", "left", "demoted", "excluded"],
)
def test_what_may_not_be_any_more_does_not_count_and_says_so(now, happens):
    ann, task = member("ann"), asked()
    hold(ann, task)
    happens(task)
    later(now, 11)
    ((who, why),) = left()
    assert who == "ann"
    assert why
    assert again(task).outcome is None
    assert later(now, 11) == 0


def test_a_question_that_changed_meanwhile_is_not_decided(now):
    ann, task = member("ann"), asked()
    seen = task_rows.whole_row(standing(ann, task), "refunds")["shown_hash"]
    hold(ann, task, seen=seen)
    type(task).unsafe_all_tenants.filter(pk=task.pk).update(title="Refund 4000 EUR?")
    later(now, 11)
    assert "was changed while you looked at it" in left()[0][1]


def test_what_was_decided_before_the_deadline_counts_before_it(now):
    ann = member("ann")
    task = asked(approval(due_seconds=60, on_timeout="rejected"))
    now.advance(55)
    hold(ann, task)
    now.advance(6)
    clock.tick()
    assert (again(task).outcome, again(task).decided_by) == ("approved", "ann")


def test_a_deadline_decides_where_what_was_held_back_may_not_count(now):
    ann = member("ann")
    task = asked(approval(due_seconds=60, on_timeout="rejected"))
    now.advance(55)
    hold(ann, task)
    Membership.unsafe_all_tenants.filter(user__username="ann").update(role="viewer")
    now.advance(6)
    clock.tick()
    assert (again(task).outcome, again(task).decided_by) == ("rejected", "the deadline")


def test_what_was_held_back_does_not_count_for_the_next_round(now):
    """Its facts may be others, and who held it back has not read them."""
    member("ria", "viewer")
    for quorum in (1, 2):
        ann, bob = member("ann"), member("bob")
        form = approval(quorum=quorum, facts={"Amount": "{{ input.amount }}"}, amendable=["Amount"])
        (run,) = make.start(form, {"amount": 40}, by="ria")
        make.work()
        task = task_of(run)
        hold(ann, task)
        by = ann if quorum == 1 else bob
        rounds.return_task(by, task.pk, comment="Look again.", seen=read(by, task))
        rounds.send_again(member("ria", "viewer"), task.pk, facts={"Amount": 4_000_000})
        later(now, 11)
        assert (again(task).status, again(task).voted) == ("OPEN", [])
    assert [who for who, why in left() if why] == ["ann"]


@pytest.mark.parametrize("error", [RuntimeError("Boom"), psycopg.errors.QueryCanceled("It took too long.")])
def test_what_can_not_be_counted_keeps_nobody_elses_from_counting(now, monkeypatch, caplog, error):
    """However many of them there are: what raises is put off, not tried again before the others."""
    monkeypatch.setattr(settling, "BATCH", 1)
    ann, first, second = member("ann"), asked(), asked()
    hold(ann, first)
    hold(ann, second)
    complete = deciding.complete_task

    def broken(principal, task_id, **more):
        if task_id == first.pk:
            raise error
        return complete(principal, task_id, **more)

    monkeypatch.setattr(deciding, "complete_task", broken)
    now.advance(11)
    assert [settling.tick(), settling.tick(), settling.tick()] == [1, 1, 0]
    assert f"of task {first.pk} does not count yet" in caplog.text
    assert (again(first).status, again(second).outcome) == ("OPEN", "approved")
    monkeypatch.setattr(deciding, "complete_task", complete)
    later(now, 11)
    assert again(first).outcome == "approved"


def test_nobody_takes_what_somebody_else_is_just_deciding(now):
    ann, bob, task = member("ann"), member("bob"), asked()
    hold(ann, task)
    for take in (
        lambda: assignment.claim_task(bob, task.pk),
        lambda: assignment.delegate_task(bob, task.pk, "ann"),
        lambda: assignment.assign_task(member("ops", "admin"), task.pk, "bob"),
    ):
        with pytest.raises(Conflict) as refused:
            take()
        assert refused.value.code == "being_decided"
    assignment.claim_task(ann, task.pk)
    later(now, 11)
    assert again(task).decided_by == "ann"


def test_its_author_and_a_signature_say_whether_it_can_be_undone(settings, now):
    ann = member("ann")
    signed = [{"name": "approved", "label": "Approve", "sign": True}, {"name": "rejected", "label": "Reject"}]
    tasks = [asked(approval(undo_seconds=0)), asked(approval(outcomes=signed))]
    for task in tasks:
        with pytest.raises(Conflict) as refused:
            hold(ann, task)
        assert refused.value.code == "no_undo"
    settings.HANDOFF_UNDO_SECONDS = 0
    task = asked(approval(undo_seconds=60))
    hold(ann, task)
    assert (later(now, 59), later(now, 2)) == (0, 1)


def test_what_is_wrong_is_not_held_back(now):
    ann, task, bob = member("ann"), asked(approval(exclude=["bob"])), member("bob")
    with pytest.raises(Invalid):
        hold(ann, task, "rejected")
    with pytest.raises(NotAllowed):
        hold(bob, task)
    assignment.claim_task(member("cat"), task.pk)
    with pytest.raises(Conflict):
        hold(ann, task)
    assert left() == []

"""While nobody decides: reminders, escalation, the outcome at the deadline; and questions stop the clock."""

from datetime import timedelta

import pytest

from accounts.models import Membership
from lib.refusals import Conflict, Invalid, NotAllowed
from runs.models import HistoryEvent
from tasks_inbox.actions import assignment, comments
from tasks_inbox.actions.escalating import escalate_task
from tasks_inbox.duties import clock as tasks_clock
from tasks_inbox.eligibility import identity
from tasks_inbox.eligibility.standing import is_theirs, standing
from tasks_inbox.mail.notices import people_of
from tasks_inbox.models import ManualTask, Notification, TaskDecision
from tasks_inbox.reading import sources, task_rows
from tasks_inbox.store import queries
from tests import factories as make
from tests.inbox.asking import again, approval, asked, decide, member

pytestmark = pytest.mark.usefixtures("clock")


def later(clock, seconds):
    clock.advance(seconds)
    found = tasks_clock.tick()
    make.work()
    return found


def told(task):
    return [event for event in make.history(task.run_id) if event.startswith("TASK_")]


def test_what_can_not_be_done_for_one_task_is_done_for_others(clock, monkeypatch):
    member("ann")
    first, second = (asked(approval(due_seconds=10, on_timeout="rejected")) for _ in range(2))
    end = tasks_clock.end_at_deadline

    def broken(task, outcome):
        if task.pk == first.pk:
            raise RuntimeError("Boom")
        return end(task, outcome)

    monkeypatch.setattr(tasks_clock, "end_at_deadline", broken)
    later(clock, 11)
    assert (again(first).status, again(second).outcome) == ("OPEN", "rejected")


def test_who_may_decide_is_reminded_and_others_are_asked_level_by_level(clock):
    boss, other = member("boss"), member("other", "operator")
    task = asked(
        approval(
            candidates={"users": ["ann"]},
            reminders=[50, 20],
            escalation=[
                {"after_seconds": 30, "users": ["boss"]},
                {"after_seconds": 60, "roles": ["operator"]},
            ],
        )
    )
    assert later(clock, 19) == 0
    assert (later(clock, 2), told(task)[1:]) == (1, ["TASK_REMINDED ask"])
    with pytest.raises(NotAllowed):
        decide(boss, task)
    later(clock, 10)
    assert [one.pk for one in sources.tasks_of(identity.who_is(boss), view="open")] == [task.pk]
    assert list(sources.tasks_of(identity.who_is(other), view="open")) == []
    later(clock, 100)
    assert told(task)[1:] == [
        "TASK_REMINDED ask",
        "TASK_ESCALATED ask",
        "TASK_REMINDED ask",
        "TASK_ESCALATED ask",
    ]
    assert again(task).candidates == {"users": ["ann", "boss"], "groups": [], "roles": ["operator"]}
    assert (later(clock, 10_000), again(task).next_at) == (0, None)
    assert decide(other, task).outcome == "approved"


def test_a_level_asks_whoever_is_the_manager_by_then_and_nobody_where_there_is_none(clock):
    seats = Membership.unsafe_all_tenants
    ann, old, new = member("ann"), member("old"), member("New")
    level = {"after_seconds": 60, "manager_of": "{{ run.created_by }}"}
    definition = approval(candidates={"users": ["bob"]}, exclude=["old"], escalation=[level])
    make.start(definition, {"amount": 1}, by="ann")
    make.work()
    task = ManualTask.unsafe_all_tenants.get()
    seats.filter(user_id=ann.user_id).update(manager=seats.get(user_id=old.user_id))
    page = task_rows.whole_row(standing(ann, task), "refunds")
    assert page["candidates"]["users"] == ["bob"]
    seats.filter(user_id=ann.user_id).update(manager=seats.get(user_id=new.user_id))
    later(clock, 61)
    event = HistoryEvent.unsafe_all_tenants.get(run_id=task.run_id, type="TASK_ESCALATED")
    assert event.payload["to"] == {"manager_of": "ann", "users": ["New"]}
    assert again(task).candidates["users"] == ["bob", "New"]
    with pytest.raises(NotAllowed):
        decide(old, task)
    assert decide(new, task).outcome == "approved"


def test_a_manager_who_is_excluded_stays_so_and_where_there_is_none_nobody_is_asked(clock):
    ann, boss = member("ann"), member("boss")
    other = member("other")
    definition = approval(
        candidates={"users": ["bob"]},
        exclude=["boss"],
        escalation=[
            {"after_seconds": 60, "manager_of": "boss"},
            {"after_seconds": 90, "manager_of": "ann"},
        ],
    )
    task = asked(definition)
    later(clock, 61)
    (event,) = HistoryEvent.unsafe_all_tenants.filter(run_id=task.run_id, type="TASK_ESCALATED")
    assert event.payload["to"] == {"manager_of": "boss"}
    assert again(task).candidates["users"] == ["bob"]
    seats = Membership.unsafe_all_tenants
    seats.filter(user_id=ann.user_id).update(manager=seats.get(user_id=boss.user_id))
    later(clock, 40)
    for nobody in (boss, other):
        with pytest.raises(NotAllowed):
            decide(nobody, task)
    told = Notification.unsafe_all_tenants.filter(task_id=task.pk, kind="escalated").order_by("id")
    assert [people_of(again(task), one.kind, one.audience) for one in told] == [[], []]


def test_a_level_by_a_manager_comes_by_hand_too(clock):
    ann, boss = member("ann"), member("boss")
    seats = Membership.unsafe_all_tenants
    seats.filter(user_id=ann.user_id).update(manager=seats.get(user_id=boss.user_id))
    task = asked(
        approval(candidates={"users": ["ann"]}, escalation=[{"after_seconds": 60, "manager_of": "ann"}])
    )
    escalate_task(ann, task.pk, reason="Not mine.")
    assert decide(boss, again(task)).outcome == "approved"


def test_whoever_has_it_is_reminded_to_follow_up(clock):
    ann = member("ann")
    member("bob")
    task = asked(approval(follow_up_seconds=60))
    row = task_rows.whole_row(standing(ann, task), "refunds")
    assert (row["follow_up_at"] - task.created_at).total_seconds() == 60
    assignment.claim_task(ann, task.pk)
    assert (later(clock, 59), later(clock, 2)) == (0, 1)
    event = HistoryEvent.unsafe_all_tenants.get(run_id=task.run_id, type="TASK_REMINDED")
    assert event.payload["follow_up"] is True
    told = Notification.unsafe_all_tenants.get(task_id=task.pk, kind="reminded")
    assert people_of(again(task), told.kind, told.audience) == ["ann"]
    assert task_rows.whole_row(standing(ann, again(task)), "refunds")["follow_up_at"] is None


@pytest.mark.parametrize("claimed", [False, True])
def test_at_the_deadline_it_has_the_outcome_that_its_author_said(clock, claimed):
    ann = member("ann")
    task = asked(approval(due_seconds=60, on_timeout="rejected"))
    if claimed:
        assignment.claim_task(ann, task.pk)
    assert later(clock, 59) == 0
    later(clock, 2)
    done = again(task)
    assert (done.status, done.outcome, done.decided_by) == ("COMPLETED", "rejected", "the deadline")
    assert make.statuses(task.run_id) == {"ask": "COMPLETED", "no": "COMPLETED", "yes": "SKIPPED"}
    (decision,) = TaskDecision.unsafe_all_tenants.all()
    assert '"via":"clock"' in decision.record
    with pytest.raises(Conflict, match="the deadline already decided this: Reject"):
        decide(ann, task)


def test_without_an_outcome_for_it_a_deadline_ends_nothing(clock):
    task = asked(approval(due_seconds=60))
    assert (later(clock, 600), again(task).status) == (0, "OPEN")


def test_a_deadline_takes_what_votes_there_are_for_what_they_are(clock):
    task = asked(approval(quorum=2, due_seconds=60, on_timeout="rejected"))
    decide(member("ann"), task)
    later(clock, 61)
    output = make.steps(task.run_id)["ask"].output
    assert [(one["by"], one["outcome"]) for one in output["decisions"]] == [
        ("ann", "approved"),
        ("the deadline", "rejected"),
    ]


def test_a_question_stops_the_clock_until_it_is_answered(clock):
    ann, starter = member("ann"), member("starter", "author")
    (run_id,) = make.start(approval(due_seconds=60, on_timeout="rejected"), {"amount": 40}, by="starter")
    make.work()
    (task,) = sources.tasks_of(identity.who_is(ann), view="open")
    later(clock, 30)
    comments.ask(ann, task.pk, "Which account?")
    with pytest.raises(Conflict) as refused:
        comments.ask(ann, task.pk, "And when?")
    assert refused.value.code == "asked_already"
    assert (later(clock, 1000), again(task).status) == (0, "OPEN")
    with pytest.raises(NotAllowed):
        comments.answer(member("vic", "viewer"), task.pk, "Mine.")
    due = task.due_at
    answered = comments.answer(starter, task.pk, "The second one.")
    assert (answered.due_at - due, answered.stopped_at) == (timedelta(seconds=1000), None)
    with pytest.raises(Conflict) as refused:
        comments.answer(starter, task.pk, "The third one.")
    assert refused.value.code == "nothing_asked"
    assert [(one.kind, one.by) for one in queries.comments_of(task).order_by("pk")] == [
        ("asked", "ann"),
        ("answered", "starter"),
    ]
    assert later(clock, 29) == 0
    later(clock, 2)
    assert again(task).decided_by == "the deadline"
    assert make.run(run_id).status == "COMPLETED"


def test_who_may_not_decide_asks_nothing_and_nothing_is_no_question():
    task = asked(approval(candidates={"users": ["ann"]}))
    with pytest.raises(NotAllowed):
        comments.ask(member("bob"), task.pk, "Why?")
    with pytest.raises(Invalid):
        comments.ask(member("ann"), task.pk, " ")
    assert again(task).stopped_at is None


def test_a_question_does_not_keep_from_deciding(clock):
    ann = member("ann")
    task = asked(approval(due_seconds=60, on_timeout="rejected"))
    comments.ask(ann, task.pk, "Why?")
    assert decide(ann, task).outcome == "approved"
    with pytest.raises(Conflict) as refused:
        comments.answer(ann, task.pk, "Because.")
    assert refused.value.code == "decided_already"
    assert later(clock, 100) == 0


def test_a_run_that_was_cancelled_has_no_deadlines(clock):
    task = asked(approval(due_seconds=60, on_timeout="rejected", reminders=[10]))
    make.cancel(str(task.run_id))
    assert (later(clock, 100), again(task).status) == (0, "CANCELLED")


def test_what_can_not_be_done_now_keeps_nothing_else_back(clock):
    paused = asked(approval(due_seconds=60, on_timeout="rejected"))
    other = asked(approval(due_seconds=90, on_timeout="rejected"))
    make.pause(str(paused.run_id))
    later(clock, 100)
    assert again(other).decided_by == "the deadline"


def test_the_next_level_comes_by_hand_and_does_not_come_again(clock):
    ann, boss, ops = member("ann"), member("boss"), member("ops", "operator")
    level = {"after_seconds": 30, "users": ["boss"]}
    task = asked(approval(candidates={"users": ["ann"]}, escalation=[level], reminders=[50]))
    with pytest.raises(NotAllowed):
        escalate_task(boss, task.pk, reason="I want it.")
    with pytest.raises(Invalid) as refused:
        escalate_task(ann, task.pk, reason=" ")
    assert refused.value.field == "reason"
    escalate_task(ops, task.pk, reason="Ann is ill.")
    assert decide_as(boss, task)
    assert (again(task).next_at - again(task).clock_from).total_seconds() == 50
    assert later(clock, 31) == 0
    with pytest.raises(Conflict) as refused:
        escalate_task(ann, task.pk, reason="More.")
    assert refused.value.code == "no_level"
    event = HistoryEvent.unsafe_all_tenants.get(run_id=task.run_id, type="TASK_ESCALATED")
    assert (event.payload["by"], event.payload["reason"], event.payload["level"]) == ("ops", "Ann is ill.", 1)


def decide_as(who, task):
    return is_theirs(identity.who_is(who), again(task))


def test_who_is_asked_asks_others_and_nobody_asks_themselves():
    ann, cid, ops = member("ann"), member("cid", "approver", "Legal"), member("ops", "operator")
    member("vic", "viewer")
    task = asked(approval(candidates={"users": ["ann"]}, exclude=["eve"]))
    member("eve")
    with pytest.raises(NotAllowed):
        escalate_task(ops, task.pk, to={"users": ["ops"]}, reason="I do it.")
    for name in ("vic", "nobody", "eve", "ann"):
        with pytest.raises(Invalid) as refused:
            escalate_task(ann, task.pk, to={"users": [name]}, reason="Help.")
        assert refused.value.field == "to"
    escalate_task(ann, task.pk, to={"groups": ["legal"]}, reason="Help.")
    assert decide_as(cid, task)
    assert again(task).candidates["groups"] == ["legal"]
    mailed = Notification.unsafe_all_tenants.filter(task_id=task.pk, kind="escalated")
    assert [one.audience for one in mailed] == [["group:legal"]]


def test_escalating_starts_no_clock_that_a_question_has_stopped():
    ann = member("ann")
    member("boss")
    task = asked(approval(candidates={"users": ["ann"]}, due_seconds=60, on_timeout="rejected"))
    comments.ask(ann, task.pk, "Which?")
    escalate_task(ann, task.pk, to={"users": ["boss"]}, reason="Help.")
    assert again(task).next_at is None

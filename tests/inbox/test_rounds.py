"""A task is returned for changes and sent again: the next round, in which nothing of the one before counts (R-146)."""

import json
from datetime import timedelta
from pathlib import Path

import pytest

from lib.refusals import Conflict, Invalid, NotAllowed
from tasks_inbox.actions import assignment, comments, rounds
from tasks_inbox.duties import clock
from tasks_inbox.eligibility import identity
from tasks_inbox.eligibility.standing import standing
from tasks_inbox.evidence import exports
from tasks_inbox.evidence.exported import verify
from tasks_inbox.evidence.verifying import verify_chain
from tasks_inbox.limits import TASK_ROUNDS
from tasks_inbox.models import ManualTask, Notification, TaskDecision
from tasks_inbox.reading import sources, task_rows
from tasks_inbox.store import queries
from tests import factories as make
from tests.inbox.asking import again, approval, decide, member, read, task_of

REFUND = {
    "facts": {"Amount": "{{ input.amount }}", "Paid": True, "To": "Ann"},
    "amendable": ["Amount", "Paid"],
}


@pytest.fixture
def people():
    """Who started the run, and two who may decide."""
    return member("ria", "viewer"), member("bob"), member("cat")


def asked(**params):
    (run,) = make.start(approval(**REFUND, **params), {"amount": 40}, by="ria")
    make.work()
    return task_of(run)


def send_back(who, task, comment="The receipt says 45.", **more):
    return rounds.return_task(who, task.pk, comment=comment, **{"seen": read(who, task), **more})


def seen_by(who, view="teams"):
    return [task.pk for task in sources.tasks_of(identity.who_is(who), view=view)]


def told(task, kind):
    return list(
        Notification.unsafe_all_tenants.filter(task_id=task.pk, kind=kind).values_list("username", flat=True)
    )


def value(shown, label):
    return next(fact["value"] for fact in shown["facts"] if fact["label"] == label)


def test_it_goes_to_who_started_the_run_and_comes_back_corrected(people):
    ria, bob, cat = people
    task = asked(candidates={"users": ["bob", "cat"]})
    send_back(bob, task)
    assert (seen_by(cat), seen_by(bob), seen_by(ria, "mine")) == ([], [], [task.pk])
    row = task_rows.whole_row(standing(cat, again(task)), "refunds")
    assert (row["returned_to"], row["returned_by"], row["asked_at"], row["may_decide"]) == (
        "ria",
        "bob",
        None,
        False,
    )
    rounds.send_again(ria, task.pk, facts={"Amount": 45}, comment="Right.")
    row = task_rows.whole_row(standing(cat, again(task)), "refunds")
    assert (row["round"], row["returned_to"], row["may_decide"]) == (2, None, True)
    assert row["changed"] == [{"label": "Amount", "before": 40, "after": 45}]
    assert [(one.kind, one.by) for one in queries.comments_of(task).order_by("id")] == [
        ("returned", "bob"),
        ("resubmitted", "ria"),
    ]
    assert (told(task, "returned"), told(task, "resubmitted")) == (["ria"], [None])
    decide(cat, again(task))
    make.work()
    output = make.steps(task.run_id)["ask"].output
    assert output["facts"] == {"Amount": 45, "Paid": True, "To": "Ann"}
    assert [event for event in make.history(task.run_id) if event.startswith("TASK_")] == [
        "TASK_OPENED ask",
        "TASK_RETURNED ask",
        "TASK_RESUBMITTED ask",
        "TASK_COMPLETED ask",
    ]


def test_votes_of_the_round_before_count_no_more_and_stay_as_evidence(people):
    ria, bob, cat = people
    member("dan")
    task = asked(quorum=2)
    decide(bob, task)
    send_back(cat, task)
    rounds.send_again(ria, task.pk)
    assert again(task).voted == []
    assert decide(cat, task).status == "OPEN"
    assert decide(bob, task).outcome == "approved"
    found = TaskDecision.unsafe_all_tenants.filter(task_id=task.pk).order_by("seq")
    assert [(one.round, one.by, one.outcome) for one in found] == [
        (1, "bob", "approved"),
        (1, "cat", "@returned"),
        (2, "cat", "approved"),
        (2, "bob", "approved"),
    ]
    make.work()
    assert [one["by"] for one in make.steps(task.run_id)["ask"].output["decisions"]] == ["cat", "bob"]
    assert not list(verify_chain(task.tenant_id))


def test_the_evidence_says_what_each_round_was_about(people):
    ria, bob, _ = people
    task = asked()
    send_back(bob, task)
    rounds.send_again(ria, task.pk, facts={"Amount": 45})
    decide(bob, task)
    text = exports.export(bob, task.run_id, "json").content.decode()
    assert list(verify.faults(text, Path("nowhere"))) == []
    shown = [value(json.loads(one["shown"]), "Amount") for one in json.loads(text)["questions"]]
    assert shown == [40, 45]
    assert "Return for changes" in exports.export(bob, task.run_id, "html").content.decode()


@pytest.mark.parametrize("change", [{"earlier": []}, {"round": 7}])
def test_a_round_that_somebody_took_away_is_found(people, change):
    ria, bob, _ = people
    task = asked()
    send_back(bob, task)
    rounds.send_again(ria, task.pk, facts={"Amount": 45})
    decide(bob, task)
    ManualTask.unsafe_all_tenants.filter(pk=task.pk).update(**change)
    assert list(verify_chain(task.tenant_id))
    text = exports.export(bob, task.run_id, "json").content.decode()
    assert list(verify.faults(text, Path("nowhere")))
    ManualTask.unsafe_all_tenants.filter(pk=task.pk).update(
        round=2, earlier=[{"round": 1, "facts": task.facts}]
    )


def test_its_clock_stands_still_until_it_is_sent_again(people):
    ria, bob, _ = people
    task = asked(due_seconds=100, on_timeout="rejected")
    send_back(bob, task)
    assert again(task).next_at is None
    with pytest.raises(Conflict) as refused:
        comments.answer(ria, task.pk, "45.")
    assert refused.value.code == "nothing_asked"
    rounds.send_again(ria, task.pk)
    now = again(task)
    assert now.due_at - now.clock_from == timedelta(seconds=100)
    assert (now.next_at, now.due_at > task.due_at) == (now.due_at, True)
    assert clock.tick() == 0


def test_what_can_not_be_corrected_stays(people):
    ria, bob, _ = people
    task = asked()
    send_back(bob, task)
    for facts, field in (({"To": "Eve"}, "facts.To"), ({"Amount": 1, "Else": 2}, "facts.Else")):
        with pytest.raises(Invalid) as refused:
            rounds.send_again(ria, task.pk, facts=facts)
        assert (refused.value.code, refused.value.field) == ("not_amendable", field)
    assert (again(task).round, value({"facts": again(task).facts}, "To")) == (1, "Ann")
    rounds.send_again(ria, task.pk, facts={"Paid": 1})
    row = task_rows.whole_row(standing(bob, again(task)), "refunds")
    assert row["changed"] == [{"label": "Paid", "before": True, "after": 1}]


def test_only_who_has_it_corrects_it_and_who_returned_it_takes_it_back(people):
    ria, bob, cat = people
    task = asked()
    send_back(bob, task)
    with pytest.raises(NotAllowed):
        rounds.send_again(cat, task.pk)
    with pytest.raises(NotAllowed):
        rounds.send_again(bob, task.pk, facts={"Amount": 1})
    for act in (decide, lambda who, of: assignment.claim_task(who, of.pk), send_back):
        with pytest.raises(Conflict) as refused:
            act(cat, task)
        assert refused.value.code == "returned"
    rounds.send_again(bob, task.pk)
    assert again(task).round == 2
    with pytest.raises(Conflict) as refused:
        rounds.send_again(ria, task.pk)
    assert refused.value.code == "not_returned"


@pytest.mark.parametrize("eyes", ["exclude_requester", "exclude_deciders"])
def test_who_has_corrected_it_does_not_decide_it_where_four_eyes_are_wanted(people, eyes):
    _, bob, cat = people
    task = asked(**{eyes: True})
    send_back(bob, task, to="cat")
    rounds.send_again(cat, task.pk, facts={"Amount": 4_000_000})
    assert not seen_by(cat)
    with pytest.raises(NotAllowed, match="You have corrected"):
        decide(cat, task)
    decide(bob, task)


def test_who_takes_it_back_or_corrects_it_where_nobody_wants_four_eyes_may_decide_it(people):
    _, bob, cat = people
    for eyes, facts in ((True, {}), (False, {"Amount": 45})):
        task = asked(exclude_requester=eyes)
        send_back(bob, task, to="cat")
        rounds.send_again(cat, task.pk, facts=facts)
        assert decide(cat, task).decided_by == "cat"


def test_it_needs_a_reason_and_somebody_to_whom_it_can_go(people):
    _, bob, cat = people
    task = asked()
    with pytest.raises(Invalid) as refused:
        send_back(bob, task, "  ")
    assert refused.value.field == "comment"
    with pytest.raises(Invalid) as refused:
        send_back(bob, task, to="nobody")
    assert refused.value.field == "to"
    with pytest.raises(Invalid) as refused:
        send_back(bob, task, to="BOB")
    assert refused.value.code == "yourself"
    with pytest.raises(Conflict) as refused:
        send_back(bob, task, seen="0" * 64)
    assert refused.value.code == "task_changed"
    (run,) = make.start(approval(**REFUND), {"amount": 40}, by="a schedule")
    make.work()
    with pytest.raises(Conflict) as refused:
        send_back(bob, task_of(run))
    assert refused.value.code == "nobody_to_return_to"
    send_back(bob, task_of(run), to="cat")
    assert seen_by(cat, "mine") == [task_of(run).pk]
    assert not TaskDecision.unsafe_all_tenants.filter(task_id=task.pk).exists()


def test_a_task_goes_round_only_so_often(people):
    ria, bob, _ = people
    task = asked()
    for _ in range(TASK_ROUNDS - 1):
        send_back(bob, task)
        rounds.send_again(ria, task.pk)
    with pytest.raises(Conflict) as refused:
        send_back(bob, task)
    assert refused.value.code == "too_many_rounds"
    assert len(again(task).earlier) == TASK_ROUNDS - 1


def test_a_question_is_mailed_to_who_started_the_run(people):
    _, bob, _ = people
    task = asked()
    comments.ask(bob, task.pk, "Which receipt?")
    assert told(task, "question") == ["ria"]


def test_facts_stand_in_the_order_that_their_author_says():
    facts = {"Much later": 3, "First": 1, "Then": 2}
    (run,) = make.start(approval(facts=facts, facts_order=["First", "Then"]), {"amount": 40})
    make.work()
    assert [fact["label"] for fact in task_of(run).facts] == ["First", "Then", "Much later"]

"""What people do with tasks: who may, what is refused, and that a decision is whole or nothing (R-142…R-149)."""

import pytest

from accounts.principal import Forbidden
from lib.refusals import Conflict, Invalid, Missing, NotAllowed
from runs.store import waits
from tasks_inbox.actions import assignment
from tests import factories as make
from tests.inbox.asking import again, approval, asked, decide, member

FORM = {
    "type": "object",
    "required": ["account"],
    "additionalProperties": False,
    "properties": {
        "account": {"type": "string", "minLength": 3},
        "lines": {"type": "array", "items": {"type": "integer"}},
    },
}


def test_a_decision_ends_the_step_with_who_what_and_when(clock):
    task = asked()
    done = decide(member("Ann"), task, comment="Looks right.")
    assert (done.status, done.outcome, done.decided_by, done.decided_at) == (
        "COMPLETED",
        "approved",
        "Ann",
        clock.now,
    )
    make.work()
    steps = make.steps(task.run_id)
    assert steps["ask"].output == {
        "outcome": "approved",
        "data": None,
        "by": "Ann",
        "at": clock.now.isoformat(),
        "comment": "Looks right.",
        "branch": "approved",
    }
    assert make.statuses(task.run_id) == {"ask": "COMPLETED", "yes": "COMPLETED", "no": "SKIPPED"}
    assert "TASK_COMPLETED ask" in make.history(task.run_id)


def test_the_first_decision_counts_and_the_second_is_told_whose_it_was(clock):
    task = asked()
    decide(member("ann"), task)
    with pytest.raises(Conflict, match="ann already decided this: Approve") as refused:
        decide(member("bob"), task, "rejected", comment="No.")
    assert refused.value.code == "decided_already"
    assert refused.value.details == {
        "outcome": "approved",
        "decided_by": "ann",
        "decided_at": clock.now.isoformat(),
    }


def test_a_task_of_a_run_that_was_cancelled_takes_no_decision():
    task = asked()
    make.cancel(str(task.run_id))
    with pytest.raises(Conflict) as refused:
        decide(member("ann"), task)
    assert refused.value.code == "task_cancelled"


@pytest.mark.parametrize(
    ("candidates", "who", "may"),
    [
        ({"users": ["ANN"]}, ("ann",), True),
        ({"users": ["bob"]}, ("ann",), False),
        ({"groups": ["finance"]}, ("ann", "approver", "Finance"), True),
        ({"groups": ["finance"]}, ("ann", "approver", "Legal"), False),
        ({"roles": ["operator"]}, ("ann", "operator"), True),
        ({"roles": ["approver"]}, ("ann", "admin"), False),
        ({"users": ["bob"], "groups": ["Legal"]}, ("ann", "admin", "Legal"), True),
    ],
)
def test_whoever_a_task_asks_may_decide_it_and_nobody_else(candidates, who, may):
    task = asked(approval(candidates=candidates))
    if may:
        assert decide(member(*who), task).status == "COMPLETED"
    else:
        with pytest.raises(NotAllowed) as refused:
            decide(member(*who), task)
        assert (refused.value.code, again(task).status) == ("not_a_candidate", "OPEN")


@pytest.mark.parametrize("role", ["approver", "operator", "admin"])
def test_exclusion_wins_over_everything(role):
    candidates = {"users": ["Ann"], "groups": ["Finance"], "roles": [role]}
    task = asked(approval(candidates=candidates, exclude=["{{ input.by }}"]), by="aNN")
    ann = member("Ann", role, "Finance")
    for act in (lambda: decide(ann, task), lambda: assignment.claim_task(ann, task.pk)):
        with pytest.raises(NotAllowed) as refused:
            act()
        assert refused.value.code == "excluded"
    with pytest.raises(Invalid, match="may not decide"):
        assignment.assign_task(member("boss", "admin"), task.pk, "ann")


@pytest.mark.parametrize("role", ["viewer", "author"])
def test_who_may_decide_no_tasks_decides_none_that_asks_them(role):
    task = asked(approval(candidates={"users": ["ann"]}))
    with pytest.raises(Forbidden):
        decide(member("ann", role), task)


def test_another_tenants_task_is_not_there(people):
    task = asked()
    for act in (assignment.claim_task, assignment.unclaim_task):
        with pytest.raises(Missing):
            act(people.principal("admin", tenant="theirs"), task.pk)


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ({"outcome": "perhaps", "data": {"account": "DE12"}}, "outcome"),
        ({"outcome": "rejected", "data": {"account": "DE12"}}, "comment"),
        ({"outcome": "rejected", "data": {"account": "DE12"}, "comment": " \n"}, "comment"),
        ({"outcome": "approved"}, "data.account"),
        ({"outcome": "approved", "data": []}, "data"),
        ({"outcome": "approved", "data": {"account": "x"}}, "data.account"),
        ({"outcome": "approved", "data": {"account": "DE12", "lines": [1, "2"]}}, "data.lines[1]"),
        ({"outcome": "approved", "data": {"account": "DE12", "more": 1}}, "data"),
        ({"outcome": "approved", "data": {"account": "DE\x0012"}}, "data"),
        ({"outcome": "approved", "data": {"account": "x" * 1_100_000}}, "data"),
        ({"outcome": "approved", "data": {"account": "DE12"}, "comment": "x" * 10_001}, "comment"),
    ],
)
def test_a_decision_that_does_not_fit_names_its_field_and_changes_nothing(said, field):
    task = asked(approval(form=FORM))
    with pytest.raises(Invalid) as refused:
        decide(member("ann"), task, **said)
    assert refused.value.field == field
    assert (again(task).status, make.statuses(task.run_id)["ask"]) == ("OPEN", "WAITING")


def test_every_fault_is_told_at_once():
    task = asked(approval(form=FORM))
    with pytest.raises(Invalid) as refused:
        decide(member("ann"), task, "rejected", data={"lines": "x"})
    assert {fault["field"] for fault in refused.value.details["errors"]} == {
        "comment",
        "data.account",
        "data.lines",
    }


def test_a_task_without_a_form_takes_no_data():
    with pytest.raises(Invalid) as refused:
        decide(member("ann"), asked(), data={})
    assert refused.value.field == "data"


def test_what_was_filled_in_is_the_output():
    task = asked(approval(type="human.form", form=FORM))
    decide(member("ann"), task, "submitted", data={"account": "DE12", "lines": [1]})
    make.work()
    output = make.steps(task.run_id)["ask"].output
    assert (output["data"], output["branch"]) == ({"account": "DE12", "lines": [1]}, "submitted")
    assert make.run(task.run_id).status == "COMPLETED"


def test_a_failure_on_the_way_leaves_neither_task_nor_step_decided(monkeypatch):
    task, ann = asked(), member("ann")

    def broken(*_):
        raise RuntimeError("the connection is gone")

    monkeypatch.setattr(waits, "settle_timers", broken)
    with pytest.raises(RuntimeError):
        decide(ann, task)
    assert (again(task).status, make.statuses(task.run_id)["ask"]) == ("OPEN", "WAITING")


def test_a_claimed_task_is_decided_by_nobody_else_until_it_is_put_back():
    task, ann, bob = asked(), member("ann"), member("bob")
    assert assignment.claim_task(ann, task.pk).assignee == "ann"
    assert assignment.claim_task(ann, task.pk).assignee == "ann"
    for act in (lambda: assignment.claim_task(bob, task.pk), lambda: decide(bob, task)):
        with pytest.raises(Conflict, match="ann has claimed this task") as refused:
            act()
        assert (refused.value.code, refused.value.details) == ("claimed", {"assignee": "ann"})
    with pytest.raises(Forbidden):
        assignment.unclaim_task(bob, task.pk)
    assert assignment.unclaim_task(ann, task.pk).assignee is None
    assert decide(bob, task).decided_by == "bob"


def test_who_may_assign_puts_back_and_gives_to_those_who_are_asked():
    task = asked(approval(candidates={"groups": ["Finance"]}))
    boss, ann = member("boss", "operator"), member("ann", "approver", "Finance")
    member("bob", "viewer", "Finance")
    member("cid", "admin")
    assignment.claim_task(ann, task.pk)
    assert assignment.unclaim_task(boss, task.pk).assignee is None
    assert assignment.assign_task(boss, task.pk, "ANN").assignee == "ann"
    for nobody in ("bob", "cid", "boss", "dora"):
        with pytest.raises(Invalid) as refused:
            assignment.assign_task(boss, task.pk, nobody)
        assert refused.value.field == "assignee"
    with pytest.raises(Forbidden):
        assignment.assign_task(ann, task.pk, "ann")
    assert decide(ann, task).decided_by == "ann"


DUE = {"type": "object", "properties": {"due": {"type": "string", "format": "date", "title": "Due date"}}}


def test_a_date_that_is_none_decides_nothing_and_is_named():
    task, ann = asked(approval(form=DUE)), member("ann")
    with pytest.raises(Invalid) as refused:
        decide(ann, task, data={"due": "next week"})
    assert (refused.value.field, refused.value.message) == (
        "data.due",
        "Due date: needs a date such as 2026-11-20.",
    )
    assert decide(ann, task, data={"due": "2026-11-20"}).data == {"due": "2026-11-20"}

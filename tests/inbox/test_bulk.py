"""One thing done with many tasks: each by itself, with its own answer and its own evidence."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from accounts.principal import Forbidden
from lib.refusals import Invalid
from tasks_inbox.actions import bulk, holding
from tasks_inbox.actions.bulk import BulkCommand
from tasks_inbox.actions.decision import Decision
from tasks_inbox.duties import settling
from tasks_inbox.evidence import ledger
from tasks_inbox.models import ManualTask, TaskDecision, TaskNote
from tests import factories as make
from tests.inbox.asking import again, approval, asked, decide, deciding_together, member, read, task_of
from tests.inbox.persons import Person

SHOE = {"type": "object", "properties": {"shoe": {"type": "integer"}}, "required": ["shoe"]}


def several(count, **params):
    """So many tasks of one type."""
    runs = make.start(
        approval(facts={"Amount": "{{ input.amount }}"}, **params), *({"amount": n} for n in range(count))
    )
    make.work()
    return [task_of(run) for run in runs]


def ids(tasks):
    return [task.pk for task in tasks]


def results(found):
    return [(one["result"], one["code"]) for one in found]


def test_each_decision_is_written_separately_and_who_was_faster_is_told():
    ann, bob = member("ann"), member("bob")
    tasks = several(4, exclude=[])
    decide(bob, tasks[1], "rejected", comment="no")
    seen = {str(task.pk): ledger.shown_hash(task) for task in tasks}
    seen[str(tasks[2].pk)] = "another"
    nobody = UUID(int=1)
    wanted = BulkCommand(bulk.DECIDE, outcome="approved", comment="All fine", seen=seen)
    found = bulk.act(ann, [*ids(tasks), nobody, tasks[0].pk], wanted)
    assert results(found) == [
        ("done", None),
        ("refused", "decided_already"),
        ("refused", "task_changed"),
        ("done", None),
        ("refused", "not_found"),
    ]
    assert "bob already decided this" in found[1]["message"]
    written = TaskDecision.unsafe_all_tenants.filter(by="ann").order_by("seq")
    assert [(one.task_id, one.comment) for one in written] == [(tasks[n].pk, "All fine") for n in (0, 3)]


def test_tasks_are_claimed_assigned_and_snoozed_whatever_they_are():
    ann, boss = member("ann"), member("boss", "admin")
    tasks = [asked(), asked(approval(candidates={"users": ["bob"]}))]
    assert results(bulk.act(ann, ids(tasks), BulkCommand(bulk.CLAIM))) == [
        ("done", None),
        ("refused", "not_a_candidate"),
    ]
    assert results(bulk.act(boss, ids(tasks), BulkCommand(bulk.ASSIGN, assignee="ann")))[0] == ("done", None)
    until = datetime.now(UTC) + timedelta(hours=2)
    assert results(bulk.act(ann, ids(tasks), BulkCommand(bulk.SNOOZE, until=until))) == [("done", None)] * 2
    assert TaskNote.unsafe_all_tenants.filter(username="ann").count() == 2
    with pytest.raises(Forbidden):
        bulk.act(ann, ids(tasks), BulkCommand(bulk.ASSIGN, assignee="ann"))
    with pytest.raises(Forbidden):
        bulk.act(member("vic", "viewer"), ids(tasks), BulkCommand(bulk.CLAIM))


def test_only_tasks_of_one_type_and_outcomes_that_ask_for_nothing_are_decided_together():
    ann, approve = member("ann"), BulkCommand(bulk.DECIDE, outcome="approved")
    one, other = asked(), asked(approval(title="Another?"))
    for tasks, wanted, code in (
        ([one, other], approve, "not_one_type"),
        ([one], deciding_together(ann, [one], "maybe"), "not_in_bulk"),
        ([asked(approval(form=SHOE))], approve, "not_in_bulk"),
        ([], approve, "bad_count"),
    ):
        with pytest.raises(Invalid) as refused:
            bulk.act(ann, ids(tasks), wanted)
        assert refused.value.code == code
    assert {again(one).status, again(other).status} == {"OPEN"}
    with pytest.raises(Invalid, match="1 to 200"):
        bulk.act(ann, [UUID(int=n) for n in range(201)], approve)


def test_a_reason_that_is_needed_is_needed_of_each():
    ann, tasks = member("ann"), several(2)
    refused = bulk.act(ann, ids(tasks), deciding_together(ann, ids(tasks), "rejected"))
    assert results(refused) == [("refused", "required")] * 2
    assert (
        results(bulk.act(ann, ids(tasks), deciding_together(ann, ids(tasks), "rejected", comment="no")))
        == [("done", None)] * 2
    )


def test_what_is_decided_together_is_shown_with_its_sums():
    ann, tasks = member("ann"), several(3)
    shown = bulk.review(ann, ids(tasks))
    assert [one["task"].pk for one in shown["tasks"]] == ids(tasks)
    assert (shown["sums"], [one["name"] for one in shown["outcomes"]]) == (
        [("Amount", "3")],
        ["approved", "rejected"],
    )
    with pytest.raises(Invalid, match="several types"):
        bulk.review(ann, [tasks[0].pk, asked().pk])


def test_a_search_says_which_tasks():
    ann, tasks = member("ann"), several(3)
    assert set(bulk.found_by(ann, "teams", "data.amount>=1")) == set(ids(tasks[1:]))


def test_another_tenants_tasks_are_not_there():
    make.start(approval(), {"amount": 1}, tenant=make.a_tenant("theirs"))
    make.work()
    theirs = ManualTask.unsafe_all_tenants.get()
    assert results(bulk.act(member("ann"), [theirs.pk], BulkCommand(bulk.CLAIM))) == [
        ("refused", "not_found")
    ]


def test_decisions_that_can_be_undone_are_held_back_and_count_together(clock, settings):
    settings.HANDOFF_UNDO_SECONDS = 10
    ann, bob, tasks = member("ann"), member("bob"), several(4)
    decide(bob, tasks[1])
    seen = {str(task.pk): ledger.shown_hash(task) for task in tasks} | {str(tasks[2].pk): "another"}
    wanted = BulkCommand(bulk.DECIDE, outcome="approved", comment="All fine", seen=seen, undoable=True)
    found = bulk.act(ann, ids(tasks), wanted)
    assert results(found) == [
        ("done", None),
        ("refused", "decided_already"),
        ("refused", "task_changed"),
        ("done", None),
    ]
    assert found[0]["held_until"] == found[3]["held_until"]
    assert (found[1]["held_until"], found[2]["held_until"]) == (None, None)
    assert [again(task).status for task in (tasks[0], tasks[3])] == ["OPEN"] * 2
    clock.advance(11)
    assert settling.tick() == 2
    written = TaskDecision.unsafe_all_tenants.filter(by="ann").order_by("seq")
    assert {(one.task_id, one.comment) for one in written} == {(tasks[n].pk, "All fine") for n in (0, 3)}
    assert len({one.digest for one in written}) == 2


def test_what_was_decided_together_waits_until_the_last_of_it_counts(clock, settings):
    settings.HANDOFF_UNDO_SECONDS = 10
    ann, tasks = member("ann"), several(2)
    batch = UUID(int=7)
    for task in tasks:
        holding.hold_decision(ann, task.pk, Decision("approved", seen=read(ann, task)), batch=batch)
        clock.advance(4)
    until = holding.count_together(ann, batch)
    assert (len(until), len(set(until.values()))) == (2, 1)
    clock.advance(4)
    assert settling.tick() == 0
    clock.advance(3)
    assert settling.tick() == 2


def test_none_of_it_counts_while_the_others_are_still_being_decided(clock, settings):
    settings.HANDOFF_UNDO_SECONDS = 10
    ann, tasks = member("ann"), several(2)
    batch = UUID(int=7)
    holding.hold_decision(ann, tasks[0].pk, Decision("approved", seen=read(ann, tasks[0])), batch=batch)
    clock.advance(11)
    assert settling.tick() == 0
    holding.hold_decision(ann, tasks[1].pk, Decision("approved", seen=read(ann, tasks[1])), batch=batch)
    assert len(set(holding.count_together(ann, batch).values())) == 1
    clock.advance(9)
    assert settling.tick() == 0
    clock.advance(2)
    assert settling.tick() == 2


def test_all_of_it_is_undone_that_does_not_count_yet(clock, settings):
    settings.HANDOFF_UNDO_SECONDS = 10
    ann, bob, tasks = member("ann"), member("bob"), several(3)
    bulk.act(ann, ids(tasks[:2]), deciding_together(ann, ids(tasks[:2]), "approved", undoable=True))
    with pytest.raises(Forbidden):
        bulk.act(member("vic", "viewer"), ids(tasks), BulkCommand(bulk.UNDO))
    assert results(bulk.act(bob, ids(tasks), BulkCommand(bulk.UNDO))) == [("refused", "nothing_to_undo")] * 3
    decide(ann, tasks[1])
    assert results(bulk.act(ann, ids(tasks), BulkCommand(bulk.UNDO))) == [
        ("done", None),
        ("refused", "nothing_to_undo"),
        ("refused", "nothing_to_undo"),
    ]
    clock.advance(11)
    assert (settling.tick(), again(tasks[0]).status) == (0, "OPEN")


def test_what_did_not_count_is_not_said_to_be_taken_back(clock, settings):
    settings.HANDOFF_UNDO_SECONDS = 10
    ann, tasks = member("ann"), several(2)
    bulk.act(ann, ids(tasks), deciding_together(ann, ids(tasks), "approved", undoable=True))
    ManualTask.unsafe_all_tenants.filter(pk=tasks[0].pk).update(exclude=["ann"])
    clock.advance(11)
    settling.tick()
    undone = bulk.act(ann, ids(tasks), BulkCommand(bulk.UNDO))
    assert results(undone) == [("refused", "nothing_to_undo")] * 2
    assert undone[0]["message"].startswith("It did not count: You are excluded")
    assert "nothing left to undo" in undone[1]["message"]


@pytest.mark.parametrize("undo_seconds", [None, 0])
def test_what_can_not_be_undone_counts_at_once(settings, undo_seconds):
    settings.HANDOFF_UNDO_SECONDS = 0 if undo_seconds is None else 10
    tasks = several(2, **({} if undo_seconds is None else {"undo_seconds": undo_seconds}))
    found = bulk.act(
        ann := member("ann"), ids(tasks), deciding_together(ann, ids(tasks), "approved", undoable=True)
    )
    assert [(one["result"], one["held_until"]) for one in found] == [("done", None)] * 2
    assert {again(task).status for task in tasks} == {"COMPLETED"}


def test_over_rest_each_result_says_whether_it_is_held_back(settings):
    settings.HANDOFF_UNDO_SECONDS = 10
    ann, tasks = Person("ann"), [str(task.pk) for task in several(2)]
    asks = {"action": "decide", "ids": tasks, "outcome": "approved"}
    held = ann.post("tasks/bulk", {**asks, "undoable": True}).json()["results"]
    assert [(one["result"], one["held_until"] is None) for one in held] == [("done", False)] * 2
    assert ann.get(f"tasks/{tasks[0]}").json()["held"]["until"] == held[0]["held_until"]
    undone = ann.post("tasks/bulk", {"action": "undo", "ids": tasks}).json()["results"]
    assert [(one["result"], one["held_until"]) for one in undone] == [("done", None)] * 2
    at_once = ann.post("tasks/bulk", asks).json()["results"]
    assert [one["held_until"] for one in at_once] == [None] * 2
    assert ann.get(f"tasks/{tasks[0]}").json()["status"] == "COMPLETED"

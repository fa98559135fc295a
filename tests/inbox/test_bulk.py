"""One thing done with many tasks: each by itself, with its own answer and its own evidence (UX screen 3, "Bulk")."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from accounts.principal import Forbidden
from lib.refusals import Invalid
from tasks_inbox import bulk, evidence
from tasks_inbox.bulk import Wanted
from tasks_inbox.models import ManualTask, TaskDecision, TaskNote
from tests import factories as make
from tests.inbox.asking import again, approval, asked, decide, member, task_of

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
    seen = {str(task.pk): evidence.shown_hash(task) for task in tasks}
    seen[str(tasks[2].pk)] = "another"
    nobody = UUID(int=1)
    wanted = Wanted(bulk.DECIDE, outcome="approved", comment="All fine", seen=seen)
    found = bulk.act(ann, [*ids(tasks), nobody, tasks[0].pk], wanted)
    assert results(found) == [
        ("done", None),
        ("refused", "decided_already"),
        ("refused", "task_changed"),
        ("done", None),
        ("refused", "not_found"),
    ]
    assert "bob decided this already" in found[1]["message"]
    written = TaskDecision.unsafe_all_tenants.filter(by="ann").order_by("seq")
    assert [(one.task_id, one.comment) for one in written] == [(tasks[n].pk, "All fine") for n in (0, 3)]


def test_tasks_are_claimed_assigned_and_snoozed_whatever_they_are():
    ann, boss = member("ann"), member("boss", "admin")
    tasks = [asked(), asked(approval(candidates={"users": ["bob"]}))]
    assert results(bulk.act(ann, ids(tasks), Wanted(bulk.CLAIM))) == [
        ("done", None),
        ("refused", "not_a_candidate"),
    ]
    assert results(bulk.act(boss, ids(tasks), Wanted(bulk.ASSIGN, assignee="ann")))[0] == ("done", None)
    until = datetime.now(UTC) + timedelta(hours=2)
    assert results(bulk.act(ann, ids(tasks), Wanted(bulk.SNOOZE, until=until))) == [("done", None)] * 2
    assert TaskNote.unsafe_all_tenants.filter(username="ann").count() == 2
    with pytest.raises(Forbidden):
        bulk.act(ann, ids(tasks), Wanted(bulk.ASSIGN, assignee="ann"))
    with pytest.raises(Forbidden):
        bulk.act(member("vic", "viewer"), ids(tasks), Wanted(bulk.CLAIM))


def test_only_tasks_of_one_type_and_outcomes_that_ask_for_nothing_are_decided_together():
    ann, approve = member("ann"), Wanted(bulk.DECIDE, outcome="approved")
    one, other = asked(), asked(approval(title="Another?"))
    for tasks, wanted, code in (
        ([one, other], approve, "not_one_type"),
        ([one], Wanted(bulk.DECIDE, outcome="maybe"), "not_in_bulk"),
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
    refused = bulk.act(ann, ids(tasks), Wanted(bulk.DECIDE, outcome="rejected"))
    assert results(refused) == [("refused", "required")] * 2
    assert (
        results(bulk.act(ann, ids(tasks), Wanted(bulk.DECIDE, outcome="rejected", comment="no")))
        == [("done", None)] * 2
    )


def test_what_is_decided_together_is_shown_with_its_sums():
    ann, tasks = member("ann"), several(3)
    shown = bulk.review(ann, ids(tasks))
    assert [one["task"].pk for one in shown["tasks"]] == ids(tasks)
    assert (shown["sums"], [one["name"] for one in shown["outcomes"]]) == (
        [("Amount", 3)],
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
    assert results(bulk.act(member("ann"), [theirs.pk], Wanted(bulk.CLAIM))) == [("refused", "not_found")]

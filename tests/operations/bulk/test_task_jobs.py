"""All tasks that match a search are claimed, assigned, snoozed or decided by a bulk job, each with its own result."""

from datetime import UTC, datetime, timedelta

import pytest

from accounts.models import Membership
from lib.refusals import Conflict, Invalid, Missing
from operations.bulk import service, work
from operations.bulk.access import guard_bulk_job
from operations.bulk.models import BulkItem
from operations.bulk.rights import Actors
from operations.bulk.tasks import begin_tasks
from tasks_inbox.actions.bulk import ASSIGN, CLAIM, DECIDE, SNOOZE, BulkCommand
from tasks_inbox.models import ManualTask, TaskDecision, TaskNote
from tests import factories as make
from tests.inbox.asking import approval, asked, decide, member, task_of
from tests.operations.bulk.test_jobs import ALL, counted

pytestmark = pytest.mark.django_db

APPROVE = BulkCommand(DECIDE, outcome="approved", comment="All fine")
SHOE = {"type": "object", "properties": {"shoe": {"type": "integer"}}, "required": ["shoe"]}


def several(count, **params):
    """So many tasks of one step."""
    runs = make.start(
        approval(facts={"Amount": "{{ input.amount }}"}, **params), *({"amount": n} for n in range(count))
    )
    make.work()
    return [task_of(run) for run in runs]


def reviewed(who, command, query="", **terms):
    job = begin_tasks(who, command, query, dry_run=True, **terms)
    work.work(ALL, job.pk)
    return job


def done(who, command, query="", **terms):
    dry = reviewed(who, command, query, **terms)
    job = service.go(who, dry.pk, reason="")
    work.work(ALL, job.pk)
    return job


def rows(job):
    items = BulkItem.unsafe_all_tenants.filter(job_id=job.pk)
    return {item.target_id: (item.result, item.code) for item in items}


def test_each_task_that_matches_is_decided_with_evidence_and_the_others_stay():
    ann, tasks = member("ann"), several(5)
    job = done(ann, APPROVE, "data.amount>=1")
    assert counted(job) == {"done": 4}
    assert {task.pk for task in tasks[1:]} == set(
        TaskDecision.unsafe_all_tenants.filter(by="ann", comment="All fine").values_list("task_id", flat=True)
    )
    assert ManualTask.unsafe_all_tenants.get(pk=tasks[0].pk).status == "OPEN"


def test_a_task_that_one_may_not_decide_is_refused_in_its_row():
    boss, tasks = member("boss", "admin"), several(2)
    several(1, candidates={"users": ["bob"]})
    ManualTask.unsafe_all_tenants.filter(pk=tasks[0].pk).update(exclude=["boss"])
    (other,) = ManualTask.unsafe_all_tenants.exclude(pk__in=[task.pk for task in tasks])
    run = tasks[0].run_id
    dry = reviewed(boss, APPROVE, view=None, run=run)
    assert rows(dry) == {tasks[0].pk: ("refused", "excluded")}
    dry = reviewed(boss, BulkCommand(CLAIM), view=None, run=other.run_id)
    assert rows(dry) == {other.pk: ("refused", "not_a_candidate")}


def test_who_is_faster_decides_and_the_other_reads_who_it_was():
    ann, bob, tasks = member("ann"), member("bob"), several(3)
    dry, theirs = reviewed(ann, APPROVE), reviewed(bob, APPROVE)
    assert counted(dry) == counted(theirs) == {"able": 3}
    mine, other = service.go(ann, dry.pk, reason=""), service.go(bob, theirs.pk, reason="")
    work.work(ALL, mine.pk)
    work.work(ALL, other.pk)
    assert (counted(mine), counted(other)) == ({"done": 3}, {"refused": 3})
    (reason,) = service.reasons_of(other)
    assert (reason.code, reason.count) == ("decided_already", 3)
    for item in service.items_of(other):
        assert item.message.startswith("ann already decided this: ")
    assert TaskDecision.unsafe_all_tenants.filter(task_id__in=[task.pk for task in tasks]).count() == 3


def test_a_task_that_was_changed_since_the_review_is_refused():
    ann, (first, second) = member("ann"), several(2)
    dry = reviewed(ann, APPROVE)
    ManualTask.unsafe_all_tenants.filter(pk=first.pk).update(title="Another?")
    job = service.go(ann, dry.pk, reason="")
    work.work(ALL, job.pk)
    assert rows(job) == {first.pk: ("refused", "task_changed"), second.pk: ("done", "")}


def test_decisions_are_reviewed_first_and_only_by_who_decides():
    ann, bob = member("ann"), member("bob")
    several(1)
    with pytest.raises(Conflict, match="reviewed first"):
        begin_tasks(ann, APPROVE, "")
    dry = reviewed(ann, APPROVE)
    with pytest.raises(Missing):
        guard_bulk_job(bob, "tasks:decide", dry.pk)
    with pytest.raises(Conflict, match="ann has reviewed these tasks"):
        service.go(member("boss", "admin"), dry.pk, reason="")


def test_only_tasks_of_one_step_and_outcomes_that_need_nothing_are_decided():
    ann = member("ann")
    asked(approval(form=SHOE))
    assert list(rows(reviewed(ann, APPROVE)).values()) == [("refused", "not_in_bulk")]
    asked(approval(title="Another?"))
    with pytest.raises(Invalid) as refused:
        reviewed(ann, APPROVE)
    assert (refused.value.code, refused.value.field) == ("not_one_type", "query")
    needed = reviewed(ann, BulkCommand(DECIDE, outcome="rejected"), "another")
    assert list(rows(needed).values()) == [("refused", "required")]


def test_tasks_are_claimed_assigned_and_snoozed():
    ann, boss, tasks = member("ann"), member("boss", "admin"), several(3)
    assert counted(done(boss, BulkCommand(ASSIGN, assignee="Ann"))) == {"done": 3}
    assert {ManualTask.unsafe_all_tenants.get(pk=task.pk).assignee for task in tasks} == {"ann"}
    until = datetime.now(UTC) + timedelta(hours=2)
    assert counted(done(ann, BulkCommand(SNOOZE, until=until), view="mine")) == {"done": 3}
    assert TaskNote.unsafe_all_tenants.filter(username="ann", snoozed_until=until).count() == 3
    more = several(2)
    assert counted(done(ann, BulkCommand(CLAIM))) == {"done": 2}
    assert {ManualTask.unsafe_all_tenants.get(pk=task.pk).assignee for task in more} == {"ann"}
    # What ann has, bob is refused.
    bob = member("bob")
    run = more[0].run_id
    assert rows(reviewed(bob, BulkCommand(CLAIM), view=None, run=run)) == {more[0].pk: ("refused", "claimed")}


@pytest.mark.parametrize(
    ("command", "field"),
    [
        (BulkCommand("undo"), "verb"),
        (BulkCommand(CLAIM, assignee="ann"), "assignee"),
        (BulkCommand(ASSIGN), "assignee"),
        (BulkCommand(ASSIGN, assignee="nobody"), "assignee"),
        (BulkCommand(SNOOZE), "until"),
        (BulkCommand(DECIDE), "outcome"),
    ],
)
def test_what_a_verb_needs_or_does_not_take_is_refused_at_the_field(command, field):
    with pytest.raises(Invalid) as refused:
        begin_tasks(member("boss", "admin"), command, "", dry_run=True)
    assert refused.value.field == field


def test_who_has_lost_the_right_meanwhile_decides_no_more():
    ann, tasks = member("ann"), several(3)
    dry = reviewed(ann, APPROVE)
    job = service.go(ann, dry.pk, reason="")
    assert work._one(Actors())
    Membership.unsafe_all_tenants.filter(user__username="ann").update(role="viewer")
    work.work(ALL)
    assert counted(job) == {"done": 1, "refused": 2}
    (reason,) = service.reasons_of(job)
    assert reason.message == "It acts for ann, whose role (viewer) may not decide tasks."
    assert (
        ManualTask.unsafe_all_tenants.filter(pk__in=[task.pk for task in tasks], status="OPEN").count() == 2
    )


def test_a_decision_by_somebody_else_before_the_review_is_not_found():
    ann, bob, (first, second) = member("ann"), member("bob"), several(2, exclude=[])
    decide(bob, first, "approved")
    assert rows(reviewed(ann, APPROVE)) == {second.pk: ("able", "")}


def test_too_many_tasks_are_refused_and_never_left_out(monkeypatch):
    monkeypatch.setattr("operations.bulk.tasks.JOB_RUNS", 2)
    several(3)
    with pytest.raises(Invalid, match="more than 2 tasks"):
        begin_tasks(member("ann"), BulkCommand(CLAIM), "", dry_run=True)

"""Bulk jobs whose verb needs something beside the runs: a version to go on with, or somebody to give tasks to."""

from dataclasses import replace

import pytest

from accounts.models import FolderGrant
from accounts.principal import NOWHERE, Forbidden
from lib.refusals import Conflict, Invalid
from operations.bulk import service, work
from operations.bulk.aims import Aim
from operations.bulk.models import BulkJob
from tests import factories as make
from tests.inbox import asking
from tests.inbox.asking import approval, member, task_of
from tests.operations.bulk.test_jobs import ALL, NEW, counted, waiting

pytestmark = pytest.mark.django_db


def asked(count, definition=None):
    run_ids = make.start(
        definition or approval(candidates={"groups": ["Refunds"]}), *[{"amount": 40}] * count
    )
    make.work()
    return run_ids


def workflow_of(run_id):
    return make.run(run_id).version.workflow.name


def done(job):
    work.work(ALL)
    return counted(job)


def test_open_tasks_are_given_to_somebody_whom_they_ask_first_only_looked_at():
    run_ids = asked(3)
    boss, ann = member("boss", "admin"), member("ann", "approver", "Refunds")
    aim = Aim(assignee="ann")
    dry = service.begin_verb(boss, "reassign", f"workflow:{workflow_of(run_ids[0])}", aim=aim, dry_run=True)
    assert done(dry) == {"able": 3}
    assert {task_of(run).assignee for run in run_ids} == {None}
    asking.decide(ann, task_of(run_ids[0]))
    make.work()
    job = service.go(boss, dry.pk, reason="bob has left")
    assert done(job) == {"done": 2, "ended": 1}
    assert [task_of(run).assignee for run in run_ids[1:]] == ["ann", "ann"]
    assert (job.assignee, job.reason) == ("ann", "bob has left")


def test_whom_a_task_does_not_ask_gets_it_not_and_the_reason_is_told_of_each_run():
    theirs, others = asked(1), asked(1, approval(candidates={"groups": ["Others"]}))
    member("ann", "approver", "Refunds"), member("eve", "approver", "Others")
    job = service.begin_verb(member("boss", "admin"), "reassign", "status:open", aim=Aim(assignee="ann"))
    assert done(job) == {"done": 1, "refused": 1}
    assert task_of(theirs[0]).assignee == "ann"
    assert task_of(others[0]).assignee is None
    assert [one.message for one in service.reasons_of(job)] == ["ann may not decide this task."]


def test_tasks_are_left_to_a_group_that_they_ask():
    mine, others = asked(1), asked(1, approval(candidates={"groups": ["Others"]}))
    boss = member("boss", "admin")
    member("ann", "approver", "Refunds"), member("eve", "approver", "Others")
    service.begin_verb(boss, "reassign", "status:open", aim=Aim(assignee="ann"))
    work.work(ALL)
    job = service.begin_verb(boss, "reassign", "status:open", aim=Aim(group="refunds"))
    assert done(job) == {"done": 1, "refused": 1}
    assert task_of(mine[0]).assignee is None
    assert [one.code for one in service.reasons_of(job)] == ["not_a_candidate"]
    assert task_of(others[0]).assignee is None


def test_who_may_no_more_when_the_turn_comes_gives_nothing():
    run_ids = asked(1)
    member("ann", "approver", "Refunds")
    job = service.begin_verb(member("ops", "operator"), "reassign", "status:open", aim=Aim(assignee="ann"))
    assert job.total == 1
    FolderGrant.unsafe_all_tenants.all().delete()
    assert done(job) == {"refused": 1}
    assert task_of(run_ids[0]).assignee is None


def test_who_may_operate_nothing_takes_no_run():
    asked(1)
    member("ann", "approver", "Refunds")
    who = replace(member("eve", "operator"), reach=NOWHERE)
    assert service.begin_verb(who, "reassign", "status:open", aim=Aim(assignee="ann")).total == 0
    with pytest.raises(Forbidden):
        service.begin_verb(member("amy", "viewer"), "reassign", "status:open", aim=Aim(assignee="ann"))


def test_runs_that_ask_nobody_are_not_taken():
    waiting(1), asked(1)
    member("ann", "approver", "Refunds")
    job = service.begin_verb(member("boss", "admin"), "reassign", "status:open", aim=Aim(assignee="ann"))
    assert job.total == 1


@pytest.mark.parametrize(
    ("verb", "aim", "field"),
    [
        ("reassign", Aim(), "assignee"),
        ("reassign", Aim(assignee="ann", group="Refunds"), "assignee"),
        ("reassign", Aim(assignee="nobody"), "assignee"),
        ("reassign", Aim(assignee="vic"), "assignee"),
        ("reassign", Aim(group="Nobodies"), "group"),
        ("reassign", Aim(version=2, assignee="ann"), "version"),
        ("migrate", Aim(), "version"),
        ("migrate", Aim(version=9), "version"),
        ("migrate", Aim(version=1, group="Refunds"), "group"),
        ("cancel", Aim(version=1), "version"),
        ("pause", Aim(assignee="ann"), "assignee"),
        ("explode", Aim(), "verb"),
    ],
)
def test_what_a_verb_needs_and_what_it_does_not_take_is_told_at_its_field(verb, aim, field):
    (run_id,) = waiting(1)
    member("ann", "approver", "Refunds"), member("vic", "viewer")
    with pytest.raises(Invalid) as refusal:
        service.begin_verb(member("boss", "admin"), verb, f"workflow:{workflow_of(run_id)}", aim=aim)
    assert refusal.value.field == field
    assert not BulkJob.unsafe_all_tenants.exists()


def test_versions_are_of_one_workflow():
    waiting(1)
    with pytest.raises(Invalid, match="one workflow") as refusal:
        service.begin_verb(member("boss", "admin"), "migrate", "status:open", aim=Aim(version=1))
    assert refusal.value.field == "query"


def test_open_runs_that_a_search_has_found_go_on_with_a_version_whatever_theirs():
    run_ids = waiting(4)
    newer = make.newer(run_ids[0], NEW)
    make.newer(run_ids[0], NEW)
    make.cancel(run_ids[1])
    make.send(run_ids[2], "paid")
    (held,) = make.claimed()
    boss, name = member("boss", "admin"), newer.workflow.name
    dry = service.begin_verb(boss, "migrate", f"workflow:{name} input.n<3", aim=Aim(version=2), dry_run=True)
    assert done(dry) == {"able": 1, "refused": 1}
    job = service.go(boss, dry.pk, reason="a fix")
    assert done(job) == {"moved": 1}
    assert [make.run(run).version.number for run in run_ids] == [2, 1, 1, 1]
    again = service.begin_verb(boss, "migrate", f"workflow:{name}", aim=Aim(version=3))
    make.complete(held)
    assert done(again) == {"moved": 2, "ended": 1}
    assert [make.run(run).version.number for run in run_ids] == [3, 1, 1, 3]


def test_a_job_is_stopped_before_its_end():
    asked(2)
    member("ann", "approver", "Refunds")
    boss = member("boss", "admin")
    job = service.begin_verb(boss, "reassign", "status:open", aim=Aim(assignee="ann"))
    service.stop(boss, job.pk)
    assert done(job) == {"stopped": 2}
    with pytest.raises(Conflict):
        service.stop(boss, job.pk)

"""Bulk jobs, which move the open runs of a version (R-010) or do a verb: nobody is left out, whatever happens."""

from dataclasses import replace

import pytest
from django.db import OperationalError

from accounts.principal import NOWHERE
from accounts.roles import RUNS_READ
from lib.refusals import Conflict, Invalid, Missing
from operations.bulk import service, store, work
from operations.bulk.access import guard_bulk_job, readable_bulk_jobs
from operations.bulk.models import BulkItem, BulkJob
from runs.models import Run
from tests import factories as make
from tests.inbox.asking import member
from tests.store.watching import watching

pytestmark = pytest.mark.django_db

ALL = 60.0
"""Seconds for whatever a bulk job has left, also on a busy machine."""
SIGNAL = {"id": "b", "type": "signal", "params": {"name": "paid"}}
OLD = make.graph([SIGNAL, "c"], ["b>c"])
NEW = make.graph([SIGNAL, "x", "c"], ["b>x", "x>c"])


def waiting(count):
    run_ids = make.start(OLD, *[{"n": n} for n in range(count)])
    make.work()
    return run_ids


def begun(run_ids, definition=NEW, **terms):
    make.newer(run_ids[0], definition)
    return service.begin(member("ann", "admin"), make.run(run_ids[0]).version.workflow.name, 1, 2, **terms)


def counted(job):
    job.refresh_from_db()
    counts = service.counts_of(job)
    assert sum(counts.values()) == job.total
    return {result: count for result, count in counts.items() if count}


def test_every_open_run_is_moved_and_goes_on_by_the_other_version():
    run_ids = waiting(3)
    job = begun(run_ids, reason="a fix")
    assert (job.total, counted(job)) == (3, {"pending": 3})

    assert work.work(ALL) == 3

    assert counted(job) == {"moved": 3}
    assert job.finished_at is not None
    for run_id in run_ids:
        assert make.events(run_id, "RUN_MIGRATED")[0].payload == {
            "by": "ann",
            "reason": "a fix",
            "job": str(job.pk),
            "from": 1,
            "version": 2,
        }
        make.send(run_id, "paid")
    make.work()
    assert {make.run(run_id).status for run_id in run_ids} == {"COMPLETED"}


def test_a_dry_run_moves_nothing():
    run_ids = waiting(2)
    job = begun(run_ids, dry_run=True)
    work.work(ALL)

    assert counted(job) == {"able": 2}
    assert {make.run(run_id).version.number for run_id in run_ids} == {1}


@pytest.mark.parametrize("dry_run", [False, True])
def test_what_can_not_move_and_what_has_ended_is_told_by_its_own_reason(dry_run):
    run_ids = waiting(4)
    busy, over, closing = run_ids[:3]
    Run.unsafe_all_tenants.filter(pk=closing).update(status="CANCELLING")
    job = begun(run_ids, dry_run=dry_run)
    make.send(busy, "paid")
    (held,) = make.claimed()
    make.cancel(over)

    work.work(ALL)

    assert counted(job) == {"refused": 2, "ended": 1, "able" if dry_run else "moved": 1}
    items = {str(item.run_id): (item.code, item.node) for item in service.items_of(job)}
    assert items[busy] == ("being_worked_on", "c")
    assert (items[closing], items[over]) == (("not_open", None), ("ended", None))
    assert [reason.count for reason in service.reasons_of(job)] == [1, 1]
    Run.unsafe_all_tenants.filter(pk=closing).update(status="RUNNING")
    make.complete(held)


def test_a_step_that_the_version_has_not_is_named_for_each_run():
    job = begun(waiting(2), make.graph(["c"], []))
    work.work(ALL)

    (reason,) = service.reasons_of(job)
    assert (reason.code, reason.node, reason.count) == ("step_gone", "b", 2)


def test_many_reasons_are_told_in_two_statements_each_with_a_run():
    run_ids = waiting(3)
    job = begun(run_ids, make.graph(["c"], []))
    for run_id in run_ids:
        BulkItem.unsafe_all_tenants.filter(run_id=run_id).update(
            result="refused", code="step_gone", message=run_id
        )
    with watching() as wire:
        reasons = service.reasons_of(job)
    assert wire.trips == 2
    told = {reason.message: (reason.count, str(reason.item.run_id)) for reason in reasons}
    assert told == {run_id: (1, run_id) for run_id in run_ids}


def test_a_job_of_no_runs_is_finished_at_once():
    run_ids = waiting(1)
    make.cancel(run_ids[0])

    job = begun(run_ids)

    assert (job.total, job.finished_at is not None) == (0, True)


def test_one_and_the_same_version_is_refused():
    run_ids = waiting(1)
    with pytest.raises(Conflict, match="another version"):
        service.begin(member("ann", "admin"), make.run(run_ids[0]).version.workflow.name, 1, 1)


def test_a_worker_that_dies_between_two_runs_leaves_the_rest_to_the_next(monkeypatch):
    run_ids = waiting(3)
    job = begun(run_ids)

    class Killed(BaseException):
        pass

    def kill(*_):
        if counted(job).get("moved") == 1:
            raise Killed
        return next_item()

    next_item = store.next_item
    monkeypatch.setattr(store, "next_item", kill)
    with pytest.raises(Killed):
        work.work(ALL)
    assert counted(job) == {"moved": 1, "pending": 2}
    monkeypatch.undo()

    work.work(ALL)

    assert counted(job) == {"moved": 3}
    assert [make.history(run_id).count("RUN_MIGRATED") for run_id in run_ids] == [1, 1, 1]


def test_a_run_that_others_are_busy_with_comes_last_and_is_refused_in_the_end(monkeypatch):
    run_ids = waiting(2)
    job = begun(run_ids)
    migrate = work.migrate_run

    def busy(tenant, run, *args, **terms):
        if run == run_ids[0]:
            raise OperationalError("canceling statement due to lock timeout")
        migrate(tenant, run, *args, **terms)

    monkeypatch.setattr(work, "migrate_run", busy)
    monkeypatch.setattr(work, "is_away", lambda _: False)

    work.work(seconds=10)

    assert counted(job) == {"moved": 1, "refused": 1}
    assert BulkItem.unsafe_all_tenants.get(run_id=run_ids[0]).code == "busy"


def test_a_job_that_is_stopped_leaves_what_is_left_as_it_is():
    job = begun(waiting(3))
    work.work(seconds=0)
    store.end_item(BulkItem.unsafe_all_tenants.order_by("id").first().pk, "moved")

    stopped = service.stop(member("bob", "admin"), job.pk)

    assert counted(job) == {"moved": 1, "stopped": 2}
    assert (stopped.stopped_by, stopped.finished_at is None) == ("bob", False)
    assert work.work(ALL) == 0
    with pytest.raises(Conflict, match="already over"):
        service.stop(member("bob", "admin"), job.pk)


def test_a_run_in_hand_when_the_job_is_stopped_is_not_tried_again():
    job = begun(waiting(2))
    item = BulkItem.unsafe_all_tenants.order_by("id").first().pk
    BulkJob.unsafe_all_tenants.filter(pk=job.pk).update(stopped_by="bob")

    store.put_off(item)

    assert work.work(ALL) == 0
    assert counted(job) == {"stopped": 2}
    assert job.finished_at is None
    work.work(ALL)
    job.refresh_from_db()
    assert job.finished_at is not None


def test_a_defect_with_one_run_is_told_of_that_run_and_holds_no_other_up(monkeypatch):
    run_ids = waiting(2)
    job = begun(run_ids)
    migrate = work.migrate_run

    def broken(tenant, run, *args, **terms):
        if run == run_ids[0]:
            raise ZeroDivisionError
        migrate(tenant, run, *args, **terms)

    monkeypatch.setattr(work, "migrate_run", broken)
    work.work(ALL)

    assert counted(job) == {"moved": 1, "refused": 1}


class TestVerbs:
    """Done to all runs that a search has found."""

    def test_all_that_match_and_allow_it_are_cancelled_each_with_the_reason(self):
        run_ids = waiting(3)
        make.cancel(run_ids[0])
        who, name = member("ann", "admin"), make.run(run_ids[0]).version.workflow.name

        dry = service.begin_verb(who, "cancel", f"workflow:{name} input.n>=0", dry_run=True)
        work.work(ALL)
        assert (counted(dry), dry.workflow.name) == ({"able": 2}, name)
        assert make.run(run_ids[1]).status == "RUNNING"
        job = service.go(who, dry.pk, reason="a typo")
        work.work(ALL)

        assert (counted(job), job.query) == ({"done": 2}, dry.query)
        assert [make.run(run_id).status for run_id in run_ids] == ["CANCELLED"] * 3
        for run_id in run_ids[1:]:
            assert "a typo" in {
                event.payload.get("reason") for event in make.events(run_id, "RUN_CANCELLING")
            }

    def test_what_has_ended_or_refuses_meanwhile_is_told_of_that_run(self):
        run_ids = waiting(3)
        name, who = make.run(run_ids[0]).version.workflow.name, member("ann", "admin")
        job = service.begin_verb(who, "pause", f"workflow:{name}")
        make.cancel(run_ids[0])
        make.pause(run_ids[1])

        work.work(ALL)

        assert counted(job) == {"done": 1, "refused": 1, "ended": 1}
        assert [(one.code, str(one.item.run_id)) for one in service.reasons_of(job)] == [
            ("not_running", run_ids[1])
        ]

    def test_only_those_that_somebody_may_operate_are_taken(self):
        waiting(2)
        who = replace(member("eve", "operator"), reach=NOWHERE)

        assert service.begin_verb(who, "cancel", "status:open").total == 0

    def test_a_job_of_several_workflows_is_for_who_began_it_and_for_admins(self):
        job = service.begin_verb(member("ann", "operator"), "cancel", "status:open")
        stranger = replace(member("eve", "operator"), reach=NOWHERE)

        assert job.workflow is None
        guard_bulk_job(member("bob", "admin"), RUNS_READ, job.pk)
        with pytest.raises(Missing):
            guard_bulk_job(stranger, RUNS_READ, job.pk)
        assert list(readable_bulk_jobs(service.jobs_of(job.tenant_id), stranger)) == []

    @pytest.mark.parametrize("query", ["siemens", "", "status:none", "workflow:there-is-none"])
    def test_what_can_not_be_searched_in_all_runs_is_refused(self, query):
        with pytest.raises((Invalid, Missing)):
            service.begin_verb(member("ann", "admin"), "cancel", query)
        assert not BulkJob.unsafe_all_tenants.exists()

    def test_a_job_that_was_no_dry_run_or_goes_on_is_not_gone_on_with(self):
        waiting(1)
        who = member("ann", "admin")
        for dry_run in (False, True):
            job = service.begin_verb(who, "cancel", "status:open", dry_run=dry_run)
            with pytest.raises(Conflict):
                service.go(who, job.pk, reason="now")


def test_making_a_job_takes_as_many_statements_for_many_runs_as_for_one():
    costs = []
    for count in (1, 20):
        run_ids = waiting(count)
        make.newer(run_ids[0], NEW)
        name, who = make.run(run_ids[0]).version.workflow.name, member(f"ann{count}", "admin")
        with watching() as seen:
            service.begin(who, name, 1, 2)
        costs.append(seen.trips)

    assert costs[0] == costs[1]

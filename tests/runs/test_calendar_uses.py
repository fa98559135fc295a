"""Who uses a calendar, what a change moves, and by which revision each due date was counted (R-122)."""

from datetime import timedelta

import pytest

from runs.calendars import calendars
from runs.calendars.uses import uses_of
from runs.models import Calendar, Run, StepExecution, Timer
from runs.reading.presentation import run_row
from tasks_inbox.models import ManualTask
from tests import factories as make
from tests.runs.folder_calendars import (
    WEEKEND,
    admin,
    begun,
    finance,
    fiona,
    friday,
    office,
    outsider,
    published,
    published_again,
    refused_delete,
    schedule,
    waits,
)
from tests.store.watching import watching
from triggers.schedules.models import Schedule
from workflows.versions import lifecycle

__all__ = ["admin", "finance", "fiona", "friday", "outsider"]
pytestmark = pytest.mark.django_db


def everything():
    """A workflow whose deadline, wait, timer and task are counted by the calendar."""
    wait = waits()["nodes"][0]
    timed = {
        "id": "s",
        "type": "signal",
        "params": {"name": "go"},
        "boundary_timers": [{"duration": "2 business days", "calendar": "Office", "to": "n"}],
    }
    params = {
        "title": "Pay?",
        "calendar": "Office",
        "due_working_days": 3,
        "candidates": {"users": ["ada"]},
    }
    task = {"id": "t", "type": "human.approval", "params": params}
    return {
        "name": "pays",
        "sla_working_days": 4,
        "sla_calendar": "Office",
        "nodes": [wait, timed, task, {"id": "n", "type": "noop"}],
        "edges": [{"from": "s", "to": "n"}],
    }


def test_each_due_date_keeps_the_revision_that_counted_it(admin, fiona):
    calendar = office(fiona)
    calendars.change_calendar(fiona, "Office", hours={"from": "08:00", "to": "16:00"})
    run_id = begun(published(fiona, everything()))
    record = {"id": calendar.pk, "revision": 2}
    assert make.run(run_id).sla_calendar == record
    assert StepExecution.unsafe_all_tenants.get(run_id=run_id, node="w").waiting["calendar"] == record
    assert Timer.unsafe_all_tenants.get(run_id=run_id, node="s").calendar == record
    assert [fact["calendar"] for fact in ManualTask.unsafe_all_tenants.get().facts] == [record, record]
    due = dates(uses_of(fiona, calendar))
    assert due == [("w", "wait", 2), ("s", "timer", 2), ("t", "task", 2), (None, "deadline", 2)]
    before = ends_of(run_id)
    calendars.change_calendar(fiona, "Office", **WEEKEND)
    assert ends_of(run_id) == before
    assert dates(uses_of(fiona, calendar)) == due


def dates(uses):
    return [(one.node, one.kind, one.revision) for one in uses.due_dates]


def ends_of(run_id):
    run = Run.unsafe_all_tenants.get(pk=run_id)
    timers = Timer.unsafe_all_tenants.filter(run_id=run_id).order_by("id").values_list("fire_at", flat=True)
    return run.sla_deadline, list(timers), ManualTask.unsafe_all_tenants.get().due_at


def test_a_name_or_a_folder_is_no_new_revision(fiona):
    office(fiona)
    assert calendars.change_calendar(fiona, "Office", name="Desk").revision == 1
    assert calendars.change_calendar(fiona, "Desk", timezone="UTC", weekdays=[5, 4, 3, 2, 1]).revision == 1
    assert calendars.change_calendar(fiona, "Desk", timezone="Europe/Berlin").revision == 2


def test_a_preview_tells_the_workflows_the_schedules_that_move_and_the_dates_that_stay(fiona):
    calendar = office(fiona)
    begun(published(fiona, waits()))
    schedule(fiona, "morning", "pays")
    before = schedule_time("morning")
    uses = calendars.preview_change(fiona, "Office", weekdays=[1, 2, 3, 4, 6])
    [using] = uses.workflows
    assert (using.workflow, using.versions, using.newest, using.open_runs) == ("pays", [1], True, 1)
    [kept] = uses.schedules
    assert (kept.next_due_at, kept.moves_to) == (before, before + timedelta(days=1))
    assert dates(uses) == [("w", "wait", 1)]
    calendar.refresh_from_db()
    assert (calendar.weekdays, calendar.revision, schedule_time("morning")) == ([1, 2, 3, 4, 5], 1, before)
    calendars.change_calendar(fiona, "Office", weekdays=[1, 2, 3, 4, 6])
    assert schedule_time("morning") == kept.moves_to


def schedule_time(name):
    return Schedule.unsafe_all_tenants.get(name=name).next_due_at


def test_of_what_a_person_may_not_read_only_the_number_is_told(admin, finance, fiona, outsider):
    calendar = calendars.create_calendar(admin, name="Office")
    begun(published(fiona, waits()))
    schedule(fiona, "morning", "pays")
    uses = uses_of(outsider, calendar)
    assert (uses.workflows, uses.schedules, uses.due_dates) == ([], [], [])
    assert (uses.other_workflows, uses.other_schedules, uses.other_due_dates) == (1, 1, 1)
    assert uses.is_default
    full = uses_of(admin, calendar)
    assert (full.other_workflows, full.other_schedules, full.other_due_dates) == (0, 0, 0)


def test_one_in_use_is_not_deleted_and_the_refusal_says_who_uses_it(admin, fiona):
    office(fiona)
    version = published(fiona, waits())
    run_id = begun(version)
    refused = refused_delete(fiona)
    assert (refused.code, refused.details["workflows"]) == ("in_use", ["pays"])
    assert "the workflow pays" in refused.message
    published_again(fiona, {"name": "pays", "nodes": [{"id": "n", "type": "noop"}], "edges": []})
    assert refused_delete(fiona).details["workflows"] == ["pays"], "its older version has an open run"
    make.cancel(run_id)
    calendars.delete_calendar(fiona, "Office")
    later = begun(version)
    assert "there is no calendar Office" in run_row(make.a_tenant().pk, later)["waiting_for"]


def test_an_archived_workflow_without_runs_does_not_keep_it(fiona):
    office(fiona)
    published(fiona, waits())
    lifecycle.archive(fiona, "pays")
    calendars.delete_calendar(fiona, "Office")
    assert not Calendar.unsafe_all_tenants.exists()


def test_uses_cost_as_many_statements_for_many_as_for_one(admin, fiona):
    calendar = office(fiona)
    trips = []
    for number in range(4):
        begun(published(fiona, waits(f"pays{number}")))
        schedule(fiona, f"s{number}", f"pays{number}")
        with watching() as seen:
            uses_of(fiona, calendar)
        trips.append(seen.trips)
    assert trips[0] == trips[3] <= 8, trips

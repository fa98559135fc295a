"""What pages show of times says in which calendar it was counted."""

from datetime import UTC, date, datetime, timedelta

import pytest

from runs.calendars import calendars
from runs.models import StepExecution
from tests import factories as make
from tests.inbox.asking import approval
from tests.schedules import an_owner
from tests.store.watching import trips_of_page
from tests.timing import clock

__all__ = ["clock"]
pytestmark = pytest.mark.django_db

TIMERS = [
    {"duration": "2 business days", "calendar": "Office", "to": "late", "interrupting": True},
    {"duration": "1 business day", "to": "nudge", "interrupting": False},
    {"after_seconds": 60, "to": "soon", "interrupting": False},
]
HOLD = {"id": "hold", "type": "signal", "params": {"name": "go"}, "boundary_timers": TIMERS}
AFTER = ["hold>done", "hold>late", "hold>nudge", "hold>soon"]


@pytest.fixture
def operator(client):
    client.force_login(make.a_member("ops", "operator"))
    return client


def holding(operator, **values):
    """The page of a run with three timers beside a step, in the calendar Office."""
    version = make.a_version(make.graph([HOLD, "done", "late", "nudge", "soon"], AFTER))
    week = {"timezone": "UTC", "weekdays": [1, 2, 3, 4, 5]}
    calendars.create_calendar(an_owner(version), name="Office", **week, **values)
    (run_id,) = make.start_version(version, {})
    make.work()
    return run_id


def change_office(**values):
    calendars.change_calendar(an_owner(make.a_version(make.graph(["a"], []))), "Office", **values)


def test_timers_beside_a_step_say_when_what_begins_and_how_that_was_counted(operator, clock):
    page = operator.get(f"/runs/{holding(operator)}").text
    assert (
        "2031-01-03 09:00:00 UTC</time>, 2 working days of Office (UTC); then “Do nothing (late)” comes in its place"
        in page
    )
    assert (
        "2031-01-02 09:00:00 UTC</time>, 1 working day of Office (UTC), “Do nothing (nudge)” begins beside it"
        in page
    )
    assert "2031-01-01 09:01:00 UTC</time>, “Do nothing (soon)” begins beside it" in page
    assert (
        page.index("“Do nothing (soon)”")
        < page.index("“Do nothing (nudge)” begins")
        < page.index("“Do nothing (late)” comes")
    )


def test_where_the_calendar_is_another_one_since_only_the_moment_is_said(operator, clock):
    run_id = holding(operator)
    change_office(weekdays=[1, 2])
    page = operator.get(f"/runs/{run_id}").text
    assert "2031-01-03 09:00:00 UTC</time>; then “Do nothing (late)” comes in its place" in page
    assert "working day" not in page


def test_where_a_calendar_has_no_working_days_they_say_that_days_are_counted(operator, clock):
    free = [{"date": date(2031, 1, 1) + timedelta(day), "works": False} for day in range(900)]
    run_id = holding(operator, exceptions=free)
    page = operator.get(f"/runs/{run_id}").text
    assert "2031-01-03 09:00:00 UTC</time>, 2 working days as days: " in page
    change_office(exceptions=[], weekdays=[1, 2])
    assert "working day" not in operator.get(f"/runs/{run_id}").text


def test_beside_a_step_that_was_opened_again_they_count_from_then(operator):
    (run_id,) = make.start(make.graph([HOLD, "done", "late", "nudge", "soon"], AFTER))
    make.work()
    StepExecution.unsafe_all_tenants.filter(run_id=run_id, node="hold").update(
        queued_at=datetime.now(UTC) - timedelta(days=30)
    )
    page = operator.get(f"/runs/{run_id}").text
    assert "1 working day of Monday to Friday (UTC), “Do nothing (nudge)” begins beside it" in page


def test_they_are_gone_with_what_they_stood_beside(operator, clock):
    run_id = holding(operator)
    make.send(run_id, "go")
    make.work()
    assert "working day" not in operator.get(f"/runs/{run_id}").text


def test_they_cost_one_statement_more_for_their_calendars(operator, clock):
    run_id = holding(operator)
    (plain,) = make.start(make.graph([{**HOLD, "boundary_timers": []}], []))
    make.work()
    costs = [trips_of_page(operator, f"/runs/{one}") for one in (plain, run_id)]
    assert costs[1] - costs[0] == 1


def test_how_the_time_of_a_task_counts_is_nothing_to_order_tasks_by(operator, clock):
    make.start(approval(due_working_days=2, facts={"Amount": 5}), {"amount": 40})
    make.work()
    page = operator.get("/inbox/?view=teams").text
    assert "Amount, smallest first" in page
    assert "Due in, smallest first" not in page

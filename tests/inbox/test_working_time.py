"""Deadlines, reminders and levels that count the working hours of a calendar."""

from datetime import timedelta

import pytest

from runs.calendars.calendars import create_calendar
from tests import factories as make
from tests.inbox.asking import approval, asked
from tests.schedules import an_owner
from tests.timing import clock

__all__ = ["clock"]
pytestmark = pytest.mark.django_db
DAY = 8 * 3_600
TIMED = {
    "calendar": "office",
    "due_seconds": 2 * DAY,
    "on_timeout": "rejected",
    "reminders": [DAY],
    "outcomes": [{"name": "approved", "label": "Yes"}, {"name": "rejected", "label": "No"}],
}


@pytest.fixture
def office(clock):
    """A calendar from nine to five; the 1st of January 2031 is a Wednesday and free."""
    owner = an_owner(make.a_version(make.chain("noop")))
    create_calendar(owner, name="office", region="DE")


def fact(task):
    return {one["label"]: one["value"] for one in task.facts}["Time counts"]


def test_two_working_days_later_is_due_and_the_task_says_how_it_counts(office):
    task = asked(approval(**TIMED))
    # Asked at nine on the holiday: the Thursday and the Friday count.
    assert f"{task.due_at:%m-%d %H:%M}" == "01-03 17:00"
    later = [task.created_at + timedelta(seconds=one["after"]) for one in task.clock]
    assert [f"{one:%m-%d %H:%M}" for one in later] == ["01-02 17:00", "01-03 17:00"]
    assert fact(task) == "in the working hours of office (UTC)"


def test_over_a_weekend_nothing_counts(office, clock):
    clock.advance(2 * 86_400 + 7 * 3_600)
    task = asked(approval(calendar="office", due_seconds=2 * 3_600))
    assert f"{task.due_at:%m-%d %H:%M}" == "01-06 10:00"


def test_without_such_a_calendar_all_hours_count_and_it_says_so(clock):
    task = asked(approval(**TIMED))
    assert (task.due_at - clock.now).total_seconds() == 2 * DAY
    assert fact(task) == "at all hours: there is no calendar office"


def test_a_task_that_names_none_is_as_before(clock):
    task = asked(approval(due_seconds=60))
    assert (task.due_at - clock.now).total_seconds() == 60
    assert not task.facts


def test_so_many_working_days_are_due_at_the_same_time_of_day_and_end_it_then(office, clock):
    clock.advance(2 * 86_400)
    timed = {name: TIMED[name] for name in ("on_timeout", "outcomes")}
    task = asked(approval(calendar="office", due_working_days=2, reminders=[DAY], **timed))
    assert f"{task.due_at:%m-%d %H:%M}" == "01-07 09:00"
    assert [
        (one["do"], f"{task.created_at + timedelta(seconds=one['after']):%m-%d %H:%M}") for one in task.clock
    ] == [
        ("remind", "01-03 17:00"),
        ("end", "01-07 09:00"),
    ]
    assert {one["label"]: one["value"] for one in task.facts}["Due in"] == "2 working days of office (UTC)"


def test_due_in_working_days_without_a_name_the_default_calendar_counts(office, clock):
    clock.advance(2 * 86_400)
    task = asked(approval(due_working_days=1, reminders=[60]))
    assert f"{task.due_at:%m-%d %H:%M}" == "01-06 09:00"
    assert [one["after"] for one in task.clock] == [60]
    assert [one["label"] for one in task.facts] == ["Due in"]

"""Clocks that count working hours: they rise with time, and agree with how working seconds are added."""

from datetime import UTC, date, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from lib.workdays import Exceptional, WorkCalendar, add_working_seconds
from lib.working_clock import WallClock, WorkingClock

FREE = {date(2026, 4, 1): Exceptional(works=False), date(2026, 4, 4): Exceptional(works=True)}
OFFICE = WorkCalendar("office", "Europe/Berlin", opens=9 * 60, closes=17 * 60, exceptions=FREE)
CLOCK = WorkingClock(OFFICE, date(2026, 1, 1), date(2026, 12, 31))
START = datetime(2026, 1, 5, tzinfo=UTC)
MOMENTS = st.integers(0, 150 * 86_400).map(lambda seconds: START + timedelta(seconds=seconds))


@given(MOMENTS, st.integers(0, 60 * 8 * 3600))
def test_it_counts_as_working_seconds_are_added(moment, seconds):
    there = add_working_seconds(OFFICE, moment, seconds)
    assert abs(CLOCK.place(there.timestamp()) - CLOCK.place(moment.timestamp()) - seconds) < 1e-3


@given(MOMENTS, MOMENTS)
def test_it_rises_with_time(one, other):
    less, more = sorted((one.timestamp(), other.timestamp()))
    assert CLOCK.place(less) <= CLOCK.place(more)


@given(MOMENTS)
def test_the_moment_of_a_place_is_then_or_when_work_begins_again(moment):
    at = moment.timestamp()
    there = CLOCK.moment(CLOCK.place(at))
    assert there >= at - 1e-3
    assert abs(CLOCK.place(there) - CLOCK.place(at)) < 1e-3


def test_beyond_its_days_and_without_any_all_hours_count():
    first, last = datetime(2020, 1, 1, tzinfo=UTC), datetime(2040, 1, 1, tzinfo=UTC)
    for moment in (first, last):
        at, day = moment.timestamp(), timedelta(days=1).total_seconds()
        assert CLOCK.place(at + day) - CLOCK.place(at) == day
        assert CLOCK.moment(CLOCK.place(at)) == at
    never = WorkCalendar("never", "UTC", exceptions={date(2026, 1, 5): Exceptional(works=False)})
    idle = WorkingClock(never, date(2026, 1, 5), date(2026, 1, 5))
    assert idle.place(5.0) == idle.moment(5.0) == WallClock().place(5.0) == WallClock().moment(5.0)

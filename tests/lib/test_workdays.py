"""Working days and hours, over weekends, holidays, own exceptions and changes of the clocks."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.wall_clock import moment_of
from lib.workdays import (
    Exceptional,
    NoWorkingDay,
    WorkCalendar,
    add_working_days,
    add_working_seconds,
    holidays_of,
    regions,
)

BERLIN = ZoneInfo("Europe/Berlin")
OFFICE = WorkCalendar("office", "Europe/Berlin", opens=9 * 60, closes=17 * 60, region="DE-BY")


def at(text, zone=BERLIN):
    """A local time in Berlin."""
    return moment_of(datetime.fromisoformat(text), zone)


def there(moment):
    return f"{moment.astimezone(BERLIN):%Y-%m-%d %H:%M}"


@pytest.mark.parametrize(
    ("start", "days", "end"),
    [
        ("2026-11-25T10:00", 1, "2026-11-26 10:00"),
        ("2026-11-27T10:00", 1, "2026-11-30 10:00"),
        ("2026-11-28T10:00", 2, "2026-12-01 10:00"),
        ("2026-11-27T20:00", 1, "2026-11-30 17:00"),
        ("2026-11-27T06:00", 1, "2026-11-30 09:00"),
        # Christmas Day, Boxing Day and a weekend lie between.
        ("2026-12-23T12:00", 2, "2026-12-28 12:00"),
        # The clocks go forward on the Sunday.
        ("2026-03-27T09:30", 1, "2026-03-30 09:30"),
    ],
)
def test_working_days_are_counted_from_the_next_day(start, days, end):
    assert there(add_working_days(OFFICE, at(start), days)) == end


@pytest.mark.parametrize(
    ("start", "hours", "end"),
    [
        ("2026-11-25T10:00", 2, "2026-11-25 12:00"),
        ("2026-11-25T16:00", 2, "2026-11-26 10:00"),
        ("2026-11-27T16:00", 10, "2026-12-01 10:00"),
        ("2026-11-28T12:00", 1, "2026-11-30 10:00"),
        ("2026-11-25T20:00", 0, "2026-11-26 09:00"),
    ],
)
def test_working_hours_are_counted_while_they_last(start, hours, end):
    assert there(add_working_seconds(OFFICE, at(start), hours * 3_600)) == end


def test_a_day_around_the_clock_has_the_hours_that_the_clocks_give_it():
    whole = WorkCalendar("whole", "Europe/Berlin", weekdays=frozenset(range(1, 8)))
    assert there(add_working_seconds(whole, at("2026-03-29T00:00"), 23 * 3_600)) == "2026-03-30 00:00"


@given(st.integers(0, 365 * 86_400), st.integers(0, 200_000))
def test_working_time_adds_up(second, seconds):
    start = datetime(2026, 1, 1, tzinfo=UTC) + timedelta(seconds=second)
    half = add_working_seconds(OFFICE, start, seconds // 2)
    assert add_working_seconds(OFFICE, half, seconds - seconds // 2) == add_working_seconds(
        OFFICE, start, seconds
    )
    assert OFFICE.is_working(half.astimezone(BERLIN).date())


def test_what_is_said_of_a_day_goes_before_holidays_and_weekends():
    stock_taking = date(2026, 11, 28)
    said = {stock_taking: Exceptional(True, "Stock-taking"), date(2026, 12, 24): Exceptional(False)}
    calendar = WorkCalendar("shop", "UTC", region="DE", exceptions=said)
    assert calendar.is_working(stock_taking)
    assert calendar.name_of(stock_taking) == "Stock-taking"
    assert not calendar.is_working(date(2026, 12, 24))
    assert (calendar.name_of(date(2026, 12, 25)), calendar.name_of(date(2026, 12, 23))) == (
        "Christmas Day",
        "",
    )


def test_a_calendar_without_working_days_says_so():
    never = WorkCalendar("never", "UTC", weekdays=frozenset())
    with pytest.raises(NoWorkingDay):
        add_working_days(never, datetime(2026, 1, 1, tzinfo=UTC), 1)
    with pytest.raises(NoWorkingDay):
        add_working_seconds(never, datetime(2026, 1, 1, tzinfo=UTC), 1)


def test_regions_are_countries_and_their_parts():
    assert {"DE", "DE-BY", "GB-SCT", "US"} <= regions()
    assert "Epiphany" in holidays_of("DE-BY", 2026)[date(2026, 1, 6)]
    assert date(2026, 1, 6) not in holidays_of("DE", 2026)
    assert not holidays_of("", 2026)


def test_a_skipped_time_is_when_the_clocks_go_on():
    assert at("2026-03-29T02:30") == datetime(2026, 3, 29, 1, tzinfo=UTC)
    assert at("2026-10-25T02:30") == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    # A day that was left out: Samoa went over the date line.
    samoa = ZoneInfo("Pacific/Apia")
    assert (
        at("2011-12-30T12:00", samoa)
        == at("2011-12-31T00:00", samoa)
        == datetime(2011, 12, 30, 10, tzinfo=UTC)
    )

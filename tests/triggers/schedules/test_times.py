"""When schedules are due: over both changes of the clocks in three zones, on working days, in ticks of any size."""

from datetime import UTC, date, datetime, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lib.workdays import Exceptional, WorkCalendar
from triggers.schedules.times import BadTiming, Timing, check_timing, due_times, fires_at, next_due, upcoming

START = datetime(2026, 1, 1, tzinfo=UTC)
BERLIN, NEW_YORK, LORD_HOWE = "Europe/Berlin", "America/New_York", "Australia/Lord_Howe"
ZONES = (BERLIN, NEW_YORK, LORD_HOWE)


def cron(text, zone="UTC", **more):
    return Timing(zone, START, cron=text, **more)


def local(timing, after, count):
    """What the clocks of its zone show at the next times, after a local time there."""
    zone = ZoneInfo(timing.zone)
    start = datetime.fromisoformat(after).replace(tzinfo=zone)
    return [f"{due.astimezone(zone):%m-%d %H:%M %z}" for due in upcoming(timing, start, count)]


@pytest.mark.parametrize(
    ("zone", "after", "expression", "times"),
    [
        (BERLIN, "2026-03-28T00:00", "30 2 * * *", ["03-28 02:30 +0100", "03-29 03:00 +0200", "03-30 02:30 +0200"]),
        (BERLIN, "2026-10-24T12:00", "30 2 * * *", ["10-25 02:30 +0200", "10-26 02:30 +0100"]),
        (BERLIN, "2026-10-25T00:45", "0 * * * *", ["10-25 01:00 +0200", "10-25 02:00 +0200", "10-25 03:00 +0100"]),
        (NEW_YORK, "2026-03-07T12:00", "15 2 * * *", ["03-08 03:00 -0400", "03-09 02:15 -0400"]),
        (NEW_YORK, "2026-10-31T12:00", "15 1 * * *", ["11-01 01:15 -0400", "11-02 01:15 -0500"]),
        # Half an hour: the clocks go from 02:00 to 02:30, and back from 02:00 to 01:30.
        (LORD_HOWE, "2026-10-03T12:00", "15 2 * * *", ["10-04 02:30 +1100", "10-05 02:15 +1100"]),
        (LORD_HOWE, "2026-04-04T12:00", "45 1 * * *", ["04-05 01:45 +1100", "04-06 01:45 +1030"]),
        # What is due several times in the hour that is skipped is due once, at its end.
        (BERLIN, "2026-03-29T01:50", "*/20 * * * *", ["03-29 03:00 +0200", "03-29 03:20 +0200"]),
    ],
)  # fmt: skip
def test_a_skipped_time_is_due_when_the_clocks_go_on_and_a_doubled_one_once(zone, after, expression, times):
    assert local(cron(expression, zone), after, len(times)) == times


def test_an_interval_knows_no_clocks():
    hourly = Timing(BERLIN, datetime(2026, 10, 24, tzinfo=UTC), every=3_600)
    due = upcoming(hourly, datetime(2026, 10, 24, 22, 30, tzinfo=UTC), 5)
    assert {b - a for a, b in pairwise(due)} == {timedelta(hours=1)}


def test_an_interval_is_counted_from_its_anchor():
    anchor = datetime(2026, 5, 1, 8, 0, 7, 500_000, tzinfo=UTC)
    every = Timing("UTC", anchor, every=90)
    first, second = upcoming(every, anchor, 2)
    assert (first.isoformat(), second - first) == ("2026-05-01T08:01:37+00:00", timedelta(seconds=90))
    assert next_due(every, anchor - timedelta(days=9)) == first


EXPRESSIONS = st.sampled_from(
    ["30 2 * * *", "*/15 * * * *", "0 0 * * *", "0 0 L * *", "5 1,2,3 * * 1", "0 9 1,15 * 1", "@hourly", "59 23 * * *"]
)  # fmt: skip
CHANGES = st.sampled_from(
    [
        datetime(2026, month, day, tzinfo=UTC)
        for month, day in ((3, 7), (3, 28), (4, 4), (10, 3), (10, 24), (10, 31))
    ]
)


@st.composite
def timings(draw):
    """Any timing near a change of the clocks, and a moment there."""
    at = draw(CHANGES) + timedelta(seconds=draw(st.integers(0, 2 * 86_400)))
    weekend_off = WorkCalendar("c", "UTC", region=draw(st.sampled_from(["", "DE-BY", "US"])))
    calendar = draw(st.sampled_from([None, weekend_off]))
    zone = draw(st.sampled_from(ZONES))
    if draw(st.booleans()):
        return cron(draw(EXPRESSIONS), zone, calendar=calendar), at
    return Timing(zone, START, every=draw(st.integers(900, 90_000)), calendar=calendar), at


@given(timings())
def test_each_time_is_later_than_the_one_before_and_a_whole_second(given_timing):
    timing, at = given_timing
    due = upcoming(timing, at, 40)
    assert all(a < b for a, b in pairwise([at, *due]))
    assert all(not each.microsecond for each in due)


@given(timings(), st.lists(st.integers(1, 40_000), min_size=1, max_size=9))
def test_the_same_times_are_due_however_the_time_is_cut_into_ticks(given_timing, ticks):
    timing, start = given_timing
    end, now, found = start + timedelta(seconds=sum(ticks)), start, []
    for tick in ticks:
        until = now + timedelta(seconds=tick)
        for due in due_times(timing, now):
            if due > until:
                break
            found.append(due)
        now = until
    whole = []
    for due in due_times(timing, start):
        if due > end:
            break
        whole.append(due)
    assert found == whole


def test_days_that_are_free_are_passed_over():
    bavaria = WorkCalendar(
        "plant", BERLIN, region="DE-BY", exceptions={date(2026, 5, 26): Exceptional(False, "Bridge day")}
    )
    timing = cron("0 7 * * *", BERLIN, calendar=bavaria)
    # 23 and 24: a weekend; 25: Whit Monday.
    assert [due[:5] for due in local(timing, "2026-05-21T12:00", 3)] == ["05-22", "05-27", "05-28"]


def test_an_interval_of_a_second_passes_over_a_weekend_in_one_step():
    timing = Timing("UTC", START, every=1, calendar=WorkCalendar("c", "UTC"))
    friday = datetime(2026, 1, 9, 23, 59, 59, tzinfo=UTC)
    assert next_due(timing, friday) == datetime(2026, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("timing", "field", "words"),
    [
        (cron("0 0 30 2 *"), "cron", "no month has such a day"),
        (cron("0 0 31 4,6 *"), "cron", "no month has such a day"),
        (cron("0 0 * * 1", calendar=WorkCalendar("c", "UTC", frozenset({2}))), "cron", "never due on a working day"),
        (cron("* * * *"), "cron", "five fields"),
        (cron("0 * * * * *"), "cron", "five fields"),
        (cron("61 * * * *"), "cron", "The minute can't be read"),
        (cron("0 9 * * MO"), "cron", "The day of week can't be read"),
        (cron("0 9 * * *" + ",1" * 100_000), "cron", "at most 200"),
        (Timing("UTC", START, every=0), "every_seconds", "1 to"),
        (Timing("UTC", START, every=10**12), "every_seconds", "1 to"),
        (Timing("UTC", START, at=START), "at", "passed"),
        (Timing("UTC", START, at=datetime(2026, 1, 3, tzinfo=UTC), calendar=WorkCalendar("c", "UTC")), "at", "never"),
        (cron("0 0 * * *", calendar=WorkCalendar("c", "UTC", frozenset())), "cron", "never due"),
    ],
)  # fmt: skip
def test_what_is_never_due_or_can_not_be_read_is_refused_at_its_field(timing, field, words):
    with pytest.raises(BadTiming) as refused:
        check_timing(timing, START)
    assert refused.value.field == field
    assert words in refused.value.message


def test_a_leap_day_is_found_and_a_moment_is_due_once():
    assert next_due(cron("0 0 29 2 *"), START) == datetime(2028, 2, 29, tzinfo=UTC)
    at = datetime(2026, 7, 1, 9, tzinfo=UTC)
    assert upcoming(Timing("UTC", START, at=at), START, 5) == [at]
    assert next_due(Timing("UTC", START, at=at), at) is None


@given(st.integers(0, 10**8), st.integers(1, 3_600))
def test_jitter_is_the_same_each_time_and_within_its_bound(later, seconds):
    due = START + timedelta(seconds=later)
    late = fires_at("a", due, seconds) - due
    assert timedelta() <= late < timedelta(seconds=seconds)
    assert fires_at("a", due, seconds) - due == late
    assert fires_at("a", due, 0) == due

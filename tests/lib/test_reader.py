"""How dates, times and numbers are written for whoever reads; nobody reads in UTC."""

from datetime import UTC, date, datetime

import pytest
from django.utils import timezone

from lib import reader
from lib.locales import LOCALES, NEUTRAL, locale_of
from lib.reader import Reader, moment_text, number_text, reading_as, zone_of

EVENING = datetime(2026, 11, 3, 19, 5, 7, tzinfo=UTC)


@pytest.mark.parametrize(
    ("tag", "zone", "text"),
    [
        ("", "", "2026-11-03 19:05:07 UTC"),
        ("en", "", "Nov 3, 2026, 7:05:07 PM UTC"),
        ("en", "America/Los_Angeles", "Nov 3, 2026, 11:05:07 AM"),
        ("en-GB", "Asia/Kolkata", "4 Nov 2026, 00:35:07"),
        ("en", "Asia/Kolkata", "Nov 4, 2026, 12:35:07 AM"),
        ("de", "Europe/Berlin", "03.11.2026, 20:05:07"),
        ("fr", "Europe/Paris", "03/11/2026 20:05:07"),
        ("da", "Europe/Copenhagen", "03.11.2026, 20.05.07"),
        ("cs", "Europe/Prague", "3. 11. 2026, 20:05:07"),
        ("sv", "Etc/UTC", "2026-11-03 19:05:07 UTC"),
        ("", "Asia/Kolkata", "2026-11-04 00:35:07"),
    ],
)
def test_a_moment_is_written_where_the_reader_is_and_as_they_write(tag, zone, text):
    with reading_as(Reader(zone, LOCALES.get(tag, NEUTRAL))):
        assert moment_text(EVENING) == text


def test_the_hour_that_comes_twice_and_the_one_that_never_does_are_told_apart_in_utc():
    with reading_as(Reader("America/Los_Angeles", LOCALES["en-GB"])) as one:
        first, second = (datetime(2026, 11, 1, hour, 30, tzinfo=UTC) for hour in (8, 9))
        assert one.moment(first) == one.moment(second) == "1 Nov 2026, 01:30"
        assert (reader.utc_text(first), reader.utc_text(second)) == (
            "2026-11-01 08:30:00 UTC",
            "2026-11-01 09:30:00 UTC",
        )
        assert one.time(datetime(2026, 3, 8, 10, 0, tzinfo=UTC)) == "03:00"


@pytest.mark.parametrize(
    ("tag", "written"),
    [
        ("", ["2026", "12500.5", "1000.25", "-3", "1e+22"]),
        ("en", ["2026", "12,500.5", "1,000.25", "-3", "1e+22"]),
        ("de", ["2026", "12.500,5", "1.000,25", "-3", "1e+22"]),
        ("fr", ["2026", "12\u202f500,5", "1\u202f000,25", "-3", "1e+22"]),
        ("pl", ["2026", "12\u00a0500,5", "1\u00a0000,25", "-3", "1e+22"]),
    ],
)
def test_a_number_keeps_its_digits_and_a_year_is_no_thousands(tag, written):
    with reading_as(Reader("", LOCALES.get(tag, NEUTRAL))):
        assert [number_text(one) for one in ("2026", "12500.5", "1000.25", "-3", "1e+22")] == written
    assert number_text("9" * 5000) == "9" * 5000


@pytest.mark.parametrize(
    ("tag", "locale"),
    [
        ("de-AT", "de"),
        ("DE", "de"),
        ("en-US", "en"),
        ("en", "en"),
        ("en-AU", "en-GB"),
        ("pt-BR", "pt"),
        ("ja", ""),
        ("", ""),
        ("*", ""),
        ("../de", ""),
    ],
)
def test_a_browsers_language_finds_the_nearest_of_the_list(tag, locale):
    assert locale_of(tag).tag == locale


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Mars/Olympus",
        "../etc/passwd",
        "/etc/localtime",
        "europe/berlin",
        "Europe/Berlin\n",
        "a" * 9000,
        "\x00",
    ],
)
def test_what_is_no_time_zone_is_none(text):
    assert zone_of(text) == ""


def test_every_time_zone_can_be_read_in():
    assert all(
        Reader(name).clock.utcoffset(EVENING.replace(tzinfo=None)) is not None for name in reader.zones()
    )
    assert {"Europe/Berlin", "Asia/Kolkata", "America/Los_Angeles", "UTC"} <= reader.zones()


def test_nobody_reads_before_and_after_also_where_it_fails():
    before = timezone.get_current_timezone_name()

    def fail():
        with reading_as(Reader("Asia/Kolkata", LOCALES["de"])):
            assert timezone.get_current_timezone_name() == "Asia/Kolkata"
            assert reader.date_text(date(2026, 1, 2)) == "02.01.2026"
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert not reader.is_read()
    assert timezone.get_current_timezone_name() == before
    assert moment_text(EVENING) == "2026-11-03 19:05:07 UTC"

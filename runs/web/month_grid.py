"""Months as a calendar draws them: days with the times at which something is due, and which of them are free. Pure."""

from calendar import Calendar as Weeks
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from lib.reader import Reader
from lib.workdays import WorkCalendar
from runs.limits import DAY_TIMES, GRID_MONTHS

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September", "October"),
    *("November", "December"),
)


@dataclass(frozen=True, slots=True)
class GridDay:
    """A day: its times, whether it is free by the calendar, and what it is called."""

    day: date
    is_outside: bool
    is_free: bool
    is_today: bool
    name: str
    times: Sequence[str]
    more: int


@dataclass(frozen=True, slots=True)
class Month:
    """A month: its name and its weeks, from Monday to Sunday."""

    title: str
    weeks: Sequence[Sequence[GridDay]]


@dataclass(frozen=True, slots=True)
class Listed:
    """A due time as it is listed: the moment, and how the clocks of the zone show it."""

    at: datetime
    local: str


def months_of(
    times: Sequence[datetime],
    zone: ZoneInfo,
    calendar: WorkCalendar | None,
    now: datetime,
    reader: Reader,
    most: int = GRID_MONTHS,
) -> list[Month]:
    """The first months in which something is due, drawn; the present one where nothing is."""
    local = [each.astimezone(zone) for each in times]
    today = now.astimezone(zone).date()
    firsts = list(dict.fromkeys(each.date().replace(day=1) for each in local)) or [today.replace(day=1)]
    by_day: dict[date, list[str]] = {}
    for each in local:
        by_day.setdefault(each.date(), []).append(reader.locale.time(each))
    return [_month(first, by_day, calendar, today) for first in firsts[:most]]


def year_of(first: date, calendar: WorkCalendar, today: date) -> list[Month]:
    """The twelve months from this one on, with the days that are free."""
    firsts = [first.replace(day=1)]
    while len(firsts) < 12:
        firsts.append((firsts[-1] + timedelta(days=31)).replace(day=1))
    return [_month(each, {}, calendar, today) for each in firsts]


def listed(times: Sequence[datetime], zone: ZoneInfo, reader: Reader) -> list[Listed]:
    """The times, each as the clocks of the zone show it."""
    return [Listed(at, _words(at.astimezone(zone), reader)) for at in times]


def _words(local: datetime, reader: Reader) -> str:
    return f"{local:%a} {reader.locale.moment(local, seconds=bool(local.second))}"


def _month(first: date, by_day: dict[date, list[str]], calendar: WorkCalendar | None, today: date) -> Month:
    weeks = [
        [_day(day, first, by_day.get(day, []), calendar, today) for day in week]
        for week in Weeks().monthdatescalendar(first.year, first.month)
    ]
    return Month(f"{_MONTHS[first.month - 1]} {first.year}", weeks)


def _day(day: date, first: date, times: Sequence[str], calendar: WorkCalendar | None, today: date) -> GridDay:
    most = DAY_TIMES if len(times) <= DAY_TIMES else DAY_TIMES - 1
    return GridDay(
        day=day,
        is_outside=day.month != first.month,
        is_free=calendar is not None and not calendar.is_working(day),
        is_today=day == today,
        name=calendar.name_of(day) if calendar is not None else "",
        times=times[:most],
        more=len(times) - len(times[:most]),
    )

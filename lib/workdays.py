"""Working days and hours: which days of a calendar are worked on, and what is so many of them later. Pure.

A calendar has a time zone, the days of the week that are worked on, hours that are the same on each of them, the public
holidays of a region, and days that are said to be otherwise.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from zoneinfo import ZoneInfo

import holidays

from lib.wall_clock import moment_of, start_of

ENGLISH = "en_US"
LONGEST_REST_DAYS = 400
"""Where so many days in a row are free, there is no next working day."""
MOST_DAYS = 3_660
"""So many working days can be counted at most."""
LONGEST_SECONDS = 366 * 86_400
"""So many working seconds can be counted at most."""
_DAY = timedelta(days=1)
_MIDNIGHT = 24 * 60


class NoWorkingDay(Exception):
    """The calendar has no working day where one is looked for."""


@dataclass(frozen=True, slots=True)
class Exceptional:
    """What is said of one day: whether it is worked on, and what it is called."""

    works: bool
    name: str = ""


@dataclass(frozen=True, slots=True)
class WorkCalendar:
    """`weekdays`: Monday is 1; `opens` and `closes`: minutes since midnight; `region`: `DE`, `DE-BY`, or empty."""

    name: str
    timezone: str
    weekdays: frozenset[int] = frozenset({1, 2, 3, 4, 5})
    opens: int = 0
    closes: int = _MIDNIGHT
    region: str = ""
    exceptions: Mapping[date, Exceptional] = field(default_factory=dict)

    @property
    def zone(self) -> ZoneInfo:
        """Where its days begin and its hours count."""
        return ZoneInfo(self.timezone)

    def is_working(self, day: date) -> bool:
        """Whether a day is worked on."""
        if (own := self.exceptions.get(day)) is not None:
            return own.works
        return day.isoweekday() in self.weekdays and day not in holidays_of(self.region, day.year)

    def name_of(self, day: date) -> str:
        """What a day is called: a holiday, or what was said of it; empty for any other."""
        if (own := self.exceptions.get(day)) is not None:
            return own.name or ("A working day" if own.works else "Free")
        return holidays_of(self.region, day.year).get(day, "")

    def next_working(self, day: date) -> date | None:
        """The first working day from this day on, itself included; None where all are free for more than a year."""
        for ahead in range(LONGEST_REST_DAYS):
            if self.is_working(there := day + ahead * _DAY):
                return there
        return None

    def working_days(self, day: date) -> Iterator[date]:
        """The working days from this day on, itself included. Raises NoWorkingDay where there are no more."""
        while True:
            if (there := self.next_working(day)) is None:
                raise NoWorkingDay(f"The calendar {self.name} has no working day after {day}.")
            yield there
            day = there + _DAY

    def hours_of(self, day: date) -> tuple[datetime, datetime]:
        """The moments at which work begins and ends on a working day."""
        return self._at(day, self.opens), self._at(day, self.closes)

    def _at(self, day: date, minute: int) -> datetime:
        if minute == _MIDNIGHT:
            return start_of(day + _DAY, self.zone)
        return moment_of(datetime.combine(day, time(minute // 60, minute % 60)), self.zone)


@lru_cache(maxsize=2_000)
def holidays_of(region: str, year: int) -> Mapping[date, str]:
    """The public holidays of a region in a year, with their names in English if they have some; no region has none."""
    if not region:
        return {}
    country, _, part = region.partition("-")
    days = holidays.country_holidays(country, subdiv=part or None, years=year, language=ENGLISH)
    return dict(days)


@lru_cache(maxsize=1)
def regions() -> frozenset[str]:
    """The regions whose holidays are known: countries such as `DE` and parts of them such as `DE-BY`."""
    countries = holidays.list_supported_countries()
    return frozenset(countries) | {
        f"{country}-{part}" for country, parts in countries.items() for part in parts
    }


def add_working_days(calendar: WorkCalendar, moment: datetime, days: int) -> datetime:
    """The same time of day so many working days later, within the hours of work; `days` is 1 or more.

    The day of `moment` itself does not count: on a Friday or on the Saturday after it, 1 is Monday. Raises NoWorkingDay
    and ValueError.
    """
    if not 1 <= days <= MOST_DAYS:
        raise ValueError(f"must be 1 to {MOST_DAYS} working days")
    local = moment.astimezone(calendar.zone).replace(tzinfo=None, fold=0)
    ahead = calendar.working_days(local.date() + _DAY)
    day = next(there for number, there in enumerate(ahead, 1) if number == days)
    opens, closes = calendar.hours_of(day)
    there = moment_of(datetime.combine(day, local.time().replace(microsecond=0)), calendar.zone)
    return min(max(there, opens), closes)


def add_working_seconds(calendar: WorkCalendar, moment: datetime, seconds: int) -> datetime:
    """The moment at which so many seconds of working time have passed. Raises NoWorkingDay and ValueError."""
    if not 0 <= seconds <= LONGEST_SECONDS:
        raise ValueError(f"must be 0 to {LONGEST_SECONDS:,} seconds of work")
    left = timedelta(seconds=seconds)
    there = moment.astimezone(UTC)
    for day in calendar.working_days(moment.astimezone(calendar.zone).date()):
        opens, closes = calendar.hours_of(day)
        there = max(there, opens)
        if there + left <= closes:
            return there + left
        left -= max(closes - there, timedelta())
    raise NoWorkingDay(f"The calendar {calendar.name} has too little working time.")

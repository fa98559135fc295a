"""When a schedule is due, in words: as the form offers it where it does, else as cron's fields read."""

import re
from dataclasses import dataclass
from datetime import datetime

from cronsim import CronSim, CronSimError

from lib.english import counted
from lib.reader import moment_text
from runs.web.month_grid import WEEKDAYS
from triggers.schedules.models import Schedule

WAYS = (
    ("daily", "Every day"),
    ("workdays", "Every day from Monday to Friday"),
    ("weekly", "Every week, on one day"),
    ("monthly", "Every month, on one day"),
    ("month_end", "On the last day of every month"),
    ("minutes", "At an interval in minutes"),
    ("once", "Once"),
    ("cron", "By a cron expression"),
)
"""What the form offers."""
_UNITS = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))
_CRONS = (
    ("daily", re.compile(r"(\d{1,2}) (\d{1,2}) \* \* \*")),
    ("workdays", re.compile(r"(\d{1,2}) (\d{1,2}) \* \* 1-5")),
    ("weekly", re.compile(r"(\d{1,2}) (\d{1,2}) \* \* ([1-7])")),
    ("monthly", re.compile(r"(\d{1,2}) (\d{1,2}) (\d{1,2}) \* \*")),
    ("month_end", re.compile(r"(\d{1,2}) (\d{1,2}) L \* \*")),
)


@dataclass(frozen=True, slots=True)
class Way:
    """How the form says a cron expression: its choice, the time of day, the day of the week or of the month."""

    how: str
    clock: str
    day: str = ""


def way_of(cron: str) -> Way | None:
    """How the form says an expression; None where it can't but by the expression itself."""
    for how, pattern in _CRONS:
        if match := pattern.fullmatch(cron.strip()):
            minute, hour, *day = match.groups()
            return Way(how, f"{int(hour):02}:{int(minute):02}", day[0] if day else "")
    return None


def words_of(schedule: Schedule) -> str:
    """When it is due."""
    if schedule.at is not None:
        return f"once, {moment_text(schedule.at, seconds=False)}"
    if schedule.every_seconds is not None:
        return f"every {length_words(schedule.every_seconds).removeprefix('1 ')}"
    cron = schedule.cron or ""
    way = way_of(cron)
    match way:
        case Way("daily", clock):
            return f"every day at {clock}"
        case Way("workdays", clock):
            return f"Monday to Friday at {clock}"
        case Way("weekly", clock, day):
            return f"every {WEEKDAYS[int(day) - 1]} at {clock}"
        case Way("monthly", clock, day):
            return f"on day {day} of every month at {clock}"
        case Way("month_end", clock):
            return f"on the last day of every month at {clock}"
    return _explained(cron)


def length_words(seconds: int) -> str:
    """A length of time in the largest unit that it is a whole number of: `2 hours`."""
    for unit, size in _UNITS:
        if seconds % size == 0:
            count = seconds // size
            return counted(count, unit)
    return counted(seconds, "second")


def _explained(cron: str) -> str:
    try:
        text = CronSim(cron, datetime(2026, 1, 1)).explain()  # noqa: DTZ001 - only to read it
    except CronSimError:
        return cron
    return text[:1].lower() + text[1:]

"""When a schedule is due: cron, an interval or one moment, in a time zone, on the days of a calendar. Pure.

`due_times` depends on nothing but the timing and the moment after which it begins: cut a stretch of time into ticks as
you like, and the same times are due in it. They are moments in whole seconds, and each is later than the one before.
"""

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from zoneinfo import ZoneInfo

from cronsim import CronSim, CronSimError

from lib.wall_clock import moment_of, start_of
from lib.workdays import WorkCalendar
from triggers.schedules.limits import CRON_CHARACTERS, INTERVAL_SECONDS, SKIPPED_FIRINGS

_FIELD = re.compile(r"[0-9A-Za-z*,/#-]+")
_WORDS = {
    "@hourly": "0 * * * *",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *",
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
}
_SECOND = timedelta(seconds=1)


class BadTiming(Exception):
    """A timing that can't be; `field` says which part of it, the message what it must be."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field, self.message = field, message


@dataclass(frozen=True, slots=True)
class Timing:
    """One of `cron`, `every` (seconds, counted from `anchor`) and `at`; only on days of `calendar`, if there is one."""

    zone: str
    anchor: datetime
    cron: str | None = None
    every: int | None = None
    at: datetime | None = None
    calendar: WorkCalendar | None = None


def check_timing(timing: Timing, now: datetime) -> None:
    """Return if this timing can be and is due again after `now`. Raises BadTiming."""
    if timing.cron is not None:
        _check_cron(timing.cron)
    if timing.every is not None and not 1 <= timing.every <= INTERVAL_SECONDS:
        raise BadTiming("every_seconds", f"This must be 1 to {INTERVAL_SECONDS:,} seconds (366 days).")
    if timing.at is not None and timing.at <= now:
        raise BadTiming("at", "This time has passed: give one in the future.")
    if next_due(timing, now) is None:
        raise BadTiming(_kind(timing), _never(timing))


def next_due(timing: Timing, after: datetime) -> datetime | None:
    """The first moment after this one at which it is due; None where it never is again."""
    return next(due_times(timing, after), None)


def upcoming(timing: Timing, after: datetime, count: int) -> list[datetime]:
    """The next `count` moments at which it is due; fewer where there are no more."""
    return list(islice(due_times(timing, after), count))


def due_times(timing: Timing, after: datetime) -> Iterator[datetime]:
    """The moments after this one at which it is due, in order and in UTC; work for each is bounded."""
    source, tries = _times(timing, after), 0
    zone = ZoneInfo(timing.zone)
    while (due := next(source, None)) is not None:
        day = due.astimezone(zone).date()
        if timing.calendar is None or timing.calendar.is_working(day):
            tries = 0
            yield due
            continue
        tries += 1
        working = timing.calendar.next_working(day)
        if working is None or tries > SKIPPED_FIRINGS:
            return
        source = _times(timing, start_of(working, zone) - _SECOND)


def fires_at(schedule: str, due: datetime, jitter_seconds: int) -> datetime:
    """When what is due at a moment is done: up to `jitter_seconds` later, the same each time it is asked."""
    if not jitter_seconds:
        return due
    digest = hashlib.sha256(f"{schedule}/{due.astimezone(UTC).isoformat()}".encode()).digest()
    return due + timedelta(milliseconds=int.from_bytes(digest[:8]) % (jitter_seconds * 1_000))


def _times(timing: Timing, after: datetime) -> Iterator[datetime]:
    """When it is due, whatever day that is."""
    after = after.astimezone(UTC)
    if timing.at is not None:
        return iter([timing.at] if timing.at > after else [])
    if timing.every is not None:
        return _intervals(timing.anchor.astimezone(UTC).replace(microsecond=0), timing.every, after)
    return _cron_times(timing.cron or "", ZoneInfo(timing.zone), after)


def _intervals(anchor: datetime, every: int, after: datetime) -> Iterator[datetime]:
    step = timedelta(seconds=every)
    due = anchor + max(1, (after - anchor) // step + 1) * step
    while True:
        yield due
        due += step


def _cron_times(cron: str, zone: ZoneInfo, after: datetime) -> Iterator[datetime]:
    """A cron expression is read on the clocks of the zone: skipped times come when they are put forward, and times that
    they show twice come once."""
    local = after.astimezone(zone).replace(tzinfo=None, fold=0)
    for candidate in CronSim(_WORDS.get(cron.strip().lower(), cron), local):
        due = moment_of(candidate, zone)
        if due > after:
            after = due
            yield due


def _check_cron(cron: str) -> None:
    if len(cron) > CRON_CHARACTERS:
        raise BadTiming("cron", f"This has at most {CRON_CHARACTERS} characters.")
    text = cron.strip()
    if text.lower() in _WORDS:
        return
    fields = [field for field in text.split(" ") if field]
    if len(fields) != 5 or not all(map(_FIELD.fullmatch, fields)):
        raise BadTiming(
            "cron",
            "This has five fields: minute, hour, day of the month, month, day of the week, such as 0 9 * * 1-5.",
        )
    try:
        CronSim(text, datetime(2026, 1, 1))  # noqa: DTZ001 - only to read it
    except CronSimError as error:
        raise BadTiming("cron", _unreadable(str(error))) from None


def _unreadable(fault: str) -> str:
    part = fault.removeprefix("Bad ").replace("-", " ")
    return (
        f"The {part} can't be read, or no month has such a day."
        if part == "day of month"
        else (f"The {part} can't be read.")
    )


def _kind(timing: Timing) -> str:
    return "cron" if timing.cron is not None else "every_seconds" if timing.every is not None else "at"


def _never(timing: Timing) -> str:
    if timing.calendar is None:
        return "This is never due: there is no such day."
    return f"This is never due on a working day of the calendar {timing.calendar.name}."

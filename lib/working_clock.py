"""Clocks by which times are counted: of all hours, or of those of a working calendar alone. Pure.

A clock has a place for each moment (in seconds since 1970), which rises with it, and stands still while nobody works.
"""

from array import array
from bisect import bisect_right
from datetime import date, timedelta
from typing import Protocol

from lib.workdays import WorkCalendar


class Clock(Protocol):
    """What counts time."""

    def place(self, moment: float) -> float:
        """What it shows at a moment."""

    def moment(self, place: float) -> float:
        """When it shows that: the last moment, where it stands still there."""


class WallClock:
    """All hours count."""

    def place(self, moment: float) -> float:
        """As `Clock` says."""
        return moment

    def moment(self, place: float) -> float:
        """As `Clock` says."""
        return place


class WorkingClock:
    """The working hours of a calendar count, from one day to another; before and behind these all hours do.

    Where none of these days is worked on it counts all hours.
    """

    def __init__(self, calendar: WorkCalendar, first: date, last: date) -> None:
        days = (first + timedelta(days=ahead) for ahead in range((last - first).days + 1))
        hours = [calendar.hours_of(day) for day in days if calendar.is_working(day)]
        spans = [(opens.timestamp(), closes.timestamp()) for opens, closes in hours if opens < closes]
        # As small as numbers can be: many such clocks are kept.
        self._opens = array("d", (opens for opens, _ in spans))
        self._closes = array("d", (closes for _, closes in spans))
        self._before = array("d", bytes(8 * len(spans)))
        for place in range(1, len(spans)):
            opens, closes = spans[place - 1]
            self._before[place] = self._before[place - 1] + closes - opens

    def place(self, moment: float) -> float:
        """As `Clock` says."""
        if not self._opens:
            return moment
        day = bisect_right(self._opens, moment) - 1
        if day < 0:
            return moment - self._opens[0]
        if day < len(self._opens) - 1:
            moment = min(moment, self._closes[day])
        return self._before[day] + moment - self._opens[day]

    def moment(self, place: float) -> float:
        """As `Clock` says."""
        if not self._opens:
            return place
        day = max(0, bisect_right(self._before, place) - 1)
        return self._opens[day] + place - self._before[day]

"""Who reads what is being made now: in which time zone, how they write dates and numbers, what they call things.

A page is made for one reader (`reading_as`). Anything else, an answer of the API or a record, is made for nobody: its
times are UTC and say so, and its names are those by which programs know things.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, tzinfo
from functools import lru_cache
from zoneinfo import ZoneInfo, available_timezones

from django.utils import timezone

from lib.locales import NEUTRAL, Locale

_NO_PLACES = {"Factory", "localtime"}
_UTC_NAMES = {"UTC", "Etc/UTC", "Etc/UCT", "UCT", "Etc/Universal", "Universal", "Etc/Zulu", "Zulu"}


@dataclass(frozen=True, slots=True)
class Reader:
    """`zone`: the name of a time zone, empty where nobody knows it; `called`: what a (kind, key) is called;
    `compact`: whether as much as possible of a list stands on one screen."""

    zone: str = ""
    locale: Locale = NEUTRAL
    called: dict[tuple[str, str], str] = field(default_factory=dict)
    compact: bool = False

    @property
    def clock(self) -> tzinfo:
        """Their time zone; UTC where nobody knows it."""
        return ZoneInfo(self.zone) if self.zone else UTC

    @property
    def zone_words(self) -> str:
        """Their time zone in words."""
        return "UTC" if not self.zone or self.zone in _UTC_NAMES else self.zone.replace("_", " ")

    def moment(self, at: datetime, *, seconds: bool = False) -> str:
        """A moment as they write it; UTC is named."""
        return self.locale.moment(at.astimezone(self.clock), seconds=seconds) + self._suffix

    def time(self, at: datetime, *, seconds: bool = False) -> str:
        """The time of day of a moment."""
        return self.locale.time(at.astimezone(self.clock), seconds=seconds) + self._suffix

    def day(self, at: datetime) -> str:
        """The day of a moment, where they are."""
        return self.locale.date(at.astimezone(self.clock))

    @property
    def _suffix(self) -> str:
        return " UTC" if self.zone_words == "UTC" else ""


NOBODY = Reader()
_reader: ContextVar[Reader | None] = ContextVar("reader", default=None)


def reader() -> Reader:
    """Who reads; `NOBODY` outside of pages."""
    return _reader.get() or NOBODY


def is_read() -> bool:
    """Whether what is being made is made for somebody."""
    return _reader.get() is not None


@contextmanager
def reading_as(one: Reader) -> Iterator[Reader]:
    """What is made in this block is made for this reader; before and after it, for whom it was before."""
    token = _reader.set(one)
    try:
        # Forms and templates of Django's ask for its own time zone.
        with timezone.override(one.clock):
            yield one
    finally:
        _reader.reset(token)


@lru_cache(maxsize=1)
def zones() -> frozenset[str]:
    """The time zones that there are."""
    return frozenset(available_timezones() - _NO_PLACES)


def zone_of(text: str) -> str:
    """The name of a time zone as it came; empty where there is no such zone."""
    return text if text in zones() else ""


def moment_text(at: datetime, *, seconds: bool = True) -> str:
    """A moment for whoever reads; for nobody `2026-11-23 14:03:05 UTC`."""
    return reader().moment(at, seconds=seconds)


def utc_text(at: datetime) -> str:
    """A moment in UTC, whoever reads."""
    return NOBODY.moment(at, seconds=True)


def date_text(day: date) -> str:
    """A day that is no moment, as whoever reads writes days."""
    return reader().locale.date(day)


def number_text(text: str) -> str:
    """A number as JSON has it, as whoever reads writes numbers."""
    return reader().locale.number(text)

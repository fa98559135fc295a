"""The database owns the clock; a test may set another time, which every statement then takes for now."""

from datetime import UTC, datetime

from django.db.models.functions import Now

_now: datetime | None = None


def now_or_none() -> datetime | None:
    """The time that a test has set; None, as always in production, lets the database decide."""
    return _now


def now_here() -> datetime:
    """The time of this machine, or the one that a test has set: for words on a page, not for what is decided."""
    return _now or datetime.now(UTC)


def now_there() -> datetime | Now:
    """The time as a condition of a query has it: the database's, or the one that a test has set."""
    return _now or Now()


def set_now(now: datetime | None) -> None:
    """Set the time that statements take for now; None gives the clock back to the database."""
    global _now
    _now = now

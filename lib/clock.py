"""The database owns the clock; a test may set another time, which every statement then takes for now."""

from datetime import datetime

_now: datetime | None = None


def now_or_none() -> datetime | None:
    """The time that a test has set; None, as always in production, lets the database decide."""
    return _now


def set_now(now: datetime | None) -> None:
    """Set the time that statements take for now; None gives the clock back to the database."""
    global _now
    _now = now

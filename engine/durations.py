"""ISO 8601 durations, all of them that have a fixed length (H-38: weeks and days count, months are refused); and
working days, whose length a calendar says: `2 business days`.
"""

import re
from datetime import timedelta

from engine.limits import WORKING_DAYS

_DURATION = re.compile(
    r"P(?:(?P<weeks>\d{1,6})W|(?:(?P<days>\d{1,6})D)?"
    r"(?:T(?=\d)(?:(?P<hours>\d{1,7})H)?(?:(?P<minutes>\d{1,9})M)?(?:(?P<seconds>\d{1,9}(?:[.,]\d{1,6})?)S)?)?)",
    re.ASCII,
)
_WORKING = re.compile(r"(\d{1,6}) (?:business|working) days?", re.ASCII | re.IGNORECASE)
_CALENDAR = re.compile(r"P[^T]*[YM]")


TEN_YEARS = timedelta(days=3_650)


def length_fault(text: str) -> str | None:
    """What keeps a text from being a length that can be waited for, and how to write it; None where nothing does."""
    if (days := working_days_of(text)) is not None:
        return None if 1 <= days <= WORKING_DAYS else f"must be 1 to {WORKING_DAYS:,} working days"
    try:
        length = parse_duration(text)
    except ValueError as error:
        return str(error)
    return "must be ten years at most" if length > TEN_YEARS else None


def parse_duration(text: str) -> timedelta:
    """`P7D`, `PT1H30M`, `P2W` as a timedelta. Raises ValueError for anything else, years and months included."""
    if _CALENDAR.match(text):
        raise ValueError("has years or months, which have no fixed length: write days, such as P30D")
    match = _DURATION.fullmatch(text)
    if not match or not any(match.groups()):
        raise ValueError("must be an ISO 8601 duration, such as PT30M, PT1H30M or P7D")
    return timedelta(**{unit: float(n.replace(",", ".")) for unit, n in match.groupdict().items() if n})


def working_days_of(text: str) -> int | None:
    """How many working days a text such as `2 business days` says; None where it is no such text."""
    match = _WORKING.fullmatch(text)
    return int(match[1]) if match else None

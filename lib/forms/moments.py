"""Moments and times of day as their reader's clock says them, and as they are kept.

A moment is kept in UTC, as `2027-01-31T09:00:00Z`; a time of day with its zone, as `09:00:00[Europe/Berlin]` (the
suffix of RFC 9557), so that it means the same in summer and in winter. What would not come back as it was, such as the
second 02:30 of a night in autumn, stays a text with its zone.
"""

import re
from datetime import UTC, datetime, time
from zoneinfo import ZoneInfo

from lib.reader import reader, zone_of

_LOCAL = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}(?::[0-9]{2})?", re.ASCII)
_ZONED_TIME = re.compile(r"([0-9]{2}:[0-9]{2}(?::[0-9]{2})?) ([\w/+-]{1,64})", re.ASCII)
_LOCAL_TIME = re.compile(r"[0-9]{2}:[0-9]{2}(?::[0-9]{2})?", re.ASCII)


def zone_named(name: str) -> ZoneInfo | None:
    """The zone that a form named; UTC for one that there isn't. Where it named none, the reader's, or None."""
    if name:
        return ZoneInfo(zone_of(name) or "UTC")
    return ZoneInfo(reader().zone) if reader().zone else None


def kept(kind: str, text: str, zone: ZoneInfo) -> str:
    """A local moment, or a time of day, as it is kept; any other text as it is."""
    try:
        if kind == "moment" and _LOCAL.fullmatch(text):
            return _z(datetime.fromisoformat(text).replace(tzinfo=zone).astimezone(UTC).isoformat())
        if kind == "time" and _LOCAL_TIME.fullmatch(text):
            return f"{time.fromisoformat(text).isoformat()}{'Z' if zone.key == 'UTC' else f'[{zone.key}]'}"
        match = _ZONED_TIME.fullmatch(text) if kind == "time" else None
        if match and zone_of(match[2]):
            return kept(kind, match[1], ZoneInfo(match[2]))
    except (ValueError, OverflowError):
        return text
    return text


def shown(kind: str, text: str, zone: ZoneInfo) -> str | None:
    """A text that is kept as the clock of the zone says it, "" for none; None where it must stay as it is."""
    if not text:
        return ""
    try:
        if kind == "moment":
            there = datetime.fromisoformat(text).astimezone(zone)
            local = there.replace(tzinfo=None).isoformat(timespec=_fineness(there.second))
        else:
            # A time with another zone stays in that one, and says so.
            at = time.fromisoformat(text.removesuffix("Z").removesuffix(f"[{zone.key}]"))
            local = at.isoformat(timespec=_fineness(at.second))
    except (ValueError, OverflowError):
        return None
    return local if kept(kind, local, zone) == text else None


def typed_time(text: str) -> str:
    """A time with another zone as it is shown and typed, `09:00 Europe/Berlin`; any other text as it is."""
    at, _, zone = text.removesuffix("]").partition("[")
    return f"{at.removesuffix(':00')} {zone}" if zone_of(zone) and _LOCAL_TIME.fullmatch(at) else text


def _z(text: str) -> str:
    return text.removesuffix("+00:00") + "Z"


def _fineness(second: int) -> str:
    return "seconds" if second else "minutes"

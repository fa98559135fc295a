"""Times of day in a time zone and the moments that they are, also where clocks are put forward or back. Pure."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

_SECOND = timedelta(seconds=1)


def moment_of(local: datetime, zone: ZoneInfo) -> datetime:
    """The moment, in UTC, at which a zone's clocks show a local time (a datetime without a zone, in whole seconds).

    A time that they skip is the moment at which they are put forward; one that they show twice is the first of both.
    """
    first = local.replace(tzinfo=zone, fold=0)
    moment = first.astimezone(UTC)
    if moment.astimezone(zone).replace(tzinfo=None) == local:
        return moment
    return _end_of_gap(local.replace(tzinfo=zone, fold=1).astimezone(UTC), moment, zone)


def start_of(day: date, zone: ZoneInfo) -> datetime:
    """The moment at which a day begins in a zone."""
    return moment_of(datetime.combine(day, time()), zone)


def _end_of_gap(before: datetime, after: datetime, zone: ZoneInfo) -> datetime:
    """The first second at which clocks show what they do `after` they were put forward, and not what they did
    `before`."""
    offset = after.astimezone(zone).utcoffset()
    while after - before > _SECOND:
        middle = before + timedelta(seconds=(after - before) // _SECOND // 2)
        if middle.astimezone(zone).utcoffset() == offset:
            after = middle
        else:
            before = middle
    return after

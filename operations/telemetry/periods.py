"""A period of telemetry as whole days and the hours around them; pure."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from lib.refusals import Invalid
from operations.telemetry.limits import FIGURES_PERIOD
from operations.telemetry.models import DAY, HOUR
from operations.telemetry.store import HOURS_KEPT_DAYS, Spans

USUAL = timedelta(days=7)
BY_THE_HOUR = timedelta(hours=48)
"""Up to so long a period is drawn by the hour."""
_TICK, _HOUR, _DAY = timedelta(microseconds=1), timedelta(hours=1), timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Period:
    """From when to when, in whole hours; `step`: by what it is drawn."""

    since: datetime
    until: datetime
    spans: Spans
    step: str

    @property
    def days(self) -> float:
        """How long it is, in days."""
        return (self.until - self.since) / _DAY

    @property
    def moments(self) -> list[datetime]:
        """Its hours or days, as they are drawn."""
        one = _HOUR if self.step == HOUR else _DAY
        first = self.since if self.step == HOUR else _floor_day(self.since)
        return [first + place * one for place in range(-((first - self.until) // one))]


def period(since: datetime | None, until: datetime | None, now: datetime) -> Period:
    """The period between two moments, as far as telemetry tells moments apart; without them the last seven days.

    Raises Invalid.
    """
    until = until or now
    try:
        since = since or until - USUAL
        if since >= until:
            raise Invalid("This must be before `to`.", field="from")
        if until - since > FIGURES_PERIOD:
            raise Invalid(f"A period has {FIGURES_PERIOD.days:,} days at most.", field="from")
        return _period(since, until, now)
    except OverflowError:
        raise Invalid("There is no telemetry of such a time.", field="to") from None


def _period(since: datetime, until: datetime, now: datetime) -> Period:
    # What is older has no hours any more; a day more, so that none is asked for that is just deleted.
    oldest = now - timedelta(days=HOURS_KEPT_DAYS - 1)
    since = _floor_day(since) if since < oldest else _floor_hour(since)
    until = _floor_day(until + _DAY - _TICK) if until < oldest else _floor_hour(until + _HOUR - _TICK)
    by_the_hour = until - since <= BY_THE_HOUR and since >= oldest
    first, last = _floor_day(since + _DAY - _TICK), _floor_day(until)
    if by_the_hour or first >= last:
        return Period(
            since, until, Spans(since, until, since, since, until, until), HOUR if by_the_hour else DAY
        )
    return Period(since, until, Spans(since, first, first, last, last, until), DAY)


def _floor_hour(moment: datetime) -> datetime:
    return moment.astimezone(UTC).replace(minute=0, second=0, microsecond=0)


def _floor_day(moment: datetime) -> datetime:
    return _floor_hour(moment).replace(hour=0)

"""Times beside steps and of runs: in seconds, or in working days, which a calendar counts once they begin."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from engine.durations import parse_duration, working_days_of


class WorkingDays(NamedTuple):
    """So many working days of a calendar of the tenant; of none named, of its default one."""

    days: int
    calendar: str | None


@dataclass(frozen=True, slots=True)
class BoundaryTimer:
    """A timer that runs beside a step: when it fires, the edge to `target` is taken (R-018, R-121).

    `length`: where it is counted in working days, and no `seconds` say it.
    """

    seconds: float
    interrupting: bool
    target: str
    length: WorkingDays | None = None


def boundary_of(raw: Mapping[str, Any]) -> tuple[BoundaryTimer, ...]:
    """A node's boundary timers; they interrupt it unless they say otherwise."""
    return tuple(_timer(timer) for timer in raw.get("boundary_timers") or ())


def _timer(raw: Mapping[str, Any]) -> BoundaryTimer:
    seconds, length = raw.get("after_seconds") or 0, None
    if not seconds:
        days = working_days_of(raw["duration"])
        length = None if days is None else WorkingDays(days, raw.get("calendar"))
        seconds = 0 if length else parse_duration(raw["duration"]).total_seconds()
    return BoundaryTimer(seconds, raw.get("interrupting") is not False, raw["to"], length)

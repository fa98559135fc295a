"""Times that are counted in working days: when such a time is over is said once, as it begins (docs/schedules.md).

A calendar that is changed later moves nothing that was counted by it: each time keeps which revision that was.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

from engine.catalogue import Json
from engine.graph import Node
from engine.timers import WorkingDays
from lib.uuid7 import uuid7
from lib.workdays import Exceptional, NoWorkingDay, WorkCalendar, add_working_days
from runs.kernel import graphs
from runs.models import Calendar, StepExecution
from runs.store import calendars as store
from runs.store import waits
from runs.store.attempts import ClaimedStep, Suspended
from runs.store.calendars import moment
from runs.store.rows import TimerRow

CalendarKey = tuple[int, int, str | None]
"""A tenant, a version, and the name of a calendar in it; None: the default one of the tenant."""
Record = Mapping[str, int]
"""By which calendar a time was counted: its `id` and `revision`."""
Waiting = list[tuple[ClaimedStep, Suspended]]


@dataclass(frozen=True, slots=True)
class KeptCalendar(WorkCalendar):
    """A calendar as it is now. `is_named`: it is the one that was asked for, and does not stand in for that."""

    id: int | None = None
    revision: int = 0
    is_named: bool = False

    @property
    def record(self) -> Record | None:
        """What a time that is counted by it keeps; None where the tenant has no calendar."""
        return None if self.id is None else {"id": self.id, "revision": self.revision}


STANDARD = KeptCalendar("Monday to Friday", "UTC")
"""What counts where a tenant has no calendar."""


def work_calendar(columns: Mapping[str, Json]) -> WorkCalendar:
    """The calendar that has these columns."""
    exceptions = {
        date.fromisoformat(one["date"]): Exceptional(one["works"], one["name"])
        for one in columns["exceptions"]
    }
    return WorkCalendar(
        name=columns["name"],
        timezone=columns["timezone"],
        weekdays=frozenset(columns["weekdays"]),
        opens=columns["opens"],
        closes=columns["closes"],
        region=columns["region"],
        exceptions=exceptions,
    )


def calendar_of(row: Calendar) -> WorkCalendar:
    """The calendar of a row."""
    names = ("name", "timezone", "weekdays", "opens", "closes", "region", "exceptions")
    return work_calendar({name: getattr(row, name) for name in names})


def calendars(keys: Iterable[CalendarKey]) -> dict[CalendarKey, KeptCalendar]:
    """These calendars; for one that is not there its tenant's default one stands. One statement."""
    rows: list[store.KeyRow] = [
        {"tenant": tenant, "version": version, "name": name, "pinned": _pinned(version, name)}
        for tenant, version, name in set(keys)
    ]
    return {
        (tenant, version, name): STANDARD if columns is None else _kept(columns)
        for tenant, version, name, columns in store.work_calendars(rows)
    }


def _pinned(version: int, name: str | None) -> int | None:
    """The calendar that a version has pinned under a name."""
    if name is None:
        return None
    one = graphs.shown_or_none(version)
    return None if one is None else one.calendars.get(name)


def _kept(columns: Mapping[str, Json]) -> KeptCalendar:
    plain = work_calendar(columns)
    own = {name: columns[name] for name in ("id", "revision", "is_named")}
    return KeptCalendar(
        plain.name,
        plain.timezone,
        plain.weekdays,
        plain.opens,
        plain.closes,
        plain.region,
        plain.exceptions,
        **own,
    )


def later(calendar: KeptCalendar, start: datetime, length: WorkingDays) -> tuple[datetime, str]:
    """When so many working days are over, and in words how they were counted. Where the calendar has none, days are."""
    try:
        end = add_working_days(calendar, start, length.days)
    except NoWorkingDay as error:
        return start + timedelta(days=length.days), f"{_days(length)} as days: {error}"
    return end, in_words(calendar, length)


def in_words(calendar: KeptCalendar, length: WorkingDays) -> str:
    """So many working days of a calendar, which is the default one where that of the length is not there."""
    missing = (
        "" if length.calendar is None or calendar.is_named else f"; there is no calendar {length.calendar}"
    )
    return f"{_days(length)} of {calendar.name} ({calendar.timezone}){missing}"


def _days(length: WorkingDays) -> str:
    return f"{length.days:,} working day{'' if length.days == 1 else 's'}"


def counted_from(
    tenant: int, version: int, start: datetime, length: WorkingDays
) -> tuple[datetime, str, Record | None]:
    """When so many working days from a moment are over, and how they were counted, in words and for programs."""
    [calendar] = calendars([(tenant, version, length.calendar)]).values()
    return *later(calendar, start, length), calendar.record


def counted(waiting: Waiting) -> Waiting:
    """The waits, of those in working days with the moment at which they are over, from when the step's turn came."""
    lengths = {step.id: length for step, result in waiting if (length := _length(result.wait))}
    if not lengths:
        return waiting
    steps = {step.id: step for step, _ in waiting if step.id in lengths}
    by_key = calendars(_key(steps[step], length) for step, length in lengths.items())
    turns = _turns(steps.values())
    return [
        (step, result)
        if (length := lengths.get(step.id)) is None
        else (step, _until(result, by_key[_key(step, length)], turns[step.id], length))
        for step, result in waiting
    ]


def _key(step: ClaimedStep, length: WorkingDays) -> CalendarKey:
    return step.tenant_id, step.version_id, length.calendar


def _length(wait: Mapping[str, Json]) -> WorkingDays | None:
    timer = wait.get("timer") or {}
    return WorkingDays(timer["working_days"], timer["calendar"]) if "working_days" in timer else None


def _turns(steps: Iterable[ClaimedStep]) -> dict[str, datetime]:
    """When the turn of each of these steps came."""
    turns: dict[str, datetime] = {}
    by_tenant: dict[int, list[str]] = {}
    for step in steps:
        by_tenant.setdefault(step.tenant_id, []).append(step.id)
    for tenant, ids in by_tenant.items():
        rows = StepExecution.objects.for_tenant(tenant).filter(pk__in=ids).values_list("pk", "queued_at")
        turns |= {str(step): queued_at for step, queued_at in rows}
    return turns


def _until(result: Suspended, calendar: KeptCalendar, turn: datetime, length: WorkingDays) -> Suspended:
    end, words = later(calendar, turn, length)
    timer = {"kind": result.wait["timer"]["kind"], "until": end.astimezone(UTC).isoformat()}
    record = {} if calendar.record is None else {"calendar": calendar.record}
    return replace(result, wait={**result.wait, "counts": words, **record, "timer": timer})


class CountedTimer(TimerRow, total=False):
    """A boundary timer to arm; `length`: where it is counted in working days, and `seconds` say nothing."""

    length: WorkingDays | None


def boundary_timers(node: Node, step: str, fired: Collection[str] = ()) -> list[CountedTimer]:
    """The rows of a step's boundary timers, without those that only take an edge that has `fired` already.

    By when it must have begun is one without a target.
    """
    timers: list[tuple[str | None, bool, float, WorkingDays | None]] = [
        (timer.target, timer.interrupting, timer.seconds, timer.length)
        for timer in node.boundary
        if timer.interrupting or timer.target not in fired
    ]
    if node.start_seconds is not None:
        timers.append((None, True, node.start_seconds, None))
    return [
        {
            "id": uuid7(),
            "step_id": step,
            "target": target,
            "interrupting": stops,
            "seconds": seconds,
            "calendar": None,
            "length": length,
        }
        for target, stops, seconds, length in timers
    ]


def arm(timers: Sequence[CountedTimer], owners: Mapping[str, tuple[int, int]]) -> None:
    """Arm boundary timers; those in working days for when these are over. `owners`: tenant and version of each step."""
    keys: dict[str, CalendarKey] = {
        row["id"]: (*owners[row["step_id"]], length.calendar)
        for row in timers
        if (length := row.get("length"))
    }
    by_key, now = (calendars(keys.values()), moment()) if keys else ({}, None)
    counting = {timer: by_key[key] for timer, key in keys.items()}
    waits.arm_timers([_plain(row, counting.get(row["id"]), now) for row in timers])


def _plain(row: CountedTimer, calendar: KeptCalendar | None, now: datetime | None) -> TimerRow:
    plain: TimerRow = {
        "id": row["id"],
        "step_id": row["step_id"],
        "target": row["target"],
        "interrupting": row["interrupting"],
        "seconds": row["seconds"],
        "calendar": None,
    }
    if calendar is not None and now is not None and (length := row.get("length")):
        end, _ = later(calendar, now, length)
        plain["seconds"], plain["calendar"] = (end - now).total_seconds(), calendar.record
    return plain

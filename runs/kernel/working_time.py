"""Times that are counted in working days: when such a time is over is said once, as it begins (docs/schedules.md).

A calendar that is changed later moves nothing that was counted by it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta

from engine.catalogue import Json
from engine.graph import Node
from engine.timers import WorkingDays
from lib.uuid7 import uuid7
from lib.workdays import Exceptional, NoWorkingDay, WorkCalendar, add_working_days
from runs.models import Calendar, StepExecution
from runs.store import waits
from runs.store.attempts import ClaimedStep, Suspended
from runs.store.rows import TimerRow
from runs.store.schedules import moment

DEFAULT = "default"
"""What a tenant calls its default calendar; where none is called so, it is the oldest one."""
STANDARD = WorkCalendar("Monday to Friday", "UTC")
"""What counts where a tenant has no calendar."""

CalendarKey = tuple[int, str | None]
"""A tenant, and the name of a calendar of it; None: its default one."""
Waiting = list[tuple[ClaimedStep, Suspended]]


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


def calendars(keys: Iterable[CalendarKey]) -> dict[CalendarKey, WorkCalendar]:
    """These calendars; for one that is not there its tenant's default one stands. One statement."""
    names_by_tenant: dict[int, set[str | None]] = {}
    for tenant, name in keys:
        names_by_tenant.setdefault(tenant, set()).add(name)
    there: dict[int, dict[str, Calendar]] = {tenant: {} for tenant in names_by_tenant}
    for calendar in Calendar.unsafe_all_tenants.filter(tenant__in=list(names_by_tenant)).order_by("-pk"):
        there[calendar.tenant_id][calendar.name] = calendar
    by_key: dict[CalendarKey, WorkCalendar] = {}
    for tenant, names in names_by_tenant.items():
        rows = there[tenant]
        usual = rows.get(DEFAULT) or next(reversed(rows.values()), None)
        for name in names:
            row = rows.get(name or "", usual)
            by_key[tenant, name] = STANDARD if row is None else calendar_of(row)
    return by_key


def later(calendar: WorkCalendar, start: datetime, length: WorkingDays) -> tuple[datetime, str]:
    """When so many working days are over, and in words how they were counted. Where the calendar has none, days are."""
    try:
        end = add_working_days(calendar, start, length.days)
    except NoWorkingDay as error:
        return start + timedelta(days=length.days), f"{_days(length)} as days: {error}"
    return end, in_words(calendar, length)


def in_words(calendar: WorkCalendar, length: WorkingDays) -> str:
    """So many working days of a calendar, which is the default one where that of the length is not there."""
    missing = "" if length.calendar in (None, calendar.name) else f"; there is no calendar {length.calendar}"
    return f"{_days(length)} of {calendar.name} ({calendar.timezone}){missing}"


def _days(length: WorkingDays) -> str:
    return f"{length.days:,} working day{'' if length.days == 1 else 's'}"


def from_now(tenant: int, length: WorkingDays) -> tuple[datetime, datetime, str]:
    """The database's time, when so many working days from then are over, and in words how they were counted."""
    now = moment()
    return now, *later(calendars([(tenant, length.calendar)])[tenant, length.calendar], now, length)


def counted(waiting: Waiting) -> Waiting:
    """The waits, of those in working days with the moment at which they are over, from when the step's turn came."""
    lengths = {step.id: length for step, result in waiting if (length := _length(result.wait))}
    if not lengths:
        return waiting
    steps = {step.id: step for step, _ in waiting if step.id in lengths}
    by_key = calendars((steps[step].tenant_id, length.calendar) for step, length in lengths.items())
    turns = _turns(steps.values())
    return [
        (step, result)
        if (length := lengths.get(step.id)) is None
        else (step, _until(result, *later(by_key[step.tenant_id, length.calendar], turns[step.id], length)))
        for step, result in waiting
    ]


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


def _until(result: Suspended, end: datetime, words: str) -> Suspended:
    timer = {"kind": result.wait["timer"]["kind"], "until": end.astimezone(UTC).isoformat()}
    return replace(result, wait={**result.wait, "counts": words, "timer": timer})


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
            "length": length,
        }
        for target, stops, seconds, length in timers
    ]


def arm(timers: Sequence[CountedTimer], tenants: Mapping[str, int]) -> None:
    """Arm boundary timers; those in working days for when these are over. `tenants`: whose each step is."""
    lengths = {row["id"]: length for row in timers if (length := row.get("length"))}
    seconds: dict[str, float] = {}
    if lengths:
        now = moment()
        owners = {row["id"]: tenants[row["step_id"]] for row in timers if row["id"] in lengths}
        by_key = calendars((owners[timer], length.calendar) for timer, length in lengths.items())
        for timer, length in lengths.items():
            end, _ = later(by_key[owners[timer], length.calendar], now, length)
            seconds[timer] = (end - now).total_seconds()
    waits.arm_timers([_plain(row, seconds.get(row["id"])) for row in timers])


def _plain(row: CountedTimer, seconds: float | None) -> TimerRow:
    return {
        "id": row["id"],
        "step_id": row["step_id"],
        "target": row["target"],
        "interrupting": row["interrupting"],
        "seconds": row["seconds"] if seconds is None else seconds,
    }

"""Working calendars: make, change, remove; and what their days are."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import ProtectedError, QuerySet

from accounts import audit
from accounts.principal import Forbidden, Principal
from accounts.roles import WORKFLOWS_WRITE
from engine.catalogue import Json
from lib.reader import zones
from lib.refusals import Conflict, Invalid, Missing
from lib.workdays import WorkCalendar, regions
from runs.kernel.working_time import calendar_of
from runs.models import Calendar, Schedule
from runs.schedules.times import fires_at, next_due
from runs.schedules.timing import timing_of
from runs.store import schedules as store
from workflows.access import may_anywhere

LONGEST_NAME = 128
MOST_EXCEPTIONS = 1_000
MOST_DAYS = 400
WORKWEEK = (1, 2, 3, 4, 5)
_TIME = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d|24:00", re.ASCII)


@dataclass(frozen=True, slots=True)
class Day:
    """A day of a calendar: whether it is worked on, and its name if it has one."""

    day: date
    works: bool
    name: str


def calendars_of(tenant_id: int) -> QuerySet[Calendar]:
    """The tenant's calendars."""
    return Calendar.objects.for_tenant(tenant_id)


def find_calendar(tenant_id: int, name: str) -> Calendar | None:
    """The tenant's calendar of this name, if there is one."""
    return None if "\x00" in name else calendars_of(tenant_id).filter(name=name).first()


def get_calendar(tenant_id: int, name: str) -> Calendar:
    """The tenant's calendar of this name. Raises Missing."""
    if (calendar := find_calendar(tenant_id, name)) is None:
        raise Missing("There is no such calendar.")
    return calendar


def create_calendar(
    principal: Principal, *, name: str, reason: str | None = None, **values: Json
) -> Calendar:
    """A new calendar. Raises Invalid naming the field, Conflict for a name that is taken, Forbidden."""
    _require(principal)
    standard = {"timezone": "UTC", "weekdays": list(WORKWEEK), "hours": {"from": "09:00", "to": "17:00"}}
    calendar = Calendar(tenant_id=principal.tenant_id)
    _set(calendar, {**standard, **values, "name": name})
    _save(principal, calendar, "create", reason)
    return calendar


def change_calendar(
    principal: Principal, current: str, *, reason: str | None = None, **values: Json
) -> Calendar:
    """Change what is given; schedules are due by it from now on. Raises as `create_calendar`, Missing."""
    _require(principal)
    with transaction.atomic():
        rows = calendars_of(principal.tenant_id).select_for_update()
        calendar = rows.filter(pk=get_calendar(principal.tenant_id, current).pk).first()
        if calendar is None:
            raise Missing("There is no such calendar.")
        before = _facts_of(calendar)
        _set(calendar, values)
        _save(principal, calendar, "change", reason, before)
        _move_schedules(calendar)
    return calendar


def delete_calendar(principal: Principal, name: str, *, reason: str | None = None) -> None:
    """Remove a calendar. Raises Missing, Forbidden, Conflict while a schedule keeps to it."""
    _require(principal)
    calendar = get_calendar(principal.tenant_id, name)
    try:
        with transaction.atomic():
            before = _facts_of(calendar)
            calendar.delete()
            audit.change(principal, "calendar.delete", name, before=before, reason=reason)
    except ProtectedError:
        raise Conflict("Schedules use this calendar: change them first.", code="in_use") from None


def days_of(calendar: WorkCalendar, first: date, last: date) -> list[Day]:
    """The days from `first` to `last`. Raises Invalid for more than fit into one answer."""
    if last < first:
        raise Invalid("This is before the first day.", field="to")
    if (last - first).days >= MOST_DAYS:
        raise Invalid(f"At most {MOST_DAYS} days are allowed.", field="to")
    days = [first + timedelta(days=ahead) for ahead in range((last - first).days + 1)]
    return [Day(day, calendar.is_working(day), calendar.name_of(day)) for day in days]


def hours_text(minutes: int) -> str:
    """Minutes since midnight as a clock shows them."""
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _move_schedules(calendar: Calendar) -> None:
    rows = Schedule.objects.for_tenant(calendar.tenant_id).select_for_update().order_by("pk")
    now = store.moment()
    for schedule in rows.filter(calendar=calendar, enabled=True):
        if schedule.next_due_at is not None and schedule.next_due_at <= now:
            continue
        schedule.calendar = calendar
        due = next_due(timing_of(schedule), now)
        fire_at = due and fires_at(str(schedule.pk), due, schedule.jitter_seconds)
        rows.filter(pk=schedule.pk).update(next_due_at=due, fire_at=fire_at)


def _facts_of(calendar: Calendar) -> dict[str, Json]:
    """What the audit log says of a calendar."""
    names = ("name", "timezone", "region", "weekdays", "opens", "closes", "exceptions")
    return audit.fields_of(calendar, *names)


def _save(
    principal: Principal,
    calendar: Calendar,
    act: str,
    reason: str | None,
    before: dict[str, Json] | None = None,
) -> None:
    try:
        with transaction.atomic():
            _write(calendar)
            after = _facts_of(calendar)
            audit.change(
                principal, f"calendar.{act}", calendar.name, before=before, after=after, reason=reason
            )
    except IntegrityError:
        text = f"A calendar {calendar.name!r} already exists."
        raise Conflict(text, code="name_taken", field="name") from None


def _write(calendar: Calendar) -> None:
    if calendar.pk is None:
        Calendar.objects.bulk_create([calendar])
        return
    names = ("name", "timezone", "region", "weekdays", "opens", "closes", "exceptions")
    changed = {name: getattr(calendar, name) for name in names}
    calendars_of(calendar.tenant_id).filter(pk=calendar.pk).update(**changed)


def _set(calendar: Calendar, values: Mapping[str, Any]) -> None:
    for field, value in values.items():
        match field:
            case "name":
                calendar.name = _name(value)
            case "timezone":
                calendar.timezone = _zone(value)
            case "region":
                calendar.region = _region(value)
            case "weekdays":
                calendar.weekdays = _weekdays(value)
            case "hours":
                calendar.opens, calendar.closes = _hours(value)
            case "exceptions":
                calendar.exceptions = _exceptions(value)
    if calendar_of(calendar).next_working(date.today()) is None:  # noqa: DTZ011 - any day will do
        raise Invalid("This calendar has no working days.", field="weekdays")


def _name(name: str) -> str:
    wrong = "/" in name or name != name.strip() or not name.isprintable() or name in (".", "..")
    if not 0 < len(name) <= LONGEST_NAME or wrong:
        text = f"This must have 1 to {LONGEST_NAME} characters, no slash, and no leading or trailing blanks."
        raise Invalid(text, field="name")
    return name


def _zone(zone: str) -> str:
    if zone not in zones():
        raise Invalid("This is not a time zone: write Europe/Berlin or UTC.", field="timezone")
    return zone


def _region(region: str) -> str:
    if region and region not in regions():
        text = "The holidays of this region are not known: write DE, DE-BY, US, US-CA and so on."
        raise Invalid(text, field="region")
    return region


def _weekdays(days: Sequence[int]) -> list[int]:
    if not days or not set(days) <= set(range(1, 8)):
        raise Invalid("Give at least one day of the week, from 1 (Monday) to 7.", field="weekdays")
    return sorted(set(days))


def _hours(hours: Mapping[str, str]) -> tuple[int, int]:
    for part in ("from", "to"):
        if not _TIME.fullmatch(hours[part]):
            raise Invalid("This must be a time of day such as 09:00.", field=f"hours.{part}")
    opens, closes = (int(hours[part][:2]) * 60 + int(hours[part][3:]) for part in ("from", "to"))
    if opens >= closes:
        raise Invalid("This must be after the start.", field="hours.to")
    return opens, closes


def _exceptions(exceptions: Sequence[Mapping[str, Any]]) -> list[dict[str, Json]]:
    days = [one["date"] for one in exceptions]
    if len(days) > MOST_EXCEPTIONS:
        raise Invalid(f"At most {MOST_EXCEPTIONS:,} days are allowed.", field="exceptions")
    if len(set(days)) < len(days):
        raise Invalid("A day is listed more than once.", field="exceptions")
    rows = [
        {"date": one["date"].isoformat(), "works": one["works"], "name": one.get("name", "")}
        for one in exceptions
    ]
    return sorted(rows, key=lambda row: row["date"])


def _require(principal: Principal) -> None:
    principal.require(WORKFLOWS_WRITE)
    if not may_anywhere(principal, WORKFLOWS_WRITE):
        raise Forbidden("Calendars need the right to edit workflows in a folder. An admin can grant it.")

"""Working calendars: make, change, remove; and what their days are."""

import re
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from datetime import date, timedelta
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from accounts import audit
from accounts.folders import folder_named, hold_folder
from accounts.models import Folder
from accounts.principal import Forbidden, Principal
from accounts.roles import EDIT, MEMBERS_MANAGE, READ, WORKFLOWS_WRITE
from engine.catalogue import Json
from lib.reader import zones
from lib.refusals import Conflict, Invalid, Missing
from lib.workdays import WorkCalendar, regions
from runs.calendars.uses import Uses, used_outside, uses_of
from runs.kernel.working_time import calendar_of
from runs.limits import CALENDAR_DAYS, CALENDAR_EXCEPTIONS, CALENDAR_NAME_CHARACTERS
from runs.models import Calendar
from runs.ports import CALENDAR_USERS

WORKWEEK = (1, 2, 3, 4, 5)
_RULES = ("timezone", "region", "weekdays", "opens", "closes", "exceptions")
_NAMED = 5
"""So many users of a calendar are named in a sentence."""
_TIME = re.compile(r"(?:[01]\d|2[0-3]):[0-5]\d|24:00", re.ASCII)


@dataclass(frozen=True, slots=True)
class Day:
    """A day of a calendar: whether it is worked on, and its name if it has one."""

    day: date
    works: bool
    name: str


def calendars_of(tenant_id: int) -> QuerySet[Calendar]:
    """The tenant's calendars, with their folders."""
    return Calendar.objects.for_tenant(tenant_id).select_related("folder")


def readable_calendars(principal: Principal) -> QuerySet[Calendar]:
    """The calendars that they may read: those of the tenant, and of folders in which they read."""
    rows, folders = calendars_of(principal.tenant_id), principal.reach.folders(READ)
    return rows if folders is None else rows.filter(Q(folder=None) | Q(folder__in=folders))


def find_calendar(principal: Principal, name: str) -> Calendar | None:
    """The calendar of this name, if there is one that they may read."""
    return None if "\x00" in name else readable_calendars(principal).filter(name=name).first()


def get_calendar(principal: Principal, name: str) -> Calendar:
    """The calendar of this name. Raises Missing, also for one that they may not read."""
    if (calendar := find_calendar(principal, name)) is None:
        raise Missing("There is no such calendar.")
    return calendar


def may_change(principal: Principal, calendar: Calendar) -> bool:
    """Whether they may change a calendar: who edits in its folder may; that of the tenant admins may."""
    if calendar.folder_id is None:
        return {WORKFLOWS_WRITE, MEMBERS_MANAGE} <= principal.scopes
    return principal.may_in(WORKFLOWS_WRITE, calendar.folder_id)


def create_calendar(
    principal: Principal, *, name: str, folder: str | None = None, reason: str | None = None, **values: Json
) -> Calendar:
    """A new calendar of a folder, by its name, or of the tenant.

    Raises Invalid naming the field, Conflict for a name that is taken, Forbidden.
    """
    principal.require(WORKFLOWS_WRITE)
    standard = {"timezone": "UTC", "weekdays": list(WORKWEEK), "hours": {"from": "09:00", "to": "17:00"}}
    calendar = Calendar(tenant_id=principal.tenant_id)
    calendar.folder = _folder(principal, folder)
    _set(calendar, {**standard, **values, "name": name})
    with transaction.atomic():
        if calendar.folder is not None:
            hold_folder(calendar.folder)
        _save(principal, calendar, "create", reason)
    return calendar


def change_calendar(
    principal: Principal, current: str, *, reason: str | None = None, **values: Json
) -> Calendar:
    """Change what is given; schedules are due by it from now on. Raises as `create_calendar`, Missing, and Conflict
    where it would leave the folder of workflows that use it.
    """
    with transaction.atomic():
        calendar = _locked(principal, current)
        rules, before = _rules(calendar), _facts_of(calendar)
        if "folder" in values:
            _move(principal, calendar, values["folder"])
        _set(calendar, values)
        has_other_rules = _rules(calendar) != rules
        calendar.revision += has_other_rules
        _save(principal, calendar, "change", reason, before)
        if has_other_rules:
            for user in CALENDAR_USERS:
                user.follow(calendar)
    return calendar


def preview_change(principal: Principal, current: str, **values: Json) -> Uses:
    """Who uses a calendar, and when schedules would be due by it with these values. Raises as `change_calendar`."""
    calendar = get_calendar(principal, current)
    _require(principal, calendar)
    changed = copy(calendar)
    _set(changed, values)
    return replace(uses_of(principal, calendar, changed), has_other_rules=_rules(changed) != _rules(calendar))


def delete_calendar(principal: Principal, name: str, *, reason: str | None = None) -> None:
    """Remove a calendar. Raises Missing, Forbidden, Conflict with its users while there are such."""
    with transaction.atomic():
        calendar = _locked(principal, name)
        uses = uses_of(principal, calendar)
        if uses.is_in_use:
            raise Conflict(_in_use(uses), code="in_use", details=_names(uses))
        before = _facts_of(calendar)
        calendar.delete()
        audit.change(principal, "calendar.delete", name, before=before, reason=reason)


def _in_use(uses: Uses) -> str:
    users = [f"the workflow {one.workflow}" for one in uses.workflows]
    users += [f"the schedule {one.name}" for one in uses.schedules]
    others = len(users[_NAMED:]) + uses.other_workflows + uses.other_schedules
    text = ", ".join(users[:_NAMED]) or "others"
    if users and others:
        text += f" and {others} more"
    return f"This calendar is in use by {text}: change them first."


def _names(uses: Uses) -> dict[str, object]:
    return {
        "workflows": [one.workflow for one in uses.workflows],
        "schedules": [one.name for one in uses.schedules],
        "others": uses.other_workflows + uses.other_schedules,
    }


def _locked(principal: Principal, name: str) -> Calendar:
    """A calendar that they may change, and nobody else meanwhile. Raises Missing and Forbidden."""
    calendar = get_calendar(principal, name)
    _require(principal, calendar)
    # What names it for a new version holds it; what is read from here on is later than that.
    rows = Calendar.objects.for_tenant(principal.tenant_id).select_for_update()
    locked = rows.filter(pk=calendar.pk).first()
    if locked is None:
        raise Missing("There is no such calendar.")
    _require(principal, locked)
    return locked


def _move(principal: Principal, calendar: Calendar, name: str | None) -> None:
    """Have it belong to another folder, by its name, or to the tenant."""
    folder = _folder(principal, name)
    if folder is not None:
        hold_folder(folder)
        if folder.pk != calendar.folder_id and used_outside(calendar, folder.pk):
            message = f"Workflows outside of {folder.name} use this calendar: change them first."
            raise Conflict(
                message, code="in_use", field="folder", details=_names(uses_of(principal, calendar))
            )
    calendar.folder = folder


def _folder(principal: Principal, name: str | None) -> Folder | None:
    """The folder of this name in which they edit; None for the tenant. Raises Invalid and Forbidden."""
    if name is None:
        _require_admin(principal)
        return None
    return folder_named(principal, name, EDIT)


def _require(principal: Principal, calendar: Calendar) -> None:
    principal.require(WORKFLOWS_WRITE)
    if calendar.folder_id is None:
        _require_admin(principal)
    elif not principal.may_in(WORKFLOWS_WRITE, calendar.folder_id):
        raise Forbidden(
            "Changing this calendar needs the right to edit workflows in its folder. An admin can grant it."
        )


def _require_admin(principal: Principal) -> None:
    if MEMBERS_MANAGE not in principal.scopes:
        raise Forbidden(
            "Calendars of the tenant are made and changed by admins: name a `folder` in which you may edit."
        )


def _rules(calendar: Calendar) -> tuple[Json, ...]:
    return tuple(getattr(calendar, name) for name in _RULES)


def days_of(calendar: WorkCalendar, first: date, last: date) -> list[Day]:
    """The days from `first` to `last`. Raises Invalid for more than fit into one answer."""
    if last < first:
        raise Invalid("This is before the first day.", field="to")
    if (last - first).days >= CALENDAR_DAYS:
        raise Invalid(f"At most {CALENDAR_DAYS} days are allowed.", field="to")
    days = [first + timedelta(days=ahead) for ahead in range((last - first).days + 1)]
    return [Day(day, calendar.is_working(day), calendar.name_of(day)) for day in days]


def hours_text(minutes: int) -> str:
    """Minutes since midnight as a clock shows them."""
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _facts_of(calendar: Calendar) -> dict[str, Json]:
    """What the audit log says of a calendar."""
    names = ("name", "folder_id", "timezone", "region", "weekdays", "opens", "closes", "exceptions")
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
    changed = {name: getattr(calendar, name) for name in ("name", "folder_id", "revision", *_RULES)}
    Calendar.objects.for_tenant(calendar.tenant_id).filter(pk=calendar.pk).update(**changed)


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
    if not 0 < len(name) <= CALENDAR_NAME_CHARACTERS or wrong:
        sizes = f"1 to {CALENDAR_NAME_CHARACTERS} characters"
        text = f"This must have {sizes}, no slash, and no leading or trailing blanks."
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
    if len(days) > CALENDAR_EXCEPTIONS:
        raise Invalid(f"At most {CALENDAR_EXCEPTIONS:,} days are allowed.", field="exceptions")
    if len(set(days)) < len(days):
        raise Invalid("A day is listed more than once.", field="exceptions")
    rows = [
        {"date": one["date"].isoformat(), "works": one["works"], "name": one.get("name", "")}
        for one in exceptions
    ]
    return sorted(rows, key=lambda row: row["date"])

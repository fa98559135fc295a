"""The pages of working calendars: which there are, and one: its rules, and the year that they make."""

import re
from collections.abc import Mapping
from datetime import date, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render

from accounts import pages
from accounts.access import PageRequest, page
from accounts.folders import folders_of
from accounts.roles import EDIT, MEMBERS_MANAGE, WORKFLOWS_READ, WORKFLOWS_WRITE
from lib.clock import now_here
from lib.reader import reader, zones
from lib.refusals import Conflict, Invalid, Missing, NotAllowed
from lib.workdays import regions
from runs.calendars import calendars
from runs.calendars.uses import LISTED, Due, Uses, uses_of
from runs.kernel.working_time import calendar_of
from runs.models import Calendar
from runs.reading import operations
from runs.web import month_grid
from runs.web.month_grid import WEEKDAYS
from workflows import titles
from workflows.access import may_anywhere

_FIELDS = ("name", "folder", "timezone", "region", "opens", "closes", "exceptions")
_LINE = re.compile(r"(\d{4}-\d{2}-\d{2})(?:\s+(free|works)\b)?\s*(.*)", re.ASCII)
_YEAR_DAYS = 365


@page(WORKFLOWS_READ)
def calendar_list(request: PageRequest) -> HttpResponse:
    """The calendars of the tenant and of folders that they may read, by name."""
    rows = calendars.readable_calendars(request.principal).order_by("name")
    entries = [{"it": one, "days": _days(one), "hours": _hours(one)} for one in rows[: pages.ON_A_PAGE]]
    may_write = may_anywhere(request.principal, WORKFLOWS_WRITE)
    return render(request, "calendars/list.html", {"calendars": entries, "may_write": may_write})


@page(WORKFLOWS_WRITE, "GET", "POST")
def new_calendar(request: PageRequest) -> HttpResponse:
    """The form of a new calendar."""
    if request.method != "POST":
        values = {
            "name": "",
            "timezone": reader().zone or "UTC",
            "region": "",
            "opens": "09:00",
            "closes": "17:00",
            "exceptions": "",
            "folder": next(iter(_folders(request)), ""),
        }
        return _form(request, values, calendars.WORKWEEK)
    return _saved(request, None)


@page(WORKFLOWS_READ)
def calendar_page(request: PageRequest, calendar_id: int) -> HttpResponse:
    """One calendar: the year that its rules make, and the form of these."""
    calendar = _found(request, calendar_id)
    return _form(request, _standing(calendar), calendar.weekdays, calendar)


@page(WORKFLOWS_WRITE, "POST")
def change_calendar(request: PageRequest, calendar_id: int) -> HttpResponse:
    """Changes a calendar as its form says: first it shows what that moves, where anybody uses the calendar."""
    return _saved(request, _found(request, calendar_id))


@page(WORKFLOWS_WRITE, "POST")
def delete_calendar(request: PageRequest, calendar_id: int) -> HttpResponse:
    """Removes a calendar that nobody uses."""
    calendar = _found(request, calendar_id)
    try:
        calendars.delete_calendar(request.principal, calendar.name)
    except Conflict as error:
        messages.error(request, error.message)
        return redirect("calendar", calendar_id)
    messages.success(request, f"“{calendar.name}” is deleted.")
    return redirect("calendars")


def _found(request: PageRequest, calendar_id: int) -> Calendar:
    calendar = calendars.readable_calendars(request.principal).filter(pk=calendar_id).first()
    if calendar is None:
        raise Missing("There is no such calendar.")
    return calendar


def _may_write(request: PageRequest, calendar: Calendar | None) -> bool:
    if calendar is None:
        return may_anywhere(request.principal, WORKFLOWS_WRITE)
    return calendars.may_change(request.principal, calendar)


def _folders(request: PageRequest) -> list[str]:
    """The folders in which they may make a calendar, by name; "" first, for the tenant, where they may."""
    who = request.principal
    rows = folders_of(who.tenant_id)
    if (open_to := who.reach.folders(EDIT)) is not None:
        rows = rows.filter(pk__in=open_to)
    tenant = [""] if MEMBERS_MANAGE in who.scopes else []
    return [*tenant, *rows.order_by("key").values_list("name", flat=True)]


def _saved(request: PageRequest, calendar: Calendar | None) -> HttpResponse:
    values = {name: pages.typed(request, name) for name in _FIELDS}
    # More than a line is typed here.
    values["exceptions"] = request.POST.get("exceptions", "").replace("\x00", "").strip()[:100_000]
    weekdays = [int(day) for day in request.POST.getlist("weekdays") if day in "1234567" and len(day) == 1]
    try:
        fields = _values(values) | {"weekdays": weekdays, "folder": values["folder"] or None}
        if calendar is None:
            saved = calendars.create_calendar(request.principal, **fields)
        else:
            if fields["folder"] == (calendar.folder and calendar.folder.name):
                del fields["folder"]
            preview = calendars.preview_change(request.principal, calendar.name, **fields)
            if preview.has_other_rules and preview.is_in_use and "despite" not in request.POST:
                return _form(request, values, weekdays, calendar, preview=preview)
            saved = calendars.change_calendar(request.principal, calendar.name, **fields)
    except NotAllowed as error:
        return _form(request, values, weekdays, calendar, Invalid(error.message))
    except (Invalid, Conflict) as error:
        return _form(request, values, weekdays, calendar, _at_its_field(error))
    messages.success(request, f"“{saved.name}” is {'made' if calendar is None else 'changed'}.")
    return redirect("calendar", saved.pk)


def _values(values: Mapping[str, str]) -> dict[str, Any]:
    fields = {name: values[name] for name in ("name", "timezone", "region")}
    hours = {"from": values["opens"][:5], "to": values["closes"][:5]}
    # A clock shows no 24:00.
    if hours["to"] == "00:00":
        hours["to"] = "24:00"
    return fields | {"hours": hours, "exceptions": _exceptions(values["exceptions"])}


def _exceptions(text: str) -> list[dict[str, Any]]:
    """Lines such as `2026-12-24 free Christmas Eve`."""
    rows = []
    for number, line in enumerate(filter(None, map(str.strip, text.splitlines())), 1):
        match = _LINE.fullmatch(line)
        try:
            day = date.fromisoformat(match[1] if match else "")
        except ValueError:
            raise Invalid(f"Line {number} is not a day such as 2026-12-24.", field="exceptions") from None
        assert match is not None  # noqa: S101 - there is no day without
        rows.append({"date": day, "works": match[2] == "works", "name": match[3][:200]})
    return rows


def _at_its_field(error: Invalid | Conflict) -> Invalid | Conflict:
    field = {"hours.from": "opens", "hours.to": "closes"}.get(error.field or "", error.field)
    return (Conflict if isinstance(error, Conflict) else Invalid)(error.message, field=field)


def _standing(calendar: Calendar) -> dict[str, str]:
    lines = [
        f"{one['date']} {'works' if one['works'] else 'free'} {one['name']}".rstrip()
        for one in calendar.exceptions
    ]
    closes = calendars.hours_text(calendar.closes)
    return {
        "name": calendar.name,
        "folder": calendar.folder.name if calendar.folder else "",
        "timezone": calendar.timezone,
        "region": calendar.region,
        "opens": calendars.hours_text(calendar.opens),
        "closes": "00:00" if closes == "24:00" else closes,
        "exceptions": "\n".join(lines),
    }


def _form(
    request: PageRequest,
    values: dict[str, str],
    weekdays: Any,
    calendar: Calendar | None = None,
    error: Invalid | Conflict | None = None,
    preview: Uses | None = None,
) -> HttpResponse:
    uses = preview or (None if calendar is None else uses_of(request.principal, calendar))
    if uses is not None:
        titles.learn_titles((one.workflow, one.title) for one in uses.workflows)
    may_write = _may_write(request, calendar)
    context = pages.form_of(values | {"weekdays": ""}, error) | {
        "calendar": calendar,
        "weekdays": [(number, name, number in weekdays) for number, name in enumerate(WEEKDAYS, 1)],
        "zones": sorted(zones()),
        "regions": sorted(regions()),
        "may_write": may_write,
        "folders": _folders(request) if may_write else [],
        "uses": uses,
        "due_dates": [] if uses is None else _due_dates(request, uses),
        "preview": preview,
        **_year(calendar),
    }
    return render(
        request, "calendars/calendar.html", context, status=pages.status_of(error) if error else 200
    )


def _due_dates(request: PageRequest, uses: Uses) -> list[tuple[Due, operations.Place | None]]:
    """The first due dates, each with what its step is called."""
    dates = uses.due_dates[:LISTED]
    steps = [(one.run_id, one.node) for one in dates if one.node]
    places = operations.places_of(request.principal.tenant_id, steps) if steps else {}
    return [(one, places.get((one.run_id, one.node or ""))) for one in dates]


def _year(calendar: Calendar | None) -> dict[str, Any]:
    if calendar is None or not calendar.pk:
        return {}
    rules = calendar_of(calendar)
    today = now_here().astimezone(ZoneInfo(calendar.timezone)).date()
    named_days = [
        {
            "day": one.day,
            "words": f"{one.day:%a} {reader().locale.date(one.day)}",
            "name": one.name,
            "works": one.works,
        }
        for one in calendars.days_of(rules, today, today + timedelta(days=_YEAR_DAYS))
        if one.name
    ]
    return {"months": month_grid.year_of(today, rules, today), "named": named_days, "hours": _hours(calendar)}


def _days(calendar: Calendar) -> str:
    if calendar.weekdays == list(calendars.WORKWEEK):
        return "Monday to Friday"
    return ", ".join(WEEKDAYS[number - 1] for number in calendar.weekdays)


def _hours(calendar: Calendar) -> str:
    return f"{calendars.hours_text(calendar.opens)} to {calendars.hours_text(calendar.closes)}"

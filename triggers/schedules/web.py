"""The pages of schedules: which there are, one with its next times and what it did, and what is done with it."""

from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render

from accounts import pages, people
from accounts.access import PageRequest, page
from accounts.roles import RUNS_READ, RUNS_START, START
from lib.api.pagination import keyset_page
from lib.clock import now_here
from lib.english import counted
from lib.reader import reader, zones
from lib.refusals import Conflict, Invalid, Missing, NotAllowed, Refusal
from runs.access import readable
from runs.calendars import calendars
from runs.kernel.refused import RunRefused
from runs.kernel.working_time import calendar_of
from runs.web import month_grid
from runs.web.month_grid import WEEKDAYS
from triggers.schedules import forms, service
from triggers.schedules.limits import WORKFLOW_CHOICES
from triggers.schedules.models import Schedule
from triggers.schedules.reading import entries_of, find_schedule, last_entries, schedules_of
from triggers.schedules.words import WAYS, length_words, words_of
from workflows import titles
from workflows.access import may, may_anywhere, open_to

SHOWN_TIMES = 10
HISTORY_ON_A_PAGE = 25


@page(RUNS_READ)
def schedule_list(request: PageRequest) -> HttpResponse:
    """The schedules of workflows that one may read, by name."""
    who = request.principal
    rows = readable(schedules_of(who.tenant_id), who)
    cursor = request.GET.get("cursor") or None
    list_page = keyset_page(
        rows, request, keys=("name",), limit=pages.ON_A_PAGE, cursor=cursor, oldest_first=True
    )
    titles.learn_titles([(one.workflow.name, one.workflow.title) for one in list_page.rows])
    last = last_entries(who.tenant_id, list_page.rows)
    entries = [
        {
            "it": one,
            "words": words_of(one),
            "last": last.get(one.pk),
            "may": may(who, RUNS_START, one.workflow),
        }
        for one in list_page.rows
    ]
    may_make = may_anywhere(who, RUNS_START)
    context = {"schedules": entries, "may_make": may_make} | pages.neighbours(list_page)
    return render(request, "schedules/list.html", context)


@page(RUNS_START, "GET", "POST")
def new_schedule(request: PageRequest) -> HttpResponse:
    """The form of a new schedule."""
    if request.method != "POST":
        return _form(request, forms.empty(request))
    return _saved(request, None)


@page(RUNS_START, "GET", "POST")
def edit_schedule(request: PageRequest, schedule_id: UUID) -> HttpResponse:
    """The form of a schedule that there is."""
    schedule = find_schedule(request.principal.tenant_id, schedule_id)
    if request.method != "POST":
        return _form(request, forms.standing(schedule), schedule)
    return _saved(request, schedule)


@page(RUNS_START, "POST")
def preview(request: PageRequest) -> HttpResponse:
    """When the schedule would be due that stands in the form, as a fragment of it."""
    values = forms.typed(request)
    try:
        draft = service.preview(request.principal, forms.timing_values(values), SHOWN_TIMES)
    except Invalid as error:
        return render(request, "schedules/_times.html", {"refused": error.message})
    row = draft.calendar and calendars.find_calendar(request.principal, draft.calendar)
    return render(request, "schedules/_times.html", _times(draft.times, draft.timezone, row or None))


@page(RUNS_READ)
def schedule_page(request: PageRequest, schedule_id: UUID) -> HttpResponse:
    """One schedule: its next times on a calendar, and what it did and why."""
    schedule = find_schedule(request.principal.tenant_id, schedule_id)
    titles.learn_titles([(schedule.workflow.name, schedule.workflow.title)])
    cursor = request.GET.get("cursor") or None
    history = keyset_page(entries_of(schedule), request, keys=("id",), limit=HISTORY_ON_A_PAGE, cursor=cursor)
    people.learn(schedule.tenant_id, [schedule.acts_for, *(one.by for one in history.rows if one.by)])
    times = service.next_times(schedule, SHOWN_TIMES)
    context = {
        "schedule": schedule,
        "words": words_of(schedule),
        "overlap": dict(forms.OVERLAP_WORDS)[schedule.overlap],
        "catchup": schedule.catchup_seconds and length_words(schedule.catchup_seconds),
        "jitter": schedule.jitter_seconds and length_words(schedule.jitter_seconds),
        "may_change": may(request.principal, RUNS_START, schedule.workflow),
        "history": [{"it": one, "local": _local(one, schedule)} for one in history.rows],
    }
    context |= _times(times, schedule.timezone, schedule.calendar) | pages.neighbours(history)
    return render(request, "schedules/detail.html", context)


@page(RUNS_START, "POST")
def switch_schedule(request: PageRequest, schedule_id: UUID) -> HttpResponse:
    """Pauses a schedule, with a note, or lets it go on."""
    schedule = find_schedule(request.principal.tenant_id, schedule_id)
    turns_on = request.POST.get("on") == "1"
    values: dict[str, Any] = {"enabled": turns_on}
    if not turns_on:
        values["note"] = pages.typed(request, "note")[:500]
    try:
        service.change_schedule(request.principal, schedule.name, **values)
    except (NotAllowed, Conflict) as error:
        messages.error(request, error.message)
    else:
        messages.success(request, f"“{schedule.name}” is {'on' if turns_on else 'off'}.")
    return redirect("schedules") if request.POST.get("back") == "list" else redirect("schedule", schedule_id)


@page(RUNS_START, "POST")
def run_schedule(request: PageRequest, schedule_id: UUID) -> HttpResponse:
    """Starts a run of it now."""
    schedule = find_schedule(request.principal.tenant_id, schedule_id)
    try:
        run = service.run_now(request.principal, schedule.name)
    except (Refusal, RunRefused) as error:
        messages.error(request, error.message)
        return redirect("schedule", schedule_id)
    return redirect("run", run)


@page(RUNS_START, "POST")
def delete_schedule(request: PageRequest, schedule_id: UUID) -> HttpResponse:
    """Removes a schedule."""
    schedule = find_schedule(request.principal.tenant_id, schedule_id)
    reason = pages.typed(request, "reason") or None
    service.delete_schedule(request.principal, schedule.name, reason=reason)
    messages.success(request, f"“{schedule.name}” is deleted. Runs that it started stay.")
    return redirect("schedules")


def _saved(request: PageRequest, schedule: Schedule | None) -> HttpResponse:
    """Make or change a schedule as the form says; where that is refused, the form with what is wrong."""
    values = forms.typed(request)
    try:
        fields = forms.schedule_values(values, schedule and schedule.input)
        if schedule is None:
            saved = service.create_schedule(request.principal, **fields)
        else:
            saved = service.change_schedule(request.principal, schedule.name, **fields)
    except Missing:
        wrong = Invalid("There is no such workflow, or you may not start it.", field="workflow")
        return _form(request, values, schedule, wrong)
    except NotAllowed as error:
        return _form(request, values, schedule, Invalid(error.message, field="workflow"))
    except (Invalid, Conflict, RunRefused) as error:
        refusal = forms.at_its_timing(forms.at_its_field(error), values)
        return _form(request, values, schedule, refusal)
    messages.success(request, f"“{saved.name}” is {'made' if schedule is None else 'changed'}.")
    return redirect("schedule", saved.pk)


def _form(
    request: PageRequest,
    values: dict[str, str],
    schedule: Schedule | None = None,
    error: Invalid | Conflict | None = None,
) -> HttpResponse:
    who = request.principal
    startable = open_to(who, START).filter(archived_at__isnull=True).order_by("name")
    context = {
        "schedule": schedule,
        "ways": WAYS,
        "weekdays": list(enumerate(WEEKDAYS, 1)),
        "overlaps": forms.OVERLAP_WORDS,
        "catchups": _with_own(forms.CATCHUPS, values["catchup"]),
        "zones": sorted(zones()),
        "workflows": list(startable.values_list("name", "title")[:WORKFLOW_CHOICES]),
        "calendars": list(calendars.readable_calendars(who).order_by("name").values_list("name", "timezone")),
    }
    status = pages.status_of(error) if error else 200
    context |= pages.form_of(values, error)
    return render(request, "schedules/form.html", context, status=status)


def _with_own(choices: Any, own: str) -> list[tuple[str, str]]:
    options = list(choices)
    if own not in dict(options) and own.isdigit():
        options.append((own, f"up to {counted(int(own), 'second')} late"))
    return options


def _times(times: Any, zone: str, row: Any) -> dict[str, Any]:
    calendar = None if row is None else calendar_of(row)
    there, who = ZoneInfo(zone), reader()
    return {
        "months": month_grid.months_of(times, there, calendar, now_here(), who),
        "times": month_grid.listed(times, there, who),
        "zone": zone.replace("_", " "),
        "calendar": row,
    }


def _local(entry: Any, schedule: Schedule) -> str:
    (one,) = month_grid.listed([entry.due_at], ZoneInfo(schedule.timezone), reader())
    return one.local

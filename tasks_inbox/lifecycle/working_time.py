"""Deadlines, reminders and levels of tasks that count the working hours of a calendar only."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from math import ceil

from engine.catalogue import Json
from lib.workdays import NoWorkingDay, WorkCalendar, add_working_seconds
from runs.kernel.working_time import calendar_of
from runs.schedules.calendars import calendars_of
from runs.store.attempts import ClaimedStep
from runs.store.schedules import moment

LABEL = "Time counts"
Asked = Sequence[tuple[ClaimedStep, Mapping[str, Json]]]


def counted(tasks: Asked) -> list[tuple[ClaimedStep, Mapping[str, Json]]]:
    """The tasks, of those that name a calendar with lengths of time as the clock has them from now on, and with a fact
    that says how they count. Where there is no such calendar, or it has no working time, all hours count.
    """
    named = {(step.tenant_id, task["calendar"]) for step, task in tasks if task.get("calendar")}
    if not named:
        return list(tasks)
    now, known = moment(), {}
    for tenant in {tenant for tenant, _ in named}:
        names = [name for owner, name in named if owner == tenant]
        for row in calendars_of(tenant).filter(name__in=names):
            known[tenant, row.name] = calendar_of(row)
    return [
        (step, _counted(task, known.get((step.tenant_id, task.get("calendar") or "")), now))
        for step, task in tasks
    ]


def _counted(task: Mapping[str, Json], calendar: WorkCalendar | None, now: datetime) -> Mapping[str, Json]:
    if not task.get("calendar"):
        return task
    if calendar is None:
        text = f"at all hours: there is no calendar {task['calendar']}"
        return {**task, "facts": [*task["facts"], {"label": LABEL, "value": text}]}
    try:
        due = task.get("due_seconds")
        changed = {
            "due_seconds": None if due is None else _seconds(calendar, now, due),
            "clock": [one | {"after": _seconds(calendar, now, one["after"])} for one in task["clock"]],
        }
        text = f"in the working hours of {calendar.name} ({calendar.timezone})"
    except NoWorkingDay as error:
        changed, text = {}, f"at all hours: {error}"
    return {**task, **changed, "facts": [*task["facts"], {"label": LABEL, "value": text}]}


def _seconds(calendar: WorkCalendar, now: datetime, working: int) -> int:
    try:
        there = add_working_seconds(calendar, now, working)
    except ValueError as error:
        raise NoWorkingDay(str(error)) from error
    return ceil((there - now).total_seconds())

"""Deadlines, reminders and levels of tasks that count the working hours of a calendar only."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from math import ceil

from engine.catalogue import Json
from engine.timers import WorkingDays
from lib.workdays import NoWorkingDay, WorkCalendar, add_working_seconds
from runs.kernel.working_time import KeptCalendar, calendars, later
from runs.store.attempts import ClaimedStep
from runs.store.calendars import moment

LABEL = "Time counts"
DUE_LABEL = "Due in"
SAYS_HOW = frozenset(label.lower().replace(" ", "_") for label in (LABEL, DUE_LABEL))
"""As what a task tells: what says only how its time counts, and is nothing to order tasks by."""
Asked = Sequence[tuple[ClaimedStep, Mapping[str, Json]]]


def counted(tasks: Asked) -> list[tuple[ClaimedStep, Mapping[str, Json]]]:
    """The tasks, of those that name a calendar with lengths of time as the clock has them from now on, and with a fact
    that says how they count; so those that are due in working days. Where there is no such calendar, or it has no
    working time, all hours count, and working days are those of the default calendar.
    """
    keys = {
        (step.tenant_id, step.version_id, task.get("calendar"))
        for step, task in tasks
        if task.get("calendar") or task.get("due_working_days")
    }
    if not keys:
        return list(tasks)
    now, by_key = moment(), calendars(keys)
    return [
        (step, _counted(task, by_key.get((step.tenant_id, step.version_id, task.get("calendar"))), now))
        for step, task in tasks
    ]


def counted_from(step: ClaimedStep, task: Mapping[str, Json], start: datetime) -> Mapping[str, Json]:
    """A task with lengths of time as its clock has them that began at this moment."""
    name = task.get("calendar")
    if not name and not task.get("due_working_days"):
        return task
    [calendar] = calendars([(step.tenant_id, step.version_id, name)]).values()
    return _counted(task, calendar, start)


def _counted(task: Mapping[str, Json], calendar: KeptCalendar | None, now: datetime) -> Mapping[str, Json]:
    if calendar is None:
        return task
    name, facts = task.get("calendar"), [*task["facts"]]
    changed: dict[str, Json] = {}
    record = {} if calendar.record is None else {"calendar": calendar.record}
    if name and not calendar.is_named:
        facts.append({"label": LABEL, "value": f"at all hours: there is no calendar {name}"})
    elif name:
        try:
            changed = _in_hours(task, calendar, now)
            fact = {"value": f"in the working hours of {calendar.name} ({calendar.timezone})", **record}
        except NoWorkingDay as error:
            fact = {"value": f"at all hours: {error}"}
        facts.append({"label": LABEL, **fact})
    if days := task.get("due_working_days"):
        end, words = later(calendar, now, WorkingDays(days, name))
        due = ceil((end - now).total_seconds())
        moments = changed.get("clock") or task["clock"]
        moments = [one | {"after": due} if one["after"] is None else one for one in moments]
        changed |= {"due_seconds": due, "clock": sorted(moments, key=lambda one: one["after"])}
        facts.append({"label": DUE_LABEL, "value": words, **record})
    return {**task, **changed, "facts": facts}


def _in_hours(task: Mapping[str, Json], calendar: WorkCalendar, now: datetime) -> dict[str, Json]:
    """The lengths of time of a task, which count working hours. Raises NoWorkingDay."""
    due = task.get("due_seconds")
    return {
        "due_seconds": None if due is None else _seconds(calendar, now, due),
        "clock": [
            one if one["after"] is None else one | {"after": _seconds(calendar, now, one["after"])}
            for one in task["clock"]
        ],
    }


def _seconds(calendar: WorkCalendar, now: datetime, working: int) -> int:
    try:
        there = add_working_seconds(calendar, now, working)
    except ValueError as error:
        raise NoWorkingDay(str(error)) from error
    return ceil((there - now).total_seconds())

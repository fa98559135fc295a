"""The schedules that keep to a working calendar, and what a change of it moves."""

from collections.abc import Iterable
from datetime import datetime
from typing import Final

from accounts.principal import Principal
from runs.access import readable
from runs.models import Calendar
from runs.ports import CalendarUser, Kept
from runs.store.calendars import moment
from triggers.schedules.models import Schedule
from triggers.schedules.times import fires_at, next_due
from triggers.schedules.timing import timing_of

SHOWN = 100
"""So many are named at most; all are counted."""


def moves(
    calendar: Calendar, schedules: Iterable[Schedule], now: datetime
) -> Iterable[tuple[Schedule, datetime | None]]:
    """The schedules that are due at another time by the calendar as it is now, and when. What is due already stays."""
    for schedule in schedules:
        if schedule.next_due_at is not None and schedule.next_due_at <= now:
            continue
        schedule.calendar = calendar
        if (due := next_due(timing_of(schedule), now)) != schedule.next_due_at:
            yield schedule, due


def _kept(principal: Principal, calendar: Calendar, changed: Calendar | None) -> tuple[list[Kept], int]:
    rows = Schedule.objects.for_tenant(calendar.tenant_id).filter(calendar=calendar).order_by("name")
    some = list(readable(rows, principal).select_related("workflow", "calendar")[:SHOWN])
    now = moment()
    before = {one.pk: one.next_due_at for one in some}
    after = dict(before)
    if changed is not None:
        after |= {one.pk: due for one, due in moves(changed, (one for one in some if one.enabled), now)}
    schedules = [Kept(one.pk, one.name, one.workflow.name, before[one.pk], after[one.pk]) for one in some]
    return schedules, rows.count() - len(some)


def _is_outside(calendar: Calendar, folder: int) -> bool:
    rows = Schedule.objects.for_tenant(calendar.tenant_id).filter(calendar=calendar)
    return rows.exclude(workflow__folder=folder).exists()


def _follow(calendar: Calendar) -> None:
    rows = Schedule.objects.for_tenant(calendar.tenant_id).select_for_update().order_by("pk")
    for schedule, due in moves(calendar, rows.filter(calendar=calendar, enabled=True), moment()):
        fire_at = due and fires_at(str(schedule.pk), due, schedule.jitter_seconds)
        rows.filter(pk=schedule.pk).update(next_due_at=due, fire_at=fire_at)


KEPT: Final = CalendarUser(_kept, _is_outside, _follow)

"""From rows to timings, which the pure core takes; and what a schedule's input is at a due time."""

from datetime import UTC, datetime
from zoneinfo import ZoneInfo

from engine.catalogue import Json
from engine.errors import ExpressionError, ExpressionInvalid, NotEvaluated
from engine.templates import compile_template
from lib.refusals import Invalid, Unprocessable
from runs.kernel.working_time import calendar_of, work_calendar
from triggers.schedules.models import Schedule
from triggers.schedules.store import FoundSchedule
from triggers.schedules.times import Timing

_SCOPE = "schedule"


def timing_of(row: Schedule) -> Timing:
    """When the schedule of a row is due; its calendar is read with it."""
    return Timing(
        zone=row.timezone,
        anchor=row.anchor_at,
        cron=row.cron,
        every=row.every_seconds,
        at=row.at,
        calendar=None if row.calendar is None else calendar_of(row.calendar),
    )


def timing_of_found(schedule: FoundSchedule) -> Timing:
    """When a schedule that was found is due."""
    return Timing(
        zone=schedule.timezone,
        anchor=schedule.anchor_at,
        cron=schedule.cron,
        every=schedule.every_seconds,
        at=schedule.at,
        calendar=None if schedule.calendar is None else work_calendar(schedule.calendar),
    )


def check_input(value: Json) -> None:
    """Return if a schedule can have this input. Raises Invalid for expressions that are none, or read anything else."""
    try:
        template = compile_template(value)
    except ExpressionInvalid as error:
        raise Invalid(
            f"This is not a valid expression: {error}.", code="bad_expression", field="input"
        ) from None
    if others := sorted(template.refs.names - {_SCOPE}):
        text = f"{others[0]} can't be read here, only schedule: its name, due_at and due_on."
        raise Invalid(text, code="bad_expression", field="input")


def input_at(value: Json, name: str, due: datetime, zone: str) -> Json:
    """The input of the run that a schedule starts for a due time; it may name `schedule.due_at` and `schedule.due_on`.

    Raises Unprocessable where it can't be made, NotEvaluated where this machine can't say now.
    """
    template = compile_template(value)
    if template.is_static:
        return value
    there = {
        "name": name,
        "due_at": f"{due.astimezone(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "due_on": f"{due.astimezone(ZoneInfo(zone)):%Y-%m-%d}",
    }
    try:
        return template.render({_SCOPE: there})
    except NotEvaluated:
        raise
    except ExpressionError as error:
        raise Unprocessable(f"The input can't be made: {error}", field="input") from None

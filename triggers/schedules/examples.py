"""The schedule that comes with the examples: a report every Monday that is worked on. It is off."""

from accounts.principal import Principal
from runs.calendars import calendars
from triggers.schedules import service

WORKFLOW = "monday_report"
NOTE = "An example. Set the calendar to where you work, then switch it on."


def make_example_schedule(who: Principal) -> None:
    """A working calendar, and a schedule that keeps to it."""
    calendars.create_calendar(who, name="Office days")
    service.create_schedule(
        who,
        name="Monday report",
        workflow=WORKFLOW,
        cron="0 9 * * 1",
        calendar="Office days",
        input={"on": "{{ schedule.due_on }}"},
        enabled=False,
        note=NOTE,
    )

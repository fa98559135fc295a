"""The app of schedules."""

from django.apps import AppConfig


class SchedulesConfig(AppConfig):
    """Runs that start by the clock."""

    name = "triggers.schedules"
    label = "schedules"
    verbose_name = "Schedules"

    def ready(self) -> None:
        """Provide guards, what starts a workflow, what keeps to calendars, what is with who leaves, parts of pages."""
        from accounts import ports
        from accounts.guards import guards
        from lib.panels import PANELS, Panel
        from runs.ports import CALENDAR_USERS
        from tasks_inbox.ports import LEFT_KINDS
        from triggers.schedules import firing
        from triggers.schedules.access import guard_schedule, guard_schedule_id
        from triggers.schedules.examples import make_example_schedule
        from triggers.schedules.kept import KEPT
        from triggers.schedules.leaving import LEFT
        from triggers.schedules.overview import schedule_triggers
        from workflows.ports import EXAMPLES, TRIGGERS

        guards("schedule", guard_schedule)
        guards("schedule_id", guard_schedule_id)
        ports.MEMBER_CHANGES.register(firing.member_changed)
        TRIGGERS.register(schedule_triggers)
        EXAMPLES.register(make_example_schedule)
        CALENDAR_USERS.register(KEPT)
        LEFT_KINDS.register(LEFT)
        PANELS.register(
            Panel("workflow-tabs", "schedules/_tab.html"),
            Panel("workflow-triggers", "schedules/_add.html"),
            Panel("first-commands", "schedules/_command.html"),
        )

"""The app of what is happening: runs, their steps and the loop that moves them."""

from django.apps import AppConfig


class RunsConfig(AppConfig):
    """Runs and steps."""

    name = "runs"
    verbose_name = "Runs"

    def ready(self) -> None:
        """Tell accounts who may reach a run, and workflows what runs took and gave, how many are open."""
        from accounts.guards import guards
        from runs.access import guard_calendar, guard_calendar_id, guard_letter, guard_run
        from runs.calendars.judging import judge, pinned
        from runs.commands import child_runs, continuing, signal_messages
        from runs.files.naming import name_files
        from runs.reading import own_starts, topics
        from runs.reading.last_runs import last_run
        from runs.reading.queries import open_runs_by_version
        from workflows.ports import CALENDAR_PINS, FILE_FIELDS, JUDGES, LAST_RUNS, OPEN_RUNS, OWN_STARTS

        guards("run_id", guard_run)
        guards("other_id", guard_run)
        guards("letter_id", guard_letter)
        guards("calendar", guard_calendar)
        guards("calendar_id", guard_calendar_id)
        LAST_RUNS.register(last_run)
        FILE_FIELDS.register(name_files)
        OWN_STARTS.register(own_starts)
        OPEN_RUNS.register(open_runs_by_version)
        JUDGES.register(judge)
        CALENDAR_PINS.register(pinned)
        JUDGES.register(topics.judge)
        child_runs.connect()
        continuing.connect()
        signal_messages.connect()

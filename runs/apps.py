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
        from runs.reading import own_starts, topics
        from runs.reading.last_runs import last_run
        from runs.reading.queries import open_runs_by_version
        from workflows.ports.calendars import pins_calendars
        from workflows.ports.judges import judges_definitions
        from workflows.ports.last_runs import tell_last_runs
        from workflows.ports.starts import tell_starts
        from workflows.ports.usage import counts_open_runs

        guards("run_id", guard_run)
        guards("other_id", guard_run)
        guards("letter_id", guard_letter)
        guards("calendar", guard_calendar)
        guards("calendar_id", guard_calendar_id)
        tell_last_runs(last_run)
        tell_starts(own_starts)
        counts_open_runs(open_runs_by_version)
        judges_definitions(judge)
        pins_calendars(pinned)
        judges_definitions(topics.judge)
        child_runs.connect()
        continuing.connect()
        signal_messages.connect()

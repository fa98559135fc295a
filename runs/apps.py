"""The app of what is happening: runs, their steps and the loop that moves them."""

from django.apps import AppConfig


class RunsConfig(AppConfig):
    """Runs and steps."""

    name = "runs"
    verbose_name = "Runs"

    def ready(self) -> None:
        """Tell accounts who may reach a run, and workflows what runs took and gave, how many are open."""
        from accounts import ports
        from accounts.guards import guards
        from runs.access import (
            guard_calendar,
            guard_calendar_id,
            guard_letter,
            guard_outgoing,
            guard_run,
            guard_schedule,
            guard_schedule_id,
        )
        from runs.commands import child_runs, continuing, signal_messages
        from runs.reading import own_starts, topics
        from runs.reading.last_runs import last_run
        from runs.reading.queries import open_runs_by_version
        from runs.reading.triggers import schedule_triggers
        from runs.schedules import firing
        from runs.schedules.examples import make_example_schedule
        from runs.schedules.judging import judge, pinned
        from workflows.ports.calendars import pins_calendars
        from workflows.ports.examples import comes_with_examples
        from workflows.ports.judges import judges_definitions
        from workflows.ports.last_runs import tell_last_runs
        from workflows.ports.starts import tell_starts
        from workflows.ports.triggers import tell_triggers
        from workflows.ports.usage import counts_open_runs

        guards("run_id", guard_run)
        guards("other_id", guard_run)
        guards("letter_id", guard_letter)
        guards("outgoing_id", guard_outgoing)
        guards("schedule", guard_schedule)
        guards("calendar", guard_calendar)
        guards("calendar_id", guard_calendar_id)
        guards("schedule_id", guard_schedule_id)
        tell_last_runs(last_run)
        tell_starts(own_starts)
        tell_triggers(schedule_triggers)
        counts_open_runs(open_runs_by_version)
        judges_definitions(judge)
        pins_calendars(pinned)
        judges_definitions(topics.judge)
        child_runs.connect()
        continuing.connect()
        signal_messages.connect()
        comes_with_examples(make_example_schedule)
        ports.tell_of_members(firing.member_changed)

"""The app of what people must do: tasks, who may decide them, and their decisions."""

from django.apps import AppConfig


class TasksInboxConfig(AppConfig):
    """Tasks of people."""

    name = "tasks_inbox"
    verbose_name = "Inbox"

    def ready(self) -> None:
        """Tell `runs` who opens and closes what a step or a failed compensation waits for."""
        from runs.saga import tell_of_failures, tell_of_settling
        from runs.waits import register
        from tasks_inbox import compensations
        from tasks_inbox.publishing import judge
        from tasks_inbox.waits import TASK
        from workflows.judges import judges_definitions

        register("task", TASK)
        judges_definitions(judge)
        tell_of_failures(compensations.open_for)
        tell_of_settling(compensations.close_for)

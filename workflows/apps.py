"""Django's entry to workflows."""

from django.apps import AppConfig


class WorkflowsConfig(AppConfig):
    name = "workflows"
    verbose_name = "Workflows"

    def ready(self) -> None:
        """Tell accounts who may reach which workflow, and the doors how too much work is refused."""
        from accounts.guards import guards
        from engine.errors import TooMuchWork
        from lib import refusals
        from workflows.access import guard_workflow
        from workflows.checking import references
        from workflows.ports import JUDGES

        refusals.is_refused_as(
            TooMuchWork, lambda error: refusals.TooMuchWork(error.place, error.budget, f"{error}.")
        )
        guards("name", guard_workflow)
        JUDGES.register(references.judge)

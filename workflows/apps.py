"""Django's entry to workflows."""

from django.apps import AppConfig


class WorkflowsConfig(AppConfig):
    name = "workflows"
    verbose_name = "Workflows"

    def ready(self) -> None:
        """Tell accounts who may reach which workflow."""
        from accounts.guards import guards
        from workflows.access import guard_workflow
        from workflows.checking import references
        from workflows.ports.judges import judges_definitions

        guards("name", guard_workflow)
        judges_definitions(references.judge)

"""The app of dispatch."""

from django.apps import AppConfig


class DispatchConfig(AppConfig):
    """How workers hear of work, and what is in the queues."""

    name = "operations.dispatch"
    label = "dispatch"
    verbose_name = "Dispatch"

    def ready(self) -> None:
        """Provide the tabs of queues and dispatch."""
        from accounts.roles import RUNS_OPERATE
        from runs.ports import OPERATIONS_TABS, Tab

        OPERATIONS_TABS.register(
            Tab(10, "operations", "Queues"), Tab(90, "operations-dispatch", "Dispatch", RUNS_OPERATE)
        )

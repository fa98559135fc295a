"""The app of bulk jobs."""

from django.apps import AppConfig


class BulkConfig(AppConfig):
    """Bulk jobs."""

    name = "operations.bulk"
    label = "bulk"
    verbose_name = "Bulk jobs"

    def ready(self) -> None:
        """Provide the guard of bulk jobs, their tab, and what pages of runs and workflows offer for many runs."""
        from accounts.guards import guards
        from lib.panels import PANELS
        from operations.bulk.access import guard_bulk_job
        from runs.ports import OPERATIONS_TABS, Tab

        guards("bulk_id", guard_bulk_job)
        OPERATIONS_TABS.register(Tab(70, "bulk-jobs", "Bulk jobs"))
        PANELS.register(
            ("run-list", "bulk/_selected.html"),
            ("workflow-menu", "bulk/_workflow_menu.html"),
            ("version-actions", "bulk/_version_actions.html"),
        )

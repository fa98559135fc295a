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
        from lib.panels import PANELS, Panel
        from operations.bulk import records
        from operations.bulk.access import guard_bulk_job
        from operations.bulk.readiness import move_of
        from runs.ports import BULK_RECORDS, OPERATIONS_TABS, Tab
        from workflows.readiness.findings import RUN_MOVES

        RUN_MOVES.register(move_of)
        BULK_RECORDS.register(records)
        guards("bulk_id", guard_bulk_job)
        OPERATIONS_TABS.register(Tab(70, "bulk-jobs", "Bulk jobs"))
        PANELS.register(
            Panel("run-list", "bulk/_selected.html"),
            Panel("run-list-head", "bulk/_styles.html"),
            Panel("letter-list", "bulk/_letters.html"),
            Panel("letter-list-head", "bulk/_styles.html"),
            Panel("task-list", "bulk/_tasks.html"),
            Panel("workflow-menu", "bulk/_workflow_menu.html"),
            Panel("version-actions", "bulk/_version_actions.html"),
        )

"""Which packages have duties, for workers with Celery and without."""

from typing import Final

PACKAGES: Final = (
    "runs.workers",
    "runs.schedules",
    "runs.bulk_jobs",
    "runs.outgoing",
    "runs.alerts",
    "tasks_inbox.duties",
)
"""Each has `tasks`, the ticks that Celery sends, and beside it `registered`, which both need."""

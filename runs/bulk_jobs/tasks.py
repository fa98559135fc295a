"""Celery's entry point of bulk jobs; the work is elsewhere."""

from celery import shared_task

import runs.bulk_jobs.registered  # noqa: F401 (the duty that this is the tick of)
from runs.workers.tasks import ticking


@shared_task(name="runs.tick_bulk_jobs")
def tick_bulk_jobs() -> int:
    """Every second: go on with bulk jobs."""
    return ticking("bulk_jobs")

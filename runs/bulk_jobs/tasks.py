"""Celery's entry point of bulk jobs; the work is elsewhere."""

from celery import shared_task

from runs.bulk_jobs import work
from runs.maintenance import duties
from runs.maintenance.duties import Duty
from runs.workers.tasks import ticking

duties.register(Duty("bulk_jobs", 1.0, work.work))


@shared_task(name="runs.tick_bulk_jobs")
def tick_bulk_jobs() -> int:
    """Every second: go on with bulk jobs."""
    return ticking("bulk_jobs")

"""Celery's entry points of schedules: a few lines each; the work is elsewhere."""

from celery import shared_task

import runs.schedules.registered  # noqa: F401 (the duties that these are ticks of)
from runs.workers.tasks import ticking


@shared_task(name="runs.tick_schedules")
def tick_schedules() -> int:
    """Every second: start what is due."""
    return ticking("schedules")


@shared_task(name="runs.tick_schedule_history")
def tick_schedule_history() -> int:
    """Every minute: forget what schedules did long ago."""
    return ticking("schedule_history")


@shared_task(name="runs.tick_schedule_owners")
def tick_schedule_owners() -> int:
    """Every minute: stop schedules of people who may no longer start what these start."""
    return ticking("schedule_owners")

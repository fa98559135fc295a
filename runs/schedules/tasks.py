"""Celery's entry points of schedules: a few lines each; the work is elsewhere."""

from celery import shared_task

from runs.maintenance import duties
from runs.maintenance.duties import Duty
from runs.schedules import firing, forgetting
from runs.workers.tasks import ticking

duties.register(
    Duty("schedules", 1.0, firing.fire),
    Duty("schedule_history", 60.0, forgetting.forget),
)


@shared_task(name="runs.tick_schedules")
def tick_schedules() -> int:
    """Every second: start what is due."""
    return ticking("schedules")


@shared_task(name="runs.tick_schedule_history")
def tick_schedule_history() -> int:
    """Every minute: forget what schedules did long ago."""
    return ticking("schedule_history")

"""Celery's entry points of alerts: a few lines each; the work is elsewhere."""

from celery import shared_task

import runs.alerts.registered  # noqa: F401 (the duties that these are ticks of)
from runs.workers.tasks import ticking


@shared_task(name="runs.tick_alerts")
def tick_alerts() -> int:
    """Every 15 seconds: raise and resolve alerts."""
    return ticking("alerts")


@shared_task(name="runs.tick_alerts_out")
def tick_alerts_out() -> int:
    """Every five seconds: send what is due."""
    return ticking("alerts_out")


@shared_task(name="runs.tick_alerts_kept")
def tick_alerts_kept() -> int:
    """Every minute: forget what was over long ago."""
    return ticking("alerts_kept")

"""Celery's entry points of alerts: a few lines each; the work is elsewhere."""

from celery import shared_task

from runs.alerts import evaluating, sending
from runs.maintenance import duties
from runs.maintenance.duties import Duty
from runs.workers.tasks import ticking

duties.register(
    Duty("alerts", 15.0, evaluating.look),
    Duty("alerts_out", 5.0, sending.send_due, is_slow=True),
    Duty("alerts_kept", 60.0, evaluating.forget),
)


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

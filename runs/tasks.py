"""Celery's entry points: a few lines each, ids and names only; the work is elsewhere."""

from celery import shared_task

from runs import process
from runs.dispatch import DRAIN_TASK
from runs.maintenance import due, leases


@shared_task(name=DRAIN_TASK)
def drain(queue: str) -> None:
    """Work on a queue until it is quiet (at most a second)."""
    process.told(queue)


@shared_task(name="runs.tick_due")
def tick_due() -> int:
    """Every second: hint where steps have become due."""
    return due.hint()


@shared_task(name="runs.tick_leases")
def tick_leases() -> int:
    """Every five seconds: take back what workers have lost."""
    return leases.sweep()


@shared_task(name="runs.tick_forgotten")
def tick_forgotten() -> int:
    """Every five seconds: hint again where steps have waited for long."""
    return due.hint_forgotten()

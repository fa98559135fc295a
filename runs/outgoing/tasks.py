"""Celery's entry points of webhooks that go out: a few lines each; the work is elsewhere."""

from celery import shared_task

import runs.outgoing.registered  # noqa: F401 (the duties that these are ticks of)
from runs.workers.tasks import ticking


@shared_task(name="runs.tick_webhooks_out")
def tick_webhooks_out() -> int:
    """Every second: send what is due."""
    return ticking("webhooks_out")


@shared_task(name="runs.tick_webhooks_out_kept")
def tick_webhooks_out_kept() -> int:
    """Every minute: switch off what has fallen too far behind, give up what is off, forget what is old."""
    return ticking("webhooks_out_kept")

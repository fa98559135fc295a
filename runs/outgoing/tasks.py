"""Celery's entry points of webhooks that go out: a few lines each; the work is elsewhere."""

from celery import shared_task

from lib.batches import in_bounded_batches
from runs.maintenance import duties
from runs.maintenance.duties import Duty
from runs.outgoing import looking, switching
from runs.store import outgoing
from runs.workers.tasks import ticking

_BATCH = 1_000
_TICK_SECONDS = 0.8


def _keep() -> int:
    """What is done every minute: bounds, and what is old."""
    return switching.keep_bounds() + in_bounded_batches(outgoing.forget, _BATCH, _TICK_SECONDS)


duties.register(Duty("webhooks_out", 1.0, looking.here.tick), Duty("webhooks_out_kept", 60.0, _keep))


@shared_task(name="runs.tick_webhooks_out")
def tick_webhooks_out() -> int:
    """Every second: send what is due."""
    return ticking("webhooks_out")


@shared_task(name="runs.tick_webhooks_out_kept")
def tick_webhooks_out_kept() -> int:
    """Every minute: switch off what has fallen too far behind, give up what is off, forget what is old."""
    return ticking("webhooks_out_kept")

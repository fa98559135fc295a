"""Celery's entry points: a few lines each, ids and names only; the work is elsewhere."""

import logging

from celery import shared_task
from celery.signals import worker_init, worker_shutdown, worker_shutting_down
from django.db import connection

import runs.workers.registered  # noqa: F401 (the duties that these are ticks of)
from lib.database_errors import OPERATIONAL_ERRORS, log_database_error
from runs.kernel.redis_hints import DRAIN_TASK
from runs.maintenance import duties, timers
from runs.workers import process
from runs.workers.drain import identity

log = logging.getLogger(__name__)

# Before Celery looks for Redis: where there is none, a worker works all the same.
worker_init.connect(process.begin)
worker_shutting_down.connect(process.end)
worker_shutdown.connect(process.gone)


@shared_task(name=DRAIN_TASK)
def drain(queue: str) -> None:
    """Work on a queue until it is quiet (at most a second)."""
    process.told(queue)


@shared_task(name="runs.tick_due")
def tick_due() -> int:
    """Every second: hint where steps have become due."""
    return ticking("due")


@shared_task(name=timers.TICK)
def tick_timers() -> int:
    """Every second: fire the timers whose time has come."""
    return ticking("timers")


@shared_task(name="runs.tick_sla")
def tick_sla() -> int:
    """Every half minute: tell of runs that near or pass their deadline."""
    return ticking("sla")


@shared_task(name="runs.tick_leases")
def tick_leases() -> int:
    """Every five seconds: take back what workers have lost."""
    return ticking("leases")


@shared_task(name="runs.tick_forgotten")
def tick_forgotten() -> int:
    """Every five seconds: hint again where steps have waited for long."""
    return ticking("forgotten")


@shared_task(name="runs.tick_seals")
def tick_seals() -> int:
    """Every five seconds: seal the history of what has ended."""
    return ticking("seals")


@shared_task(name="runs.tick_stuck")
def tick_stuck() -> int:
    """Every minute: repair what nothing would move any more."""
    return ticking("stuck")


@shared_task(name="runs.tick_deliveries")
def tick_deliveries() -> int:
    """Every minute: forget messages of webhooks that nobody can send again."""
    return ticking("deliveries")


@shared_task(name="runs.tick_answers")
def tick_answers() -> int:
    """Every minute: forget answers to requests that nobody repeats any more."""
    return ticking("answers")


@shared_task(name="runs.tick_blobs")
def tick_blobs() -> int:
    """Every minute: remove payloads beside the database that nothing refers to."""
    return ticking("blobs")


@shared_task(name="runs.tick_telemetry")
def tick_telemetry() -> int:
    """Every five seconds: count what history tells of time and failures."""
    return ticking("telemetry")


@shared_task(name="runs.tick_telemetry_kept")
def tick_telemetry_kept() -> int:
    """Every minute: delete hours of telemetry of which only the day is asked for any more."""
    return ticking("telemetry_kept")


@shared_task(name="runs.tick_history")
def tick_history() -> int:
    """Every quarter of a minute: check the histories of some ended runs."""
    return ticking("history")


@shared_task(name="runs.tick_forecasts")
def tick_forecasts() -> int:
    """Every quarter of a minute: learn how long runs take, and forecast when the open ones are done."""
    return ticking("forecasts")


@shared_task(name="runs.tick_forecasts_kept")
def tick_forecasts_kept() -> int:
    """Every minute: delete times of runs that count no more."""
    return ticking("forecasts_kept")


@shared_task(name="runs.tick_dispatch")
def tick_dispatch() -> int:
    """Every minute: keep a sample of how things stand with workers and locks."""
    return ticking("dispatch")


def ticking(duty: str) -> int:
    """Do a duty; one that finds no database is a line, and the next tick tries again, on a new connection."""
    process.heard()
    try:
        return duties.do(duty, identity())
    except OPERATIONAL_ERRORS as error:
        log_database_error(log, "This tick", error)
        connection.close()
        return 0

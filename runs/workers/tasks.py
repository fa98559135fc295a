"""Celery's entry points: a few lines each, ids and names only; the work is elsewhere."""

import logging

from celery import shared_task
from django.db import connection

from lib.database_errors import OPERATIONAL_ERRORS, log_database_error
from runs.kernel.redis_hints import DRAIN_TASK
from runs.maintenance import (
    answers,
    blobs,
    deliveries,
    due,
    duties,
    forecasts,
    leases,
    seals,
    sla,
    stuck,
    telemetry,
    timers,
)
from runs.maintenance.duties import Duty
from runs.workers import process
from runs.workers.drain import identity

log = logging.getLogger(__name__)

duties.register(
    Duty("due", 1.0, due.hint),
    Duty("timers", 1.0, timers.fire),
    Duty("leases", 5.0, leases.sweep),
    Duty("forgotten", 5.0, due.hint_forgotten),
    Duty("seals", 5.0, seals.seal),
    Duty("sla", 5.0, sla.look),
    Duty("deliveries", 60.0, deliveries.forget),
    Duty("answers", 60.0, answers.forget),
    Duty("blobs", 60.0, blobs.sweep, is_slow=True),
    Duty("telemetry", 5.0, telemetry.count, is_slow=True),
    Duty("telemetry_kept", 60.0, telemetry.forget, is_slow=True),
    Duty("forecasts", 15.0, forecasts.make, is_slow=True),
    Duty("forecasts_kept", 60.0, forecasts.forget, is_slow=True),
    # Last: whatever it finds, the others are done.
    Duty("stuck", 60.0, stuck.check),
)


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


@shared_task(name="runs.tick_forecasts")
def tick_forecasts() -> int:
    """Every quarter of a minute: learn how long runs take, and foretell when the open ones are done."""
    return ticking("forecasts")


@shared_task(name="runs.tick_forecasts_kept")
def tick_forecasts_kept() -> int:
    """Every minute: delete times of runs that count no more."""
    return ticking("forecasts_kept")


def ticking(duty: str) -> int:
    """Do a duty; one that finds no database is a line, and the next tick tries again, on a new connection."""
    process.heard()
    try:
        return duties.do(duty, identity())
    except OPERATIONAL_ERRORS as error:
        log_database_error(log, "This tick", error)
        connection.close()
        return 0

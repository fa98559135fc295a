"""Celery's entry points: a few lines each, ids and names only; the work is elsewhere."""

import logging
from collections.abc import Callable

import psycopg
from celery import shared_task
from django.db import InterfaceError, OperationalError, connection

from runs import process
from runs.dispatch import DRAIN_TASK
from runs.maintenance import deliveries, due, leases, seals, sla, stuck, timers

log = logging.getLogger(__name__)

# Statements in `.sql` files raise psycopg's own errors, the ORM Django's.
_LOST = (OperationalError, InterfaceError, psycopg.OperationalError, psycopg.InterfaceError)


@shared_task(name=DRAIN_TASK)
def drain(queue: str) -> None:
    """Work on a queue until it is quiet (at most a second)."""
    process.told(queue)


@shared_task(name="runs.tick_due")
def tick_due() -> int:
    """Every second: hint where steps have become due."""
    return ticking(due.hint)


@shared_task(name=timers.TICK)
def tick_timers() -> int:
    """Every second: fire the timers whose time has come."""
    return ticking(timers.fire)


@shared_task(name="runs.tick_sla")
def tick_sla() -> int:
    """Every half minute: tell of runs that near or pass their deadline."""
    return ticking(sla.look)


@shared_task(name="runs.tick_leases")
def tick_leases() -> int:
    """Every five seconds: take back what workers have lost."""
    return ticking(leases.sweep)


@shared_task(name="runs.tick_forgotten")
def tick_forgotten() -> int:
    """Every five seconds: hint again where steps have waited for long."""
    return ticking(due.hint_forgotten)


@shared_task(name="runs.tick_seals")
def tick_seals() -> int:
    """Every five seconds: seal the history of what has ended."""
    return ticking(seals.seal)


@shared_task(name="runs.tick_stuck")
def tick_stuck() -> int:
    """Every minute: repair what nothing would move any more."""
    return ticking(stuck.check)


@shared_task(name="runs.tick_deliveries")
def tick_deliveries() -> int:
    """Every minute: forget messages of webhooks that nobody can send again."""
    return ticking(deliveries.forget)


def ticking(work: Callable[[], int]) -> int:
    """Do a tick; one that finds no database is a line, and the next one tries again, on a new connection."""
    try:
        return work()
    except _LOST as error:
        log.warning("This tick lost the database (%s)", (str(error).strip().splitlines() or [""])[0])
        connection.close()
        return 0

"""Celery's entry points: a hint of work, and a tick for a duty; ids and names only, the work is elsewhere."""

import logging

from celery import shared_task
from celery.signals import worker_init, worker_shutdown, worker_shutting_down
from django.db import connection

from lib.database_errors import OPERATIONAL_ERRORS, log_database_error
from runs.kernel.redis_hints import DRAIN_TASK, TICK_TASK
from runs.maintenance import duties
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


@shared_task(name=TICK_TASK)
def tick(duty: str) -> int:
    """Do a duty; one that finds no database is a line, and the next tick tries again, on a new connection."""
    process.heard()
    try:
        return duties.do(duty, identity())
    except OPERATIONAL_ERRORS as error:
        log_database_error(log, "This tick", error)
        connection.close()
        return 0

"""A worker process without Celery (`HANDOFF_DISPATCH=polling`): it claims, executes, keeps time by its own threads."""

import signal
import threading

from config import duties
from runs.workers import process


def work() -> None:
    """Work on the queue that HANDOFF_WORKER_QUEUE names until SIGTERM or SIGINT, then end as Celery's workers do."""
    duties.register()
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: _stop(stopping))
    process.begin()
    stopping.wait()
    process.gone()


def _stop(stopping: threading.Event) -> None:
    process.end()
    stopping.set()

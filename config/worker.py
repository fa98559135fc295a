"""A worker process without Celery (`HANDOFF_DISPATCH=polling`): it claims, executes, keeps time by its own threads."""

import signal
import threading
from importlib import import_module

from runs.workers import process

# What registers the duties; each is beside the tasks that Celery has for them.
DUTIES = (
    "runs.workers.registered",
    "runs.schedules.registered",
    "runs.bulk_jobs.registered",
    "runs.outgoing.registered",
    "runs.alerts.registered",
    "tasks_inbox.duties.registered",
)


def work() -> None:
    """Work on the queue that HANDOFF_WORKER_QUEUE names until SIGTERM or SIGINT, then end as Celery's workers do."""
    for module in DUTIES:
        import_module(module)
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: _stop(stopping))
    process.begin()
    stopping.wait()
    process.gone()


def _stop(stopping: threading.Event) -> None:
    process.end()
    stopping.set()

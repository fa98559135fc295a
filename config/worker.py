"""A worker process without Celery (`HANDOFF_DISPATCH=polling`): it claims, executes, keeps time by its own threads."""

import signal
import threading
from importlib import import_module

from config.duties import PACKAGES
from runs.workers import process


def work() -> None:
    """Work on the queue that HANDOFF_WORKER_QUEUE names until SIGTERM or SIGINT, then end as Celery's workers do."""
    register()
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: _stop(stopping))
    process.begin()
    stopping.wait()
    process.gone()


def register() -> None:
    """Have this process know all duties."""
    for package in PACKAGES:
        import_module(f"{package}.registered")


def _stop(stopping: threading.Event) -> None:
    process.end()
    stopping.set()

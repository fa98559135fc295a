"""A worker process: its drain, a poller that needs no Redis, and a watchdog over the one that does."""

import logging
import os
import signal
import socket
import threading
import time
from contextlib import suppress

import psycopg
from celery.signals import worker_ready, worker_shutdown, worker_shutting_down
from django.conf import settings
from django.db import DatabaseError, connection

from runs import dispatch, live, store
from runs.blocking import BlockingDrain
from runs.drain import Drain, QueueWorker
from runs.maintenance import leases, sla, timers

log = logging.getLogger(__name__)

POLL_SECONDS = 5.0
POLL_WITHOUT_HINTS_SECONDS = 0.5
LISTEN_SECONDS = 1.0
SEEN_SECONDS = 5.0
DEAF_SECONDS = 60.0
TICKS = "ticks"
BLOCKING = "blocking"


class WorkerProcess:
    """What a Celery worker of one built-in queue, or of the ticks, does beside taking messages."""

    def __init__(self, queue: str) -> None:
        self.queue = queue
        self.drain: QueueWorker = BlockingDrain(queue) if queue == BLOCKING else Drain(queue)
        self.told_at = time.monotonic()
        self._backlog_since: float | None = None

    def told(self) -> None:
        """A hint came: work."""
        self.told_at = time.monotonic()
        self.drain.told()

    def start(self) -> None:
        """Start the drain and the poller thread."""
        self.drain.start()
        threading.Thread(target=self._look, name="poller", daemon=True).start()

    def stop(self) -> None:
        """End after the batch in hand; what was not started of it is handed back."""
        self.drain.stop()

    def finish(self) -> None:
        """Wait for the last steps, then take this process off the list of workers."""
        self.drain.finish()
        store.workers_forget(self.drain.worker)

    def _look(self) -> None:
        seen = polled = listened = 0.0
        while not self.drain.stopping.wait(0.1):
            now = time.monotonic()
            try:
                if now - listened >= LISTEN_SECONDS:
                    listened = now
                    dispatch.listen()
                if now - seen >= SEEN_SECONDS:
                    seen = now
                    self._say_alive()
                    if self.drain.is_clogged():
                        self._end("Too many steps of this worker don't come back; ending it")
                if self.queue != TICKS and now - max(polled, self.told_at) >= self._poll_seconds():
                    polled = now
                    self.drain.told()
                    leases.sweep()
                    if not _hears_ticks():
                        # Time goes on all the same.
                        timers.fire()
                        sla.look()
                    self._watch()
            except (psycopg.Error, DatabaseError):
                log.warning("The database doesn't answer; looking again", exc_info=True)
                connection.close()
            except Exception:
                # Whatever it was, this thread is what finds work when nothing else does: it goes on.
                log.exception("Looking for work failed")
        connection.close()

    def _poll_seconds(self) -> float:
        return POLL_SECONDS if _hears_ticks() else POLL_WITHOUT_HINTS_SECONDS

    def _say_alive(self) -> None:
        store.worker_seen(
            worker=self.drain.worker, queue=self.queue, host=socket.gethostname(), pid=os.getpid()
        )

    def _watch(self) -> None:
        """End a process whose consumer takes no messages any more although some wait (celery#10205)."""
        now = time.monotonic()
        if not settings.HANDOFF_HINTS or not dispatch.backlog(self.queue):
            self._backlog_since = None
            return
        self._backlog_since = self._backlog_since or now
        if now - max(self._backlog_since, self.told_at) > DEAF_SECONDS:
            self._end("This worker takes no messages any more; ending it")

    def _end(self, why: str) -> None:
        log.error("%s so that it is started anew", why)
        os.kill(os.getpid(), signal.SIGTERM)


def _hears_ticks() -> bool:
    """Whether hints and the ticks of the clock come through Redis."""
    return bool(settings.HANDOFF_HINTS) and dispatch.is_heard()


_here: WorkerProcess | None = None


def told(queue: str) -> None:
    """A hint for `queue` came to this process."""
    if _here is not None and _here.queue == queue:
        _here.told()


def begin(**_: object) -> None:
    """Celery is ready: become a worker process of the queue that the environment names."""
    global _here
    queue = os.environ.get("HANDOFF_WORKER_QUEUE", "")
    if queue in (*dispatch.BUILT_IN_QUEUES, TICKS):
        _here = WorkerProcess(queue)
        _here.start()


def end(**_: object) -> None:
    """Celery shuts down: let the batch in hand be the last."""
    if _here is not None:
        _here.stop()


def gone(**_: object) -> None:
    """Celery has shut down: when the last steps are over, nobody need count on this process any more."""
    if _here is not None:
        with suppress(psycopg.Error, DatabaseError):
            _here.finish()
    live.settle()


worker_ready.connect(begin)
worker_shutting_down.connect(end)
worker_shutdown.connect(gone)

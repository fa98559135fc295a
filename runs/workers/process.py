"""A worker process: its drain, and what keeps it working without hints, without the others, and without supervision."""

import logging
import os
import socket
import threading
import time
from contextlib import suppress

import psycopg
from django.db import DatabaseError, connection

from lib import tracing
from lib.database_errors import log_database_error
from lib.noticeboard import board
from runs.kernel import dispatch, live
from runs.maintenance import duties
from runs.maintenance.duties import BLOCKING, TICKS, Duty
from runs.store import hot
from runs.workers.blocking import BlockingDrain
from runs.workers.drain import Drain, QueueWorker
from runs.workers.watchdog import Progress, Watchdog

log = logging.getLogger(__name__)

POLL_SECONDS = 5.0
POLL_WITHOUT_HINTS_SECONDS = 0.5
SEEN_SECONDS = 2.0
DEAF_SECONDS = 15.0
HUNG_SECONDS = 60.0
"""How long a thread may make no progress: longer than the longest statement."""


class WorkerProcess:
    """What a worker of one built-in queue, or of the ticks, does beside taking Celery's messages, where there are some.

    Threads of its own: the drain works; the poller looks for work that no hint told of; the clock says that this
    worker lives and does the duties that nobody else does; the watchdog ends the process when one of them hangs.
    """

    def __init__(self, queue: str) -> None:
        self.queue = queue
        self.drain: QueueWorker = BlockingDrain(queue) if queue == BLOCKING else Drain(queue)
        self.told_at = self.heard_at = self._began = time.monotonic()
        self._backlog_since: float | None = None
        self._slow: dict[str, threading.Thread] = {}
        self._polls, self._ticks = Progress("the poller", HUNG_SECONDS), Progress("the clock", HUNG_SECONDS)

    def told(self) -> None:
        """A hint came: work."""
        self.told_at = time.monotonic()
        self.drain.told()

    def heard(self) -> None:
        """A message came, whatever it was."""
        self.heard_at = time.monotonic()

    def start(self) -> None:
        """Start the drain and the threads beside it."""
        if self.queue != TICKS:
            self.drain.start()
            dispatch.dispatcher().attend(self.queue, self.told)
            threading.Thread(target=self._look, name="poller", daemon=True).start()
        threading.Thread(target=self._keep_time, name="clock", daemon=True).start()
        checks = [self.overrun, self._ticks.complaint, self._is_deaf, self._hangs_at_a_duty]
        if self.queue != TICKS:
            checks.append(self._polls.complaint)
        Watchdog(checks).start()

    def stop(self) -> None:
        """End after the batch in hand; what was not started of it is handed back."""
        self.drain.stop()

    def finish(self) -> None:
        """Wait for the last steps, then take this process off the list of workers."""
        self.drain.finish()
        hot.workers_forget(self.drain.worker)

    def _look(self) -> None:
        polled = 0.0
        while not self.drain.stopping.wait(0.1):
            self._polls.note()
            now = time.monotonic()
            if now - max(polled, self.told_at) >= self._poll_seconds():
                polled = now
                self.drain.told()

    def _poll_seconds(self) -> float:
        return POLL_SECONDS if _hears_hints() else POLL_WITHOUT_HINTS_SECONDS

    def _leads(self) -> bool:
        """Whether this process is the clock: nobody sends it ticks. Of several, the database lets one do each duty."""
        return self.queue == TICKS and not dispatch.has_beat()

    def _keep_time(self) -> None:
        """Every second: do messages come, is this worker seen, is time going on."""
        last_sign = now = 0.0
        while not self.drain.stopping.wait(max(0.0, min(1.0, now + 1.0 - time.monotonic()))):
            self._ticks.note()
            now = time.monotonic()
            try:
                dispatch.dispatcher().listen()
                if now - last_sign >= SEEN_SECONDS:
                    last_sign = now
                    self._say_alive()
                    self._count_backlog()
                for duty in self._overdue(now - self._began):
                    self._ticks.note()
                    self._do(duty)
            except (psycopg.Error, DatabaseError) as error:
                log_database_error(log, "The clock", error)
                connection.close()
            except Exception:
                # Whatever it was, this thread is what keeps time when nothing else does: it goes on.
                log.exception("Keeping time failed")
        connection.close()

    def _overdue(self, lived: float) -> list[Duty]:
        if self._leads():
            return duties.due()
        return duties.overdue(self.drain.worker, lived, hears_ticks=_hears_ticks())

    def _do(self, duty: Duty) -> None:
        """A duty that nobody else does; one that waits for others, in a thread of its own."""
        if not duty.is_slow:
            self._done(duty)
        elif (before := self._slow.get(duty.name)) is None or not before.is_alive():
            self._slow[duty.name] = threading.Thread(target=self._done_aside, args=(duty,), daemon=True)
            self._slow[duty.name].start()

    def _done(self, duty: Duty) -> None:
        try:
            duties.do(duty.name, self.drain.worker)
        except (psycopg.Error, DatabaseError) as error:
            log_database_error(log, f"The duty {duty.name}", error)
            connection.close()
        except Exception:
            # It is done again, and keeps no other from being done.
            log.exception("The duty %s failed", duty.name)

    def _done_aside(self, duty: Duty) -> None:
        try:
            self._done(duty)
        finally:
            connection.close()

    def _say_alive(self) -> None:
        hot.worker_seen(
            worker=self.drain.worker,
            queue=self.queue,
            host=socket.gethostname(),
            pid=os.getpid(),
            idle=self.drain.idle_seconds(),
        )

    def _count_backlog(self) -> None:
        if not dispatch.dispatcher().backlog(self.queue):
            self._backlog_since = None
        else:
            self._backlog_since = self._backlog_since or time.monotonic()

    def _is_deaf(self) -> str | None:
        """The consumer takes no messages any more although some wait (celery#10205)."""
        since = self._backlog_since
        deaf = since is not None and time.monotonic() - max(since, self.heard_at) > DEAF_SECONDS
        return "it takes no messages any more" if deaf else None

    def _hangs_at_a_duty(self) -> str | None:
        duty = duties.at_it(HUNG_SECONDS)
        return duty and f"it does not come back from the duty {duty}"

    def overrun(self) -> str | None:
        """Why the drain can't go on in this process; a step that only takes its time is worked around."""
        self.drain.relieve()
        return self.drain.overrun()


def _hears_hints() -> bool:
    """Whether this process hears of work."""
    line = dispatch.dispatcher()
    return line.sends_hints and not line.is_broken()


def _hears_ticks() -> bool:
    """Whether somebody else keeps time, as far as this process knows: Celery's clock, or a worker of the ticks."""
    line = dispatch.dispatcher()
    return line.sends_hints and not (dispatch.has_beat() and line.is_broken())


_here: WorkerProcess | None = None


def told(queue: str) -> None:
    """A hint for `queue` came to this process."""
    heard()
    if _here is not None and _here.queue == queue:
        _here.told()


def heard() -> None:
    """A message came to this process."""
    if _here is not None:
        _here.heard()


def begin(**_: object) -> None:
    """Become a worker process of the queue that the environment names."""
    global _here
    queue = os.environ.get("HANDOFF_WORKER_QUEUE", "")
    if queue in (*dispatch.BUILT_IN_QUEUES, TICKS):
        _here = WorkerProcess(queue)
        tracing.start("handoff")
        _here.start()


def end(**_: object) -> None:
    """It is to end: let the batch in hand be the last."""
    if _here is not None:
        _here.stop()


def gone(**_: object) -> None:
    """It ends: when the last steps are over, nobody need count on this process any more."""
    if _here is not None:
        with suppress(psycopg.Error, DatabaseError):
            _here.finish()
    live.settle()
    tracing.stop()
    board.settle()

"""What this process has in hand: a thread renews those leases, an explicit list of (step, epoch) and nothing else."""

import logging
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import psycopg
from django.db import DatabaseError, connection

from engine.statuses import StepStatus
from runs.kernel import dispatch, live, step_logs
from runs.kernel.hand_back import hand_back
from runs.store import hot
from runs.store.attempts import ClaimedStep

log = logging.getLogger(__name__)

LOOK_SECONDS = 0.25
STALLED_SECONDS = 5.0
IDLE_SECONDS = 2.0
SAID_SECONDS = 1.0
"""What a step says that takes longer is kept while it goes on, at most this often: a step that hangs is heard."""

Epoch = tuple[str, int]


@dataclass(slots=True)
class _Lease:
    step: ClaimedStep
    renew_at: float
    taken_at: float
    started: bool = False
    heard_at: float = 0.0


class InHand:
    """The steps that this process works on. Thread-safe; its heartbeat thread starts with the first step."""

    def __init__(self) -> None:
        self._leases: dict[str, _Lease] = {}
        self._lost: set[Epoch] = set()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def take(self, steps: Sequence[ClaimedStep]) -> None:
        """Steps that were just leased; each is renewed when a third of its lease has passed."""
        now = time.monotonic()
        with self._lock:
            for step in steps:
                older = self._leases.get(step.id)
                if older is not None and older.step.epoch != step.epoch:
                    self._lost.add(_epoch(older.step))
                self._leases[step.id] = _Lease(step, now + step.lease_seconds / 3, now, heard_at=now)
            if self._thread is None and self._leases:
                self._thread = threading.Thread(target=self._beat, name="heartbeat", daemon=True)
                self._thread.start()
        live.tell_steps(steps, StepStatus.RUNNING)

    def drop(self, steps: Iterable[ClaimedStep]) -> None:
        """Steps that are over, or not ours any more."""
        with self._lock:
            for step in steps:
                lease = self._leases.get(step.id)
                # A thread may come back with what it lost long ago, and what this process has got again since.
                if lease is not None and lease.step.epoch == step.epoch:
                    del self._leases[step.id]
                self._lost.discard(_epoch(step))

    def begin(self, step: ClaimedStep) -> bool:
        """Whether the step is still this process's to execute; from now on it counts as started."""
        lease = self._leases.get(step.id)
        if lease is not None:
            lease.started = True
        return not self.is_lost(step)

    def is_lost(self, step: ClaimedStep) -> bool:
        """Whether a step that was taken is known to be somebody else's by now, or nobody's."""
        return _epoch(step) in self._lost

    def let_go(self) -> None:
        """Hand back what has waited for long behind a step that takes its time: others can do it meanwhile."""
        before = time.monotonic() - STALLED_SECONDS
        with self._lock:
            stalled = [
                lease.step for lease in self._leases.values() if not lease.started and lease.taken_at < before
            ]
            for step in stalled:
                del self._leases[step.id]
                self._lost.add(_epoch(step))
        dispatch.wake(hand_back(stalled))

    def renew(self) -> None:
        """Renew the leases that are due."""
        now = time.monotonic()
        with self._lock:
            due = [lease for lease in self._leases.values() if lease.renew_at <= now]
        if not due:
            return
        renewed = hot.heartbeat([{"id": lease.step.id, "epoch": lease.step.epoch} for lease in due])
        with self._lock:
            for lease in due:
                lease.renew_at = now + lease.step.lease_seconds / 3
                if self._leases.get(lease.step.id) is lease and lease.step.id not in renewed:
                    self._lost.add(_epoch(lease.step))

    def hear(self) -> None:
        """Keep what steps have said that take their time."""
        now = time.monotonic()
        with self._lock:
            leases = [
                lease
                for lease in self._leases.values()
                if lease.step.log is not None
                and lease.step.log.has_news
                and now - lease.heard_at >= SAID_SECONDS
            ]
        if not leases:
            return
        for lease in leases:
            lease.heard_at = now
        step_logs.keep(step_logs.write(lease.step for lease in leases))
        live.tell_steps(lease.step for lease in leases)

    def _rests(self) -> bool:
        """Whether nothing is in hand: then this thread ends, and the next step starts another."""
        with self._lock:
            if self._leases:
                return False
            self._thread = None
        connection.close()
        return True

    def _beat(self) -> None:
        idle = 0.0
        while True:
            time.sleep(LOOK_SECONDS)
            idle = 0.0 if self._leases else idle + LOOK_SECONDS
            if idle > IDLE_SECONDS and self._rests():
                return
            try:
                self.let_go()
                self.renew()
                self.hear()
                if not self._leases:
                    # Most steps are over long before a heartbeat: no connection waits for the next slow one.
                    connection.close()
            except (psycopg.Error, DatabaseError):
                log.warning("Leases could not be renewed; trying again", exc_info=True)
                connection.close()


def _epoch(step: ClaimedStep) -> Epoch:
    return step.id, step.epoch

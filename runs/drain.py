"""Claim, execute, advance, until a queue is quiet: what a worker does when told of work, or looking itself."""

import logging
import os
import socket
import threading
import time
from collections import deque
from dataclasses import dataclass, field

import psycopg
from django.db import DatabaseError, connection

from lib import crash_points
from lib.uuid7 import uuid7
from runs import dispatch, leases, scopes, store
from runs.advance import advance
from runs.claimed import Ending, Held
from runs.execute import execute
from runs.plan import Keep

log = logging.getLogger(__name__)

BATCH = 100
FLUSH_SECONDS = 0.2
DRAIN_SECONDS = 1.0
MOST_SECONDS = 2.0
"""A batch that takes longer turned out slow: what of it was not started is handed back for others to take."""

WORKER = f"{socket.gethostname()}:{os.getpid()}:{uuid7()[-12:]}"
"""Random per process start: nobody can take a restarted worker for the one before."""


@dataclass(slots=True)
class Drain:
    """The loop over one queue of this process. One runs at a time: `Drain.run` of a second thread finds it busy."""

    queue: str
    worker: str = WORKER
    in_hand: leases.InHand = field(default_factory=leases.InHand)
    stopping: threading.Event = field(default_factory=threading.Event)
    _busy: threading.Lock = field(default_factory=threading.Lock)
    _cursor: int = 0
    # What a step has cost lately: a batch is to be over in about one flush, whatever its steps are.
    _step_seconds: float = 0.0

    def run(self, seconds: float = DRAIN_SECONDS) -> int:
        """Work until nothing is left or `seconds` are over; gives the number of steps ended.

        On the way out it hints again where work is left. Raises nothing for a lost database: the next run tries again.
        """
        if not self._busy.acquire(blocking=False):
            return 0
        try:
            return self._run(time.monotonic() + seconds)
        except (psycopg.Error, DatabaseError):
            # What was in hand is not known to be ours any more: let go, the sweep will find it.
            log.exception("The drain of %s lost the database", self.queue)
            connection.close()
            return 0
        finally:
            self._busy.release()

    def _run(self, until: float) -> int:
        dispatch.hint_taken(self.queue)
        ended = 0
        first = True
        while not self.stopping.is_set():
            limit = self._limit()
            batch = self._claim(limit)
            if not batch:
                return ended
            if first and len(batch) == limit:
                dispatch.wake([self.queue])
            first = False
            ended += self._work(batch)
            if time.monotonic() >= until:
                break
        dispatch.wake([self.queue])
        return ended

    def _limit(self) -> int:
        if not self._step_seconds:
            return BATCH
        return max(1, min(BATCH, int(FLUSH_SECONDS / self._step_seconds)))

    def _claim(self, limit: int) -> list[Held]:
        """The next batch; where there is none, one step that must run alone."""
        batch = store.claim(queue=self.queue, worker=self.worker, cursor=self._cursor, limit=limit)
        if not batch and self._cursor:
            self._cursor = 0
            batch = store.claim(queue=self.queue, worker=self.worker, cursor=0, limit=limit)
        if batch:
            tenants = {step.tenant_id for step in batch}
            self._cursor = 0 if len(tenants) < 2 else max(tenants)
        else:
            batch = store.claim_alone(queue=self.queue, worker=self.worker)
        crash_points.hit("after_claim")
        scopes.load(batch)
        return batch

    def _work(self, batch: list[Held]) -> int:
        """Execute a batch and what stays with this worker behind it; flush every 200 ms."""
        todo = deque(batch)
        self.in_hand.take(batch)
        ended: list[tuple[Held, Ending]] = []
        count = 0
        started = flushed = time.monotonic()
        try:
            while todo and not self.stopping.is_set() and flushed - started < MOST_SECONDS:
                step = todo.popleft()
                ended.append((step, execute(step)))
                now = time.monotonic()
                if todo and now - flushed < FLUSH_SECONDS and len(ended) < BATCH:
                    continue
                count += len(ended)
                self._learn((now - flushed) / len(ended))
                todo.extend(self._flush(ended))
                ended, flushed = [], time.monotonic()
            leases.hand_back(list(todo))
        finally:
            self.in_hand.drop([*todo, *(step for step, _ in ended)])
        return count

    def _flush(self, ended: list[tuple[Held, Ending]]) -> list[Held]:
        """Commit what ended; gives the successors that this worker keeps."""
        keep = Keep(self.worker, self.queue, BATCH // 2)
        result = advance(ended, keep)
        self.in_hand.take(result.kept)
        self.in_hand.drop(step for step, _ in ended)
        scopes.load(result.kept)
        dispatch.wake(result.wake - {self.queue})
        return result.kept

    def _learn(self, seconds: float) -> None:
        self._step_seconds += (seconds - self._step_seconds) * 0.3

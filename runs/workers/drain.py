"""Claim, execute, advance, until a queue is quiet: what a worker does when told of work, or looking itself.

`Drain` is for steps that compute, one after another; those that wait for others have `blocking.BlockingDrain`. No
step holds up a queue: behind one that takes its time another thread goes on, and one that is still there behind its
hard deadline is the end of its process (`overrun`), for a thread can't be ended.
"""

import logging
import os
import socket
import threading
import time
from collections import deque
from dataclasses import dataclass, field
from functools import partial

import psycopg
from django.db import DatabaseError, connection

from lib import crash_points
from lib.database_errors import log_database_error
from lib.uuid7 import uuid7
from runs.kernel import dispatch, messages
from runs.kernel.advance import advance
from runs.kernel.graphs import graph_of
from runs.kernel.hand_back import hand_back
from runs.kernel.plan import Affinity
from runs.kernel.transition import Result
from runs.limits import SLOW_STEPS
from runs.store import hot
from runs.store.attempts import AttemptResult, ClaimedStep, Succeeded
from runs.workers import bursts, leases
from runs.workers.beginning import load_to_begin
from runs.workers.bursts import Burst
from runs.workers.execute import execute

log = logging.getLogger(__name__)

BATCH = 100
FLUSH_BYTES = 16 * 1024 * 1024
FLUSH_SECONDS = 0.2
DRAIN_SECONDS = 1.0
TOO_LARGE = ("54000", "53200", "XX000")
QUIET_SECONDS = 0.02
PATIENCE_SECONDS = 2.0
"""How much longer a drain works off what it has in hand before it hands back what was not started."""
ASIDE_SECONDS = 5.0
"""How long a step may take before another thread goes on with the queue."""
OVERRUN_SECONDS = 2.0
"""How long a step may go on behind its hard deadline."""
UNLIMITED_SECONDS = 600.0
"""How long a step without a deadline may take here: it has none for what it waits for, which it only says here."""
LOST_SECONDS = 60.0
"""How long a step may go on that is somebody else's by now, or nobody's."""
FINISH_SECONDS = 10.0

_started: tuple[int, str] = (0, "")


def identity() -> str:
    """The name of this process as a worker, which no process before, no parent and no other host has: its last part is
    random. Whoever started this process may have chosen it (HANDOFF_WORKER_LIFE), so that they know the name, too.
    """
    global _started
    if _started[0] != os.getpid():
        life = os.environ.get("HANDOFF_WORKER_LIFE") or uuid7()[-12:]
        _started = os.getpid(), f"{socket.gethostname()}:{os.getpid()}:{life}"
    return _started[1]


@dataclass(slots=True)
class QueueWorker:
    """One queue as this process works on it: what it claims, has in hand and commits. A drain says when."""

    queue: str
    worker: str = field(default_factory=identity)
    in_hand: leases.InHand = field(default_factory=leases.InHand)
    stopping: threading.Event = field(default_factory=threading.Event)
    claimed_at: float | None = None
    _cursor: int = 0

    def start(self) -> None:
        """Be ready to be told of work."""

    def told(self) -> None:
        """There may be work."""
        raise NotImplementedError

    def stop(self) -> None:
        """Claim nothing more. A signal handler may call it."""
        self.stopping.set()

    def finish(self) -> None:
        """Wait, for a bounded time, for what may still end here after `stop`."""

    def idle_seconds(self) -> float | None:
        """How long ago it claimed something; None where it never did."""
        return None if self.claimed_at is None else time.monotonic() - self.claimed_at

    def relieve(self) -> None:
        """Go on beside a step that takes its time. Called every second by a thread that no step can hold up."""

    def overrun(self) -> str | None:
        """Why this process can't work properly any more and must be started anew; None where it can."""
        return None

    def claim(self, limit: int, *, alone: bool = True) -> list[ClaimedStep]:
        """The next steps, ready to be executed; where there are none and `alone`, one that must run alone."""
        if self.queue == messages.QUEUE:
            messages.deliver()
        batch = self._claim(limit, self._cursor, alone)
        if not batch and self._cursor:
            self._cursor = 0
            batch = self._claim(limit, 0, alone)
        if batch:
            tenants = {step.tenant_id for step in batch}
            # Of several, the only one that has work; but a single step says nothing of those behind its tenant.
            self._cursor = 0 if len(tenants) < 2 <= limit else max(tenants)
        elif alone:
            batch = hot.claim_alone(queue=self.queue, worker=self.worker)
        return self._take(batch)

    def _claim(self, limit: int, cursor: int, alone: bool) -> list[ClaimedStep]:
        def claim(limit: int) -> list[ClaimedStep]:
            return hot.claim(queue=self.queue, worker=self.worker, cursor=cursor, limit=limit, alone=alone)

        try:
            return claim(limit)
        except psycopg.Error as error:
            # The inputs of so many steps are more than one answer holds: none was claimed, and none would ever be.
            if limit == 1 or error.sqlstate not in TOO_LARGE:
                raise
            return claim(1)

    def _take(self, batch: list[ClaimedStep]) -> list[ClaimedStep]:
        crash_points.hit("after_claim")
        if batch:
            self.claimed_at = time.monotonic()
        # Taken in hand last: what is lost on the way must not be kept alive by a heartbeat.
        load_to_begin(batch)
        self.in_hand.take(batch)
        return batch

    def flush(self, ended: list[tuple[ClaimedStep, AttemptResult]], *, keep: int = 0) -> Result:
        """Commit what ended; up to `keep` successors stay with this worker, and other queues are told of theirs."""
        result = advance(ended, Affinity(self.worker, self.queue, keep))
        trace_by_run = {step.run_id: step.trace for step, _ in ended}
        for step in result.kept:
            step.trace = trace_by_run.get(step.run_id)
        load_to_begin(result.kept)
        self.in_hand.take(result.kept)
        dispatch.wake(result.wake - {self.queue})
        return result


@dataclass(slots=True)
class _Turn:
    """One thread's turn at the queue: the step that it is at, and since when."""

    step: ClaimedStep | None = None
    since: float = 0.0
    lost_at: float | None = None
    burst: Burst | None = None


@dataclass(slots=True)
class Drain(QueueWorker):
    """Steps one after another, in a thread of its own. One turn at a time: `run` of a second thread finds it busy."""

    _turn: _Turn | None = None
    _aside: list[_Turn] = field(default_factory=list)
    _turns: threading.Lock = field(default_factory=threading.Lock)
    _owner: threading.Thread | None = None
    _news: threading.Event = field(default_factory=threading.Event)
    # What a step has cost lately: a batch is to be over in about one flush, whatever its steps are.
    _step_seconds: float = 0.0

    def start(self) -> None:
        """Start the thread that owns the drain; it looks for work at once."""
        self._news.set()
        self._own()

    def told(self) -> None:
        """There may be work: the owner looks."""
        self._news.set()

    def stop(self) -> None:
        """Claim nothing more; what is in hand and was not started is handed back."""
        self.stopping.set()
        self._news.set()

    def finish(self) -> None:
        """Wait for the batch in hand."""
        if self._owner is not None:
            self._owner.join(FINISH_SECONDS)

    def relieve(self) -> None:
        """Let another thread own the queue while a step takes its time; who was at it ends when it comes back."""
        with self._turns:
            turn = self._turn
            self._aside = [each for each in self._aside if each.step is not None]
            slow = (
                turn is not None and turn.step is not None and time.monotonic() - turn.since >= ASIDE_SECONDS
            )
            if turn is None or not slow or len(self._aside) >= SLOW_STEPS or self.stopping.is_set():
                return
            self._aside.append(turn)
            self._turn = None
        self._news.set()
        self._own()

    def overrun(self) -> str | None:
        """A step that is still there behind its hard deadline, or long after it was lost."""
        if self._owner is not None and not self._owner.is_alive() and not self.stopping.is_set():
            return f"the drain of {self.queue} has ended"
        now = time.monotonic()
        with self._turns:
            turns = [*self._aside, *([self._turn] if self._turn else [])]
        for turn in turns:
            if (step := turn.step) is None:
                continue
            seconds = (
                graph_of(step.version_id).step(step.node, step.index).timeout_seconds or UNLIMITED_SECONDS
            )
            late = now - turn.since > seconds + OVERRUN_SECONDS
            if turn.lost_at is None and self.in_hand.is_lost(step):
                turn.lost_at = now
            if late or (turn.lost_at is not None and now - turn.lost_at > LOST_SECONDS):
                return f"step {step.node} of run {step.run_id} does not come back"
        return None

    def _own(self) -> None:
        self._owner = threading.Thread(target=self._work, name="drain", daemon=True)
        self._owner.start()

    def _work(self) -> None:
        try:
            while not self.stopping.is_set() and self._owner is threading.current_thread():
                self._news.wait()
                self._news.clear()
                if not self.stopping.is_set():
                    self.run()
        finally:
            connection.close()

    def run(self, seconds: float = DRAIN_SECONDS) -> int:
        """Work until nothing is left or `seconds` are over; gives the number of steps ended.

        On the way out it hints again where work is left. Raises nothing for a lost database: the next run tries again.
        """
        turn = _Turn()
        with self._turns:
            if self._turn is not None:
                return 0
            self._turn = turn
        try:
            return self._run(turn, time.monotonic() + seconds)
        except (psycopg.Error, DatabaseError) as error:
            # What was in hand is not known to be ours any more: let go, the sweep will find it.
            log_database_error(log, f"The drain of {self.queue}", error)
            connection.close()
            return 0
        except Exception:
            # Whatever it was, this thread is the queue: it goes on.
            log.exception("The drain of %s stumbled", self.queue)
            return 0
        finally:
            turn.step = None
            if turn.burst is not None:
                turn.burst.end()
            with self._turns:
                if self._turn is turn:
                    self._turn = None
                else:
                    # Whoever had to wait for it to be over is looked for.
                    self._news.set()

    def _run(self, turn: _Turn, until: float) -> int:
        dispatch.dispatcher().taken(self.queue)
        hand: deque[ClaimedStep] = deque()
        ended = 0
        first, more, look_again = True, True, 0.0
        # Two that must run alone would not be alone: neither could be blamed.
        alone = not any(self._is_alone(each.step) for each in self._aside)
        try:
            # First, so that a busy queue doesn't keep those waiting that must run alone.
            if alone and (hand := deque(self._take(hot.claim_alone(queue=self.queue, worker=self.worker)))):
                ended += self._round(turn, hand, keep=0)
            while self._goes_on(turn) and time.monotonic() < until + PATIENCE_SECONDS:
                limit = self._limit()
                now = time.monotonic()
                more = now < until
                if more and len(hand) <= limit // 2 and (not hand or now >= look_again):
                    room = limit - len(hand)
                    claimed = self.claim(room, alone=alone and not hand)
                    hand.extend(claimed)
                    # A queue that was quiet just now is not asked again between any two steps of a chain.
                    look_again = now + QUIET_SECONDS if len(claimed) < room else now
                    if first and len(claimed) == room:
                        dispatch.wake([self.queue])
                    first = False
                if not hand:
                    break
                ended += self._round(turn, hand, keep=limit // 2 if more else 0)
            # A stop, or a batch that turned out slow: what was not started is for others to take.
            hand_back(list(hand))
        finally:
            self.in_hand.drop(hand)
        if hand or not more:
            dispatch.wake([self.queue])
            # Where no hint can come, this thread is its own.
            self._news.set()
        return ended

    def _is_alone(self, step: ClaimedStep | None) -> bool:
        return step is not None and step.solo and not self.in_hand.is_lost(step)

    def _goes_on(self, turn: _Turn) -> bool:
        return not self.stopping.is_set() and self._turn is turn

    def _limit(self) -> int:
        if not self._step_seconds:
            return BATCH
        return max(1, min(BATCH, int(FLUSH_SECONDS / self._step_seconds)))

    def _round(self, turn: _Turn, hand: deque[ClaimedStep], *, keep: int) -> int:
        """Execute what is in hand for up to 200 ms and commit it; successors that stay here join the hand."""
        ended: list[tuple[ClaimedStep, AttemptResult]] = []
        turn.burst = turn.burst.roll_over() if turn.burst else bursts.begin(self.queue)
        began = now = time.monotonic()
        size = 0
        try:
            while hand and len(ended) < BATCH and now - began < FLUSH_SECONDS and size < FLUSH_BYTES:
                step = hand.popleft()
                if self.in_hand.begin(step):
                    turn.since, turn.lost_at, turn.step = now, None, step
                    burst = turn.burst
                    result = execute(step) if burst is None else burst.told(step, partial(execute, step))()
                    turn.step = None
                    ended.append((step, result))
                    size += len(result.encoded or b"") if isinstance(result, Succeeded) else 0
                now = time.monotonic()
            if ended:
                self._learn((now - began) / len(ended))
                hand.extend(self.flush(ended, keep=keep if self._turn is turn else 0).kept)
        finally:
            self.in_hand.drop(step for step, _ in ended)
        return len(ended)

    def _learn(self, seconds: float) -> None:
        self._step_seconds += (seconds - self._step_seconds) * 0.3

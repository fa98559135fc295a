"""The drain of steps that wait for others (HTTP, LLM, mail): many at once in threads, claimed and committed in batches.

One thread owns it and alone talks to the database. Each step runs in a thread of its own, which holds no connection
and takes one of the slots: nothing is claimed that would have to wait for a slot while its lease runs (H-27).

A step that must run alone (docs/engine.md, "Poison pills") has no other such step beside it, but ordinary ones: who
is killed leaves as many of them as it had slots, and one slow step after another would stop the queue for hours.
If it takes its worker down, the others lose no attempt by it.
"""

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue

import psycopg
from django.conf import settings
from django.db import DatabaseError, connection

from lib.database_errors import OPERATIONAL_ERRORS, log_database_error
from lib.english import counted
from runs.kernel import dispatch
from runs.kernel.hand_back import hand_back
from runs.kernel.transition import Result
from runs.store import hot
from runs.store.attempts import AttemptResult, ClaimedStep
from runs.workers import bursts
from runs.workers.bursts import Burst
from runs.workers.drain import QueueWorker
from runs.workers.execute import Work, attempted, prepare

log = logging.getLogger(__name__)

GATHER_SECONDS = 0.005
"""How long what ended waits for company: it is committed as one batch."""
LOOK_SECONDS = 1.0
GRACE_SECONDS = 10.0
"""How long running steps may go on after a stop; the supervisor kills after 15."""
STUCK_SECONDS = 60.0
"""How long a step may run on after its lease was lost before its slot counts as lost, too."""
PATIENCE_SECONDS = 30.0
"""How long what ended waits for a database that has gone away: to do it again could cost money."""
PAUSE_SECONDS = 0.5
HUNG_SECONDS = 120.0
"""How long one turn may take: longer than any statement, and than the patience with a database."""

Ended = tuple[ClaimedStep, AttemptResult]


@dataclass(slots=True)
class _Running:
    step: ClaimedStep
    lost_at: float | None = None
    is_stuck: bool = False


@dataclass(slots=True)
class BlockingDrain(QueueWorker):
    """Up to `slots` steps at once. Being told of work takes no time: it is left to the drain's own thread."""

    slots: int = field(default_factory=lambda: int(settings.HANDOFF_BLOCKING_THREADS))
    _running: dict[tuple[str, int], _Running] = field(default_factory=dict)
    # What ended; None: there may be work, or the end has come.
    _news: SimpleQueue[Ended | None] = field(default_factory=SimpleQueue)
    _told: bool = True
    _more: bool = True
    _more_alone: bool = True
    _stuck: int = 0
    _owner: threading.Thread | None = None
    _turned_at: float = 0.0
    _burst: Burst | None = None

    def start(self) -> None:
        """Start the thread that owns the drain; it looks for work at once."""
        self._turned_at = time.monotonic()
        self._owner = threading.Thread(target=self._work, name="drain", daemon=True)
        self._owner.start()

    def told(self) -> None:
        """There may be work: look as soon as a slot is free."""
        self._news.put(None)

    def stop(self) -> None:
        """Claim nothing more; what runs may go on for a while."""
        self.stopping.set()
        self._news.put(None)

    def finish(self) -> None:
        """Wait until what runs has ended, or its grace is over: its leases tell then."""
        if self._owner is not None:
            self._owner.join(GRACE_SECONDS + LOOK_SECONDS)

    def overrun(self) -> str | None:
        """Half of the slots are held by steps that don't come back: no thread can be ended, a process can."""
        if self._stuck * 2 >= self.slots:
            return f"{self._stuck} of {counted(self.slots, 'slot')} held by steps that do not come back"
        if self._owner is not None and time.monotonic() - self._turned_at > HUNG_SECONDS:
            return f"the drain of {self.queue} makes no progress"
        return None

    def _work(self) -> None:
        try:
            while not self.stopping.is_set():
                self._safely(self._turn)
            self._safely(self._finish_running)
        finally:
            self.in_hand.drop([one.step for one in self._running.values()])
            connection.close()

    def _safely(self, act: Callable[[], None]) -> None:
        try:
            act()
        except (psycopg.Error, DatabaseError) as error:
            log_database_error(log, f"The drain of {self.queue}", error)
            connection.close()
            self._look_again()
        except Exception:
            # Whatever it was, this thread is the queue: it goes on.
            log.exception("The drain of %s stumbled", self.queue)
            self._look_again()

    def _look_again(self) -> None:
        self._told = True
        self.stopping.wait(PAUSE_SECONDS)

    def _turn(self) -> None:
        self._turned_at = time.monotonic()
        self._fill()
        self._commit(self._ended_within(LOOK_SECONDS))
        if self._burst is not None and not self._running:
            self._burst.end()
            self._burst = None
        self._count_stuck()

    def _fill(self) -> None:
        """Claim for the free slots, as long as there was more than they could take or somebody says so."""
        has_news, self._told = self._told, False
        if has_news:
            dispatch.dispatcher().taken(self.queue)
            self._more = self._more_alone = True
        if self._more_alone and self._room() > 0 and not self._runs_alone():
            claims = self._take(hot.claim_alone(queue=self.queue, worker=self.worker))
            self._more_alone = bool(claims)
            self._begin(claims)
        if self._more and (room := self._room()) > 0:
            claims = self.claim(room, alone=False)
            self._more = len(claims) >= room
            if has_news and self._more:
                dispatch.wake([self.queue])
            self._begin(claims)

    def _room(self) -> int:
        return self.slots - len(self._running)

    def _runs_alone(self) -> bool:
        """Whether a step that must run alone is at it; one that was lost may never come back: nobody waits for it."""
        return any(one.step.solo and not self.in_hand.is_lost(one.step) for one in self._running.values())

    def _begin(self, steps: Sequence[ClaimedStep]) -> None:
        """A thread for each, none after a stop; what has none in the end is not kept alive."""
        try:
            if self.stopping.is_set():
                dispatch.wake(hand_back(steps))
                return
            for step in steps:
                if self.in_hand.begin(step):
                    self._gather()
                    attempt: Work = partial(attempted, prepare(step))
                    if self._burst is not None:
                        attempt = self._burst.told(step, attempt)
                    threading.Thread(
                        target=self._run, args=(step, attempt), name=f"step {step.id}", daemon=True
                    ).start()
                    self._running[step.id, step.epoch] = _Running(step)
        finally:
            self.in_hand.drop(step for step in steps if (step.id, step.epoch) not in self._running)

    def _gather(self) -> None:
        """What begins while others run is of their trace."""
        self._burst = self._burst.roll_over() if self._burst else bursts.begin(self.queue)

    def _run(self, step: ClaimedStep, attempt: Work) -> None:
        self._news.put((step, attempt()))

    def _ended_within(self, seconds: float) -> list[Ended]:
        """What ended: the first within `seconds`, and those that end with it."""
        news: list[Ended | None] = []
        try:
            news.append(self._news.get(timeout=seconds))
            if len(self._running) > 1 and news[0] is not None:
                time.sleep(GATHER_SECONDS)
            while True:
                news.append(self._news.get_nowait())
        except Empty:
            self._told |= None in news
            return [ended for ended in news if ended is not None]

    def _commit(self, ended: Sequence[Ended]) -> None:
        """Commit what ended; successors on this queue may stay for half of the slots that are free now."""
        if not ended:
            return
        try:
            for step, _ in ended:
                del self._running[step.id, step.epoch]
            result = self._flush_patiently(list(ended), 0 if self.stopping.is_set() else self._room() // 2)
            self._more |= self.queue in result.wake
            self._begin(result.kept)
        finally:
            self.in_hand.drop(step for step, _ in ended)

    def _flush_patiently(self, ended: list[Ended], keep: int) -> Result:
        until = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                return self.flush(ended, keep=keep)
            except OPERATIONAL_ERRORS:
                if time.monotonic() >= until:
                    raise
                # If it was committed all the same, the second time changes nothing.
                log.warning("The database is away; %s ended steps wait for it", len(ended), exc_info=True)
                connection.close()
                time.sleep(PAUSE_SECONDS)

    def _count_stuck(self) -> None:
        now = time.monotonic()
        for one in self._running.values():
            if one.lost_at is None and self.in_hand.is_lost(one.step):
                one.lost_at = now
            if one.lost_at is not None and not one.is_stuck and now - one.lost_at >= STUCK_SECONDS:
                one.is_stuck = True
                log.error(
                    "Step %s of run %s doesn't come back although its lease is over: its slot is lost",
                    one.step.node,
                    one.step.run_id,
                )
        stuck = sum(one.is_stuck for one in self._running.values())
        if stuck != self._stuck:
            log.warning("%s of %s slots of %s are stuck", stuck, self.slots, self.queue)
        self._stuck = stuck

    def _finish_running(self) -> None:
        until = time.monotonic() + GRACE_SECONDS
        while self._awaited() and (left := until - time.monotonic()) > 0:
            self._commit(self._ended_within(min(left, LOOK_SECONDS)))
        if left_over := [one.step.id for one in self._awaited()]:
            log.warning("Stopping with %s steps still running: their leases will run out", len(left_over))

    def _awaited(self) -> list[_Running]:
        return [one for one in self._running.values() if not self.in_hand.is_lost(one.step)]

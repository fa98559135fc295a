"""Hints through Redis and Celery. A Redis that is down, slow, full or read-only costs a commit nothing, and the hints
that are owed then are sent when it takes messages again.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property

import redis
from celery import current_app

from lib.messages import first_line
from lib.quiet_redis import hurried

log = logging.getLogger(__name__)

HINT_SECONDS = 1.0
ASK_SECONDS = 0.25
DRAIN_TASK = "runs.drain"
TICK_TASK = "runs.tick"
POLLERS = "handoff:jobs"
PING_SECONDS = 10.0
"""So long a line on which nothing comes isn't asked whether it is still there."""
RETRY_SECONDS = 1.0
_UNANSWERED = (redis.ConnectionError, redis.TimeoutError)


class _Line:
    """The line to Redis of this process.

    Once it is broken nobody waits for it: what would go there is skipped, and a thread asks until Redis answers.
    Then it sends the hints that are owed.
    """

    def __init__(self) -> None:
        self.broken = False
        self._owed: set[str] = set()
        self._lock = threading.Lock()

    @cached_property
    def redis(self) -> redis.Redis:
        """The connections of this process, made when they are first used: after it was forked. Redis being down must
        not slow a commit.
        """
        return hurried()

    def probe(self) -> None:
        """Raises where Redis takes nothing: one that is full or read-only answers a ping all the same."""
        self.redis.set("handoff:probe", 1, px=int(HINT_SECONDS * 1000))

    def owes(self, queues: Iterable[str]) -> bool:
        """Whether the line is broken; these queues are hinted when it is mended, then."""
        with self._lock:
            if self.broken:
                self._owed.update(queues)
            return self.broken

    def breaks(self, error: Exception, owed: Iterable[str] = ()) -> None:
        """Redis failed somebody, who owes hints to these queues."""
        with self._lock:
            self._owed.update(owed)
            if self.broken:
                return
            self.broken = True
        log.warning("Redis doesn't answer (%s); going on without hints", first_line(error))
        threading.Thread(target=self._mend, name="redis", daemon=True).start()

    def _mend(self) -> None:
        while self.broken:
            time.sleep(ASK_SECONDS)
            self._ask()
        log.warning("Redis answers again")

    def _ask(self) -> None:
        with self._lock:
            owed = frozenset(self._owed)
        try:
            self.probe()
            for queue in sorted(owed):
                _send(queue)
        except Exception:
            # Whatever kombu makes of it: the line is not mended before a hint gets through.
            return
        with self._lock:
            self._owed -= owed
            self.broken = bool(self._owed)


class RedisHints:
    """The dispatcher of `HANDOFF_DISPATCH=hints`."""

    sends_hints = True

    def __init__(self) -> None:
        self._line = _Line()

    def attend(self, queue: str, callback: Callable[[], None]) -> None:
        """Messages come to Celery's consumer."""

    def wake(self, queues: Sequence[str], *, even_if_awake: bool = False) -> None:
        """At most one message a second for each queue, unless `even_if_awake`."""
        if self._line.owes(queues):
            return
        for place, queue in enumerate(queues):
            try:
                if (
                    self._line.redis.set(_key(queue), 1, nx=True, px=int(HINT_SECONDS * 1000))
                    or even_if_awake
                ):
                    _send(queue)
            except Exception as error:
                # kombu wraps what Redis raises in several ways, and none of them may reach the caller's commit.
                self._line.breaks(error, queues[place:])
                return

    def wake_pollers(self) -> None:
        """One message to all web processes; where Redis doesn't take it they look a moment later by themselves."""
        if not self._line.broken:
            try:
                self._line.redis.publish(POLLERS, b"")
            except _UNANSWERED as error:
                self._line.breaks(error)
            except redis.RedisError as error:
                # A user without channels: hints go on.
                _warn_of_refusal(str(error))

    def attend_pollers(self, callback: Callable[[], None]) -> None:
        """Have `callback` called by a thread of its own, which waits for messages as long as the process lives."""
        threading.Thread(target=_hear_pollers, args=(callback,), name="jobs", daemon=True).start()

    def taken(self, queue: str) -> None:
        """Whoever commits from here on hints again."""
        if not self._line.broken:
            try:
                self._line.redis.delete(_key(queue))
            except redis.RedisError as error:
                self._line.breaks(error)

    def tick(self, duty: str) -> None:
        """A message to the tick workers."""
        if not self._line.broken:
            try:
                current_app.send_task(
                    TICK_TASK, args=(duty,), queue="ticks", expires=HINT_SECONDS, retry=False
                )
            except Exception as error:
                # As in `wake`.
                self._line.breaks(error)

    def backlog(self, queue: str) -> int | None:
        """How many messages wait in Redis."""
        if self._line.broken:
            return None
        try:
            return int(self._line.redis.llen(queue))
        except redis.RedisError as error:
            self._line.breaks(error)
            return None

    def listen(self) -> None:
        """Who sends no hints would not notice that none can come."""
        if not self._line.broken:
            try:
                self._line.probe()
            except redis.RedisError as error:
                self._line.breaks(error)

    def is_broken(self) -> bool:
        """Whether Redis doesn't answer, as far as this process knows."""
        return self._line.broken

    def failed(self, error: Exception) -> None:
        """Sending something through Redis raised this: go on without, until Redis takes messages again."""
        self._line.breaks(error)


def _hear_pollers(callback: Callable[[], None]) -> None:
    while True:
        try:
            with hurried() as client, client.pubsub(ignore_subscribe_messages=True) as line:
                line.subscribe(POLLERS)
                # What came meanwhile was not heard.
                callback()
                while True:
                    message = line.get_message(timeout=PING_SECONDS)
                    if message is None:
                        line.ping()
                    elif message["type"] == "message":
                        callback()
        except _UNANSWERED:
            # The line says what is wrong with Redis.
            time.sleep(RETRY_SECONDS)
        except Exception as error:
            # Also whatever the client makes of an answer that it can't read: this thread goes on.
            _warn_of_refusal(str(error))
            time.sleep(PING_SECONDS)


@cache
def _warn_of_refusal(why: str) -> None:
    """Once for each reason."""
    log.warning("Redis doesn't carry news to polls that wait, who look by themselves instead: %s", why)


def _key(queue: str) -> str:
    return f"wake:{queue}"


def _send(queue: str) -> None:
    current_app.send_task(DRAIN_TASK, args=(queue,), queue=queue, expires=HINT_SECONDS, retry=False)

"""Hints: commit first, then say through Redis that a queue has work. A hint that is lost costs time, never work."""

import logging
import threading
import time
from collections.abc import Iterable
from functools import cache

import redis
from celery import current_app
from django.conf import settings

from lib.messages import first_line

log = logging.getLogger(__name__)

BUILT_IN_QUEUES = ("default", "blocking", "engine")
HINT_SECONDS = 1.0
ASK_SECONDS = 0.25
DRAIN_TASK = "runs.drain"


class _Line:
    """The line to Redis of this process.

    Once it is broken nobody waits for it: what would go there is skipped, and a thread asks until Redis answers.
    Then it sends the hints that are owed.
    """

    def __init__(self) -> None:
        self.broken = False
        self._owed: set[str] = set()
        self._lock = threading.Lock()

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
            _probe()
            for queue in sorted(owed):
                _send(queue)
        except Exception:
            # Whatever kombu makes of it: the line is not mended before a hint gets through.
            return
        with self._lock:
            self._owed -= owed
            self.broken = bool(self._owed)


_line = _Line()


@cache
def _redis() -> redis.Redis:
    # Short timeouts and no retries: Redis being down must not slow a commit.
    return redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=0.25, socket_connect_timeout=0.25, retry_on_error=[], retry=None
    )


def wake(queues: Iterable[str], *, even_if_awake: bool = False) -> None:
    """Hint that the queues have work: at most one message a second each, unless `even_if_awake`.

    Never raises. While Redis doesn't answer it costs nothing, and the hint is sent when it does again.
    """
    wanted = sorted({*queues} & {*BUILT_IN_QUEUES})
    if not settings.HANDOFF_HINTS or _line.owes(wanted):
        return
    for place, queue in enumerate(wanted):
        try:
            if _redis().set(_key(queue), 1, nx=True, px=int(HINT_SECONDS * 1000)) or even_if_awake:
                _send(queue)
        except Exception as error:
            # kombu wraps what Redis raises in several ways, and none of them may reach the caller's commit.
            _line.breaks(error, wanted[place:])
            return


def is_heard() -> bool:
    """Whether Redis answers, as far as this process knows."""
    return not _line.broken


def listen() -> None:
    """Ask Redis whether it takes messages: who sends no hints would not notice that none can come."""
    if settings.HANDOFF_HINTS and not _line.broken:
        try:
            _probe()
        except redis.RedisError as error:
            _line.breaks(error)


def failed(error: Exception) -> None:
    """Sending something through Redis raised this: go on without, until Redis takes messages again."""
    _line.breaks(error)


def hint_taken(queue: str) -> None:
    """A drain begins: whoever commits from here on must hint again. Called before the claim's transaction begins."""
    if settings.HANDOFF_HINTS and not _line.broken:
        try:
            _redis().delete(_key(queue))
        except redis.RedisError as error:
            _line.breaks(error)


def tick(task: str) -> None:
    """Have a tick worker do this duty now. Never raises: the clock's own tick comes within a second."""
    if settings.HANDOFF_HINTS and not _line.broken:
        try:
            current_app.send_task(task, queue="ticks", expires=HINT_SECONDS, retry=False)
        except Exception as error:
            # As in `wake`.
            _line.breaks(error)


def backlog(queue: str) -> int | None:
    """How many messages wait in Redis for this queue's workers; None where Redis doesn't answer."""
    if _line.broken:
        return None
    try:
        return int(_redis().llen(queue))
    except redis.RedisError as error:
        _line.breaks(error)
        return None


def _probe() -> None:
    """Raises where Redis takes nothing: one that is full or read-only answers a ping all the same."""
    _redis().set("handoff:probe", 1, px=int(HINT_SECONDS * 1000))


def _key(queue: str) -> str:
    return f"wake:{queue}"


def _send(queue: str) -> None:
    current_app.send_task(DRAIN_TASK, args=(queue,), queue=queue, expires=HINT_SECONDS, retry=False)

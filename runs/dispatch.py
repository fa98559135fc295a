"""Hints: commit first, then say through Redis that a queue has work. A hint that is lost costs time, never work."""

import contextlib
import time
from collections.abc import Iterable
from functools import cache

import redis
from celery import current_app
from django.conf import settings

BUILT_IN_QUEUES = ("default", "blocking", "engine")
HINT_SECONDS = 1.0
SILENCE_SECONDS = 1.0
DRAIN_TASK = "runs.drain"

_silent_until = 0.0


@cache
def _redis() -> redis.Redis:
    # Short timeouts and no retries: Redis being down must not slow a commit.
    return redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=0.25, socket_connect_timeout=0.25, retry_on_error=[], retry=None
    )


def wake(queues: Iterable[str], *, even_if_awake: bool = False) -> None:
    """Hint that the queues have work: at most one message a second each, unless `even_if_awake`.

    Never raises; after an error it keeps quiet for a second.
    """
    global _silent_until
    if not settings.HANDOFF_HINTS or time.monotonic() < _silent_until:
        return
    for queue in sorted({*queues} & {*BUILT_IN_QUEUES}):
        try:
            if _redis().set(_key(queue), 1, nx=True, px=int(HINT_SECONDS * 1000)) or even_if_awake:
                _send(queue)
        except Exception:
            # kombu wraps what Redis raises in several ways, and none of them may reach the caller's commit.
            _silent_until = time.monotonic() + SILENCE_SECONDS
            with contextlib.suppress(redis.RedisError):
                _redis().delete(_key(queue))
            return


def is_heard() -> bool:
    """Whether Redis took our last hint, as far as this process knows."""
    return time.monotonic() >= _silent_until


def hint_taken(queue: str) -> None:
    """A drain begins: whoever commits from here on must hint again. Called before the claim's transaction begins."""
    with contextlib.suppress(redis.RedisError):
        _redis().delete(_key(queue))


def backlog(queue: str) -> int | None:
    """How many messages wait in Redis for this queue's workers; None where Redis doesn't answer."""
    with contextlib.suppress(redis.RedisError):
        return int(_redis().llen(queue))
    return None


def _key(queue: str) -> str:
    return f"wake:{queue}"


def _send(queue: str) -> None:
    current_app.send_task(DRAIN_TASK, args=(queue,), queue=queue, expires=HINT_SECONDS, retry=False)

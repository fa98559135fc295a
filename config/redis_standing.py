"""Whether Redis is there, and takes what is written; imported only where Handoff needs one."""

import contextlib

import redis
from django.conf import settings


def complaint(seconds: float) -> str | None:
    """Why Redis does not answer within so many seconds; None where it does."""
    try:
        with redis.Redis.from_url(settings.REDIS_URL, socket_timeout=seconds, retry=None) as client:
            client.ping()
    except (redis.RedisError, ValueError) as problem:
        return str(problem)
    return None


def takes_writes(seconds: float) -> bool:
    """Whether it takes what is written: one that is full or read-only answers a ping all the same."""
    with (
        contextlib.suppress(redis.RedisError),
        redis.Redis.from_url(settings.REDIS_URL, socket_timeout=seconds, retry=None) as client,
    ):
        return bool(client.set("handoff:ready", 1, px=1000))
    return False

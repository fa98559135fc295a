"""Redis for what can do without it: whoever asks waits a moment at most, and once it has failed nobody asks for some
seconds.
"""

import logging
import time
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import redis
from django.conf import settings

from lib.messages import first_line

log = logging.getLogger(__name__)

ANSWER_SECONDS = 0.25
QUIET_SECONDS = 5.0


def hurried() -> redis.Redis:
    """Connections to Redis for who has no time: short timeouts and no retries."""
    return redis.Redis.from_url(
        settings.REDIS_URL,
        socket_timeout=ANSWER_SECONDS,
        socket_connect_timeout=ANSWER_SECONDS,
        retry_on_error=[],
        retry=None,
    )


class QuietRedis:
    """Asks Redis; where it is away or hangs nothing is answered, which is logged once in `QUIET_SECONDS`.

    `missing`: what there is not, then, as the log is told: "who is here".
    """

    def __init__(self, missing: str) -> None:
        self._missing = missing
        self._quiet_until = 0.0

    @cached_property
    def _redis(self) -> redis.Redis:
        # Made when they are first used: after the process was forked.
        return hurried()

    def ask(self, commands: Sequence[tuple[object, ...]]) -> list[Any] | None:
        """What Redis answers to each of these commands, sent together; None while it doesn't."""
        if time.monotonic() < self._quiet_until:
            return None
        try:
            with self._redis.pipeline(transaction=False) as pipe:
                for command in commands:
                    pipe.execute_command(*command)  # type: ignore[no-untyped-call]
                answers: list[Any] = pipe.execute()
                return answers
        except redis.RedisError as error:
            self._quiet_until = time.monotonic() + QUIET_SECONDS
            log.warning("Redis doesn't say %s: %s", self._missing, first_line(error))
            return None

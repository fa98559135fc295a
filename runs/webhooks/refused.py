"""Why messages to a webhook were refused lately, for who looks for what keeps them out. Of what was in them nothing
is kept.

It is kept in Redis and nowhere else: where Redis is away nothing is noted, and a refusal waits for it a moment at most.
"""

import logging
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache

import orjson
import redis
from django.conf import settings

from lib.api.errors import Problem
from lib.messages import first_line
from runs.store.webhooks import digest

log = logging.getLogger(__name__)

MOST = 20
"""Of so many refusals of one webhook it is known why."""
KEPT_SECONDS = 7 * 86_400
LONGEST = 300
QUIET_SECONDS = 5.0
"""For how long Redis isn't asked once it has failed somebody."""
_quiet_until = 0.0


@dataclass(frozen=True, slots=True)
class RefusedMessage:
    """A message that was refused: when, with which status and code, and why, in a sentence."""

    at: datetime
    status: int
    code: str
    message: str


def note(token: str, problem: Problem) -> None:
    """Note that a message to the webhook with this token was refused. Never raises."""
    value = orjson.dumps([time.time(), problem.status, problem.code, problem.message[:LONGEST]])
    key = _key(digest(token))
    _asked([("lpush", key, value), ("ltrim", key, 0, MOST - 1), ("expire", key, KEPT_SECONDS)])


def lately(hashes: Iterable[bytes]) -> list[list[RefusedMessage]]:
    """What was refused of each of these webhooks, named by the hash of their tokens, newest first."""
    keys = [_key(one) for one in hashes]
    answers = _asked([("lrange", key, 0, MOST - 1) for key in keys]) if keys else []
    return [[_read(entry) for entry in entries] for entries in answers] or [[] for _ in keys]


def _read(entry: bytes) -> RefusedMessage:
    at, status, code, message = orjson.loads(entry)
    return RefusedMessage(datetime.fromtimestamp(at, UTC), status, code, message)


def _key(token_sha256: bytes) -> str:
    return f"hook-refused:{token_sha256.hex()}"


def _asked(commands: Sequence[tuple[object, ...]]) -> list[list[bytes]]:
    """What Redis answers to each of these; nothing while it doesn't."""
    global _quiet_until
    if time.monotonic() < _quiet_until:
        return []
    try:
        with _redis().pipeline(transaction=False) as pipe:
            for command in commands:
                pipe.execute_command(*command)
            answers: list[list[bytes]] = pipe.execute()
            return answers
    except redis.RedisError as error:
        _quiet_until = time.monotonic() + QUIET_SECONDS
        log.warning("Redis doesn't keep why messages were refused: %s", first_line(error))
        return []


@cache
def _redis() -> redis.Redis:
    """The connections of this process: somebody waits for the answer, so not long."""
    return redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=0.25, socket_connect_timeout=0.25, retry_on_error=[], retry=None
    )

"""Why messages to a webhook were refused lately, for who looks for what keeps them out. Of what was in them nothing
is kept.

It is kept in no table (`lib.quiet_store`): where Redis is away nothing is noted, and a refusal waits for it a moment at
most.
"""

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import orjson

from lib.api.errors import Problem
from lib.quiet_store import quiet_store
from triggers.webhooks.limits import REFUSAL_CHARACTERS
from triggers.webhooks.store import digest

OF_EACH = 5
"""Of so many refusals with one code it is known why: who has no secret is refused with few codes, and must not push out
what the owners look for."""
KEPT_SECONDS = 7 * 86_400
_STORE = quiet_store("why messages were refused")


@dataclass(frozen=True, slots=True)
class RefusedMessage:
    """A message that was refused: when, with which status and code, and why, in a sentence."""

    at: datetime
    status: int
    code: str
    message: str


def note(token: str, problem: Problem) -> None:
    """Note that a message to the webhook with this token was refused. Never raises."""
    value = orjson.dumps([time.time(), problem.status, problem.code, problem.message[:REFUSAL_CHARACTERS]])
    codes = _codes(digest(token))
    of_code = _of_code(codes, problem.code)
    _STORE.ask(
        [
            ("sadd", codes, problem.code),
            ("expire", codes, KEPT_SECONDS),
            ("lpush", of_code, value),
            ("ltrim", of_code, 0, OF_EACH - 1),
            ("expire", of_code, KEPT_SECONDS),
        ]
    )


def lately(hashes: Iterable[bytes]) -> list[list[RefusedMessage]]:
    """What was refused of each of these webhooks, named by the hash of their tokens, newest first: the last ones of
    each code.
    """
    keys = [_codes(one) for one in hashes]
    codes = _asked([("smembers", key) for key in keys])
    places = [(place, code) for place, names in enumerate(codes) for code in sorted(names)]
    lists = _asked(
        [("lrange", _of_code(keys[place], code.decode()), 0, OF_EACH - 1) for place, code in places]
    )
    refusals: list[list[RefusedMessage]] = [[] for _ in keys]
    for (place, _), entries in zip(places, lists, strict=False):
        refusals[place] += map(_read, entries)
    return [sorted(messages, key=lambda one: one.at, reverse=True) for messages in refusals]


def _read(entry: bytes) -> RefusedMessage:
    at, status, code, message = orjson.loads(entry)
    return RefusedMessage(datetime.fromtimestamp(at, UTC), status, code, message)


def _codes(token_sha256: bytes) -> str:
    return f"hook-refusals:{token_sha256.hex()}"


def _of_code(codes: str, code: str) -> str:
    return f"{codes}:{code}"


def _asked(commands: Sequence[tuple[object, ...]]) -> list[Iterable[bytes]]:
    return (_STORE.ask(commands) if commands else None) or []

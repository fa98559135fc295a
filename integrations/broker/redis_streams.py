"""Events of jobs through Redis Streams (R-182): a topic is a stream, whose entries have the headers as their fields."""

from collections.abc import Sequence
from typing import Final

import redis
from django.conf import settings

from integrations.broker.broker import Event, Outcome, Verdict
from integrations.broker.limits import STREAM_ENTRIES
from lib.messages import first_line

ANSWER_SECONDS: Final = 5.0
VALUE, KEY = "event", "key"


class RedisStreams:
    """The broker of `HANDOFF_DISPATCH=redis_outbox`."""

    def __init__(self, url: str) -> None:
        self._redis = redis.Redis.from_url(
            url,
            socket_timeout=ANSWER_SECONDS,
            socket_connect_timeout=ANSWER_SECONDS / 2,
            retry_on_error=[],
            retry=None,
        )

    def publish(self, events: Sequence[Event]) -> list[Outcome]:
        """Append them in one round trip; what Redis refuses, as it is full or read-only, is to be sent again."""
        try:
            with self._redis.pipeline(transaction=False) as pipe:
                for one in events:
                    fields: dict[str, bytes | str] = {**one.headers, KEY: one.key, VALUE: one.value}
                    pipe.xadd(one.topic, fields, maxlen=STREAM_ENTRIES, approximate=True)  # type: ignore[arg-type]
                answers = pipe.execute(raise_on_error=False)
        except redis.RedisError as error:
            # Some may have arrived: they are told twice.
            return [Outcome(one.row, Verdict.RETRY, first_line(error)) for one in events]
        return [
            Outcome(one.row, Verdict.RETRY, first_line(answer))
            if isinstance(answer, Exception)
            else Outcome(one.row, Verdict.SENT)
            for one, answer in zip(events, answers, strict=True)
        ]

    def close(self) -> None:
        """Let go of the connection."""
        self._redis.close()


def opened() -> RedisStreams:
    """The Redis of `REDIS_URL`; connected when it is first used."""
    return RedisStreams(settings.REDIS_URL)

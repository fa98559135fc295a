"""A Handoff whose consumers hear of jobs by a broker: what queues a job leaves a row in the outbox."""

from collections.abc import Iterator

import pytest
import redis
from django.db import connection

from integrations.broker.redis_streams import RedisStreams
from integrations.broker.relay import Relay
from runs.kernel import dispatch
from tests.people import People
from tests.timing import clock

__all__ = ["clock"]


@pytest.fixture
def people(db):
    """Makes tenants, users and tokens."""
    return People()


@pytest.fixture
def outbox(db, settings, monkeypatch) -> Iterator[None]:
    """The mode of this test's connection; the relay looks by itself."""
    monkeypatch.setattr(dispatch.board, "post", lambda channel, text: None)
    settings.HANDOFF_DISPATCH_MODE = "redis_outbox"
    settings.HANDOFF_DISPATCH, settings.HANDOFF_BROKER = "polling", "redis"
    with connection.cursor() as cursor:
        cursor.execute("SET handoff.dispatch = 'outbox'")
    yield
    with connection.cursor() as cursor:
        cursor.execute("RESET handoff.dispatch")


@pytest.fixture
def streams(settings) -> Iterator["redis.Redis"]:
    """Redis, with nothing in it."""
    with redis.Redis.from_url(settings.REDIS_URL) as line:
        line.flushdb()
        yield line
        line.flushdb()


@pytest.fixture
def relay(outbox, streams, settings) -> Iterator[Relay]:
    """A relay that publishes to Redis."""
    made = Relay(RedisStreams(settings.REDIS_URL), "here", 300)
    yield made
    made.leave()

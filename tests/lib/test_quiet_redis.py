"""Redis for what can do without it: away, hanging, and there again."""

import logging
import socket
import time
from contextlib import closing

import pytest

from lib import quiet_redis
from lib.quiet_redis import QuietRedis


@pytest.fixture
def hanging(settings):
    """A server that takes connections and never answers, in the place of Redis."""
    with closing(socket.create_server(("127.0.0.1", 0))) as server:
        server.settimeout(0)
        settings.REDIS_URL = f"redis://127.0.0.1:{server.getsockname()[1]}/0"
        yield server


def connections(server: socket.socket) -> int:
    count = 0
    while True:
        try:
            server.accept()[0].close()
        except BlockingIOError:
            return count
        count += 1


def test_what_is_asked_is_answered_in_its_order():
    commands = [("SET", "quiet:a", "1"), ("GET", "quiet:a"), ("DEL", "quiet:a")]
    assert QuietRedis("a").ask(commands) == [True, b"1", 1]


def test_who_asks_while_redis_hangs_waits_a_moment_and_the_next_not_at_all(hanging, caplog):
    quiet = QuietRedis("who is here")
    with caplog.at_level(logging.WARNING):
        began = time.monotonic()
        assert quiet.ask([("PING",)]) is None
        first = time.monotonic() - began
        assert [quiet.ask([("PING",)]) for _ in range(5)] == [None] * 5
        others = time.monotonic() - began - first
    # As long as it takes to be sure, and then nothing: however slow this machine is, five would take longer than one.
    assert first >= quiet_redis.ANSWER_SECONDS
    assert others < first
    assert connections(hanging) == 1
    assert [record.message.partition(":")[0] for record in caplog.records] == [
        "Redis doesn't say who is here"
    ]


def test_where_redis_is_away_nothing_is_answered_and_it_is_asked_again_later(settings, monkeypatch):
    there = settings.REDIS_URL
    monkeypatch.setattr(quiet_redis, "QUIET_SECONDS", 0.0)
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    quiet = QuietRedis("a")
    assert quiet.ask([("PING",)]) is None
    settings.REDIS_URL = there
    # The address is read once; a Redis that has come back at the same one is asked like this.
    del quiet._redis
    assert quiet.ask([("ECHO", "back")]) == [b"back"]

"""The memory that stands in for Redis answers as Redis does, forgets in time, and is told what others change."""

import pytest

from lib import quiet_memory
from lib.noticeboard import board
from lib.quiet_memory import Memory, QuietMemory
from lib.quiet_redis import QuietRedis

COMMANDS = [
    ("HSET", "here", "1:a", b"[1]"),
    ("HSET", "here", "2:b", b"[2]"),
    ("HGETALL", "here"),
    ("HDEL", "here", "1:a", "3:c"),
    ("HGETALL", "here"),
    ("HGETALL", "nowhere"),
    ("EXPIRE", "here", 40),
    ("EXPIRE", "nowhere", 40),
    ("sadd", "codes", "late"),
    ("sadd", "codes", "late"),
    ("smembers", "codes"),
    ("lpush", "late", b"one"),
    ("lpush", "late", b"two"),
    ("lpush", "late", b"three"),
    ("ltrim", "late", 0, 1),
    ("lrange", "late", 0, 4),
    ("lrange", "nowhere", 0, 4),
]


@pytest.fixture
def messages(monkeypatch):
    """What is posted, instead of sending it."""
    posted: list[str] = []
    monkeypatch.setattr(quiet_memory, "_shared", quiet_memory._Shared())
    monkeypatch.setattr(board, "hear", lambda *_: None)
    monkeypatch.setattr(board, "post", lambda channel, text: posted.append(text))
    return posted


def test_it_answers_as_redis_does(messages):
    redis, own = QuietRedis("a"), QuietMemory("a")
    redis.ask([("DEL", "here", "codes", "late")])
    assert own.ask(COMMANDS) == redis.ask(COMMANDS)


def test_what_ends_is_forgotten():
    now = [0.0]
    memory = Memory(clock=lambda: now[0])
    memory.run(("SADD", "a", "x"))
    memory.run(("EXPIRE", "a", 10))
    now[0] = 9.0
    assert memory.run(("SMEMBERS", "a")) == {b"x"}
    now[0] = 11.0
    assert memory.run(("SMEMBERS", "a")) == set()


def test_it_is_bounded(monkeypatch):
    monkeypatch.setattr(quiet_memory, "MOST_KEYS", 20)
    memory = Memory()
    for place in range(100):
        memory.run(("SADD", f"k{place}", "x"))
        memory.run(("EXPIRE", f"k{place}", 1000 + place))
    assert len(memory._values) <= 20
    assert memory.run(("SMEMBERS", "k99")) == {b"x"}


def test_another_process_changes_the_same(messages, monkeypatch):
    QuietMemory("a").ask([("LPUSH", "late", b'"caf\xc3\xa9"'), ("LRANGE", "late", 0, 4)])
    [told] = messages
    other = quiet_memory._Shared()
    monkeypatch.setattr(board, "name", "another")
    other._told(told)
    assert other.memory.run(("LRANGE", "late", 0, 4)) == [b'"caf\xc3\xa9"']
    monkeypatch.undo()
    other._told(told)
    assert len(other.memory.run(("LRANGE", "late", 0, 4))) == 1

"""Hints when Redis hangs: who commits waits once and briefly, and what was not said is said later."""

import signal
import threading
import time

import pytest
import redis
from django.conf import settings

from config.embedded.processes import wait_until
from config.embedded.redis import Redis
from runs.kernel import dispatch
from runs.kernel.redis_hints import RedisHints


def is_heard():
    return not dispatch.dispatcher().is_broken()


@pytest.fixture
def server(tmp_path, monkeypatch):
    """A Redis of one's own, and a line to it that nothing has happened to."""
    own = Redis(tmp_path / "redis")
    own.prepare()
    process = own.start()
    wait_until(own.is_ready, 10, "Redis")
    monkeypatch.setattr(settings, "REDIS_URL", own.url)
    own_hints = RedisHints()
    monkeypatch.setattr(dispatch, "_of", lambda kind: own_hints)
    yield process
    process.send_signal(signal.SIGCONT)
    wait_until(is_heard, 10, "the line")
    process.kill()
    process.wait(10)


@pytest.fixture
def waiting():
    """How many messages wait for a queue. (Celery's broker is another Redis here, which is well.)"""
    with redis.Redis.from_url(settings.CELERY_BROKER_URL) as broker:
        before = {queue: broker.llen(queue) for queue in dispatch.BUILT_IN_QUEUES}
        yield lambda: {queue: broker.llen(queue) - count for queue, count in before.items()}


def test_a_redis_that_hangs_is_waited_for_once_and_hinted_when_it_answers(server, waiting):
    process = server
    dispatch.wake(["default"])
    assert waiting() == {"default": 1, "blocking": 0, "engine": 0}
    process.send_signal(signal.SIGSTOP)
    dispatch.wake(["engine"])
    began = time.monotonic()
    for _ in range(20):
        dispatch.wake(["blocking", "engine"])
        dispatch.dispatcher().taken("default")
        assert dispatch.dispatcher().backlog("default") is None
    # Waited for each time, it would be fifteen seconds.
    assert time.monotonic() - began < 2
    assert not is_heard()
    process.send_signal(signal.SIGCONT)
    wait_until(is_heard, 5, "the line")
    assert waiting() == {"default": 1, "blocking": 1, "engine": 1}


def test_a_process_that_never_hints_hears_that_redis_is_gone(server):
    process = server
    dispatch.dispatcher().listen()
    assert is_heard()
    process.send_signal(signal.SIGSTOP)
    dispatch.dispatcher().listen()
    assert not is_heard()


def test_who_waits_for_jobs_hears_of_queues_of_external_workers_also_after_redis_was_away(server):
    process, told = server, threading.Semaphore(0)
    dispatch.dispatcher().attend_pollers(told.release)
    # It looks once when it is there.
    assert told.acquire(timeout=5)
    dispatch.wake(["default"])
    dispatch.wake(["card", "print"])
    assert told.acquire(timeout=5)
    assert not told.acquire(timeout=0.05)
    process.send_signal(signal.SIGSTOP)
    began = time.monotonic()
    for _ in range(20):
        dispatch.wake(["card"])
    assert time.monotonic() - began < 2
    process.send_signal(signal.SIGCONT)
    wait_until(is_heard, 5, "the line")
    dispatch.wake(["card"])
    assert told.acquire(timeout=5)


def test_without_hints_redis_is_left_alone(server, waiting, monkeypatch):
    process = server
    monkeypatch.setattr(settings, "HANDOFF_HINTS", False)
    process.send_signal(signal.SIGSTOP)
    began = time.monotonic()
    dispatch.wake(["default"])
    dispatch.dispatcher().taken("default")
    dispatch.dispatcher().listen()
    assert time.monotonic() - began < 0.1
    assert not any(waiting().values())
    with (
        redis.Redis.from_url(settings.REDIS_URL, socket_timeout=0.1, retry=None) as silent,
        pytest.raises(redis.TimeoutError),
    ):
        silent.ping()


def test_a_redis_that_refuses_only_what_polls_are_told_by_takes_hints_all_the_same(server, waiting, caplog):
    with redis.Redis.from_url(settings.REDIS_URL) as admin:
        admin.execute_command("ACL", "SETUSER", "default", "resetchannels")
    for _ in range(2):
        dispatch.wake(["print"])
    assert is_heard()
    assert caplog.text.count("doesn't carry news to polls") == 1
    dispatch.wake(["default"])
    assert waiting()["default"] == 1

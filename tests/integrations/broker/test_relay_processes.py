"""Relays as processes: killed at each crash point, two at once, consumers that lose events, Redis that goes (R-174)."""

import signal
from contextlib import suppress
from functools import partial
from uuid import uuid4

import pytest
import redis

from config.embedded.processes import wait_until
from config.embedded.redis import Redis
from tests import factories as make
from tests.integrations.broker.consuming import rows, told
from tests.integrations.broker.drill import Consumers, assert_done_once, begin, relay_process, relays

pytestmark = pytest.mark.processes
STREAM = "workflow.jobs.mine"


def reader(url):
    """What one consumer of a group is told of a stream, whoever it is of."""
    line, name = redis.Redis.from_url(url), uuid4().hex

    def read():
        with suppress(redis.ResponseError):
            line.xgroup_create(STREAM, "workers", id="0", mkstream=True)
        entries = line.xreadgroup("workers", name, {STREAM: ">"}, count=20, block=200)
        found = [entry for _, some in entries for entry in some]
        for entry, _ in found:
            line.xack(STREAM, "workers", entry)
            line.xdel(STREAM, entry)
        return [fields[b"job-id"].decode() for _, fields in found]

    return read


@pytest.mark.exhaustive
@pytest.mark.django_db(transaction=True)
def test_whatever_dies_each_job_is_done_once(outbox, streams, settings, tmp_path):
    homes = [str(tmp_path / "one"), str(tmp_path / "two")]
    tenant = make.a_tenant().pk
    with (
        relays(homes, HANDOFF_DISPATCH="redis_outbox", REDIS_URL=settings.REDIS_URL) as ends,
        Consumers(tenant, [reader(settings.REDIS_URL) for _ in range(4)]) as consumers,
    ):
        begin(600)
        assert_done_once(consumers, 600, 120)
    assert consumers.told >= 600
    assert set(ends) == {-signal.SIGKILL}


@pytest.fixture
def own_redis(tmp_path):
    """A Redis that may be hurt."""
    server = Redis(tmp_path / "redis")
    server.prepare()
    started = [server.start()]
    wait_until(server.is_ready, 10, "Redis")
    yield server, started
    for process in started:
        process.send_signal(signal.SIGCONT)
        process.kill()
        process.wait(10)


@pytest.mark.django_db(transaction=True)
def test_while_redis_hangs_or_is_gone_jobs_wait_in_the_outbox(outbox, own_redis, tmp_path):
    server, started = own_redis
    relay = relay_process(str(tmp_path), HANDOFF_DISPATCH="redis_outbox", REDIS_URL=server.url)
    try:
        begin(3)
        wait_until(partial(_is_told, 3), 20, "the first events")
        started[0].send_signal(signal.SIGSTOP)
        begin(3)
        wait_until(_is_failing, 20, "a failure to be kept")
        started[0].kill()
        started[0].wait(10)
        begin(1)
        server.prepare()
        started.append(server.start())
        wait_until(partial(_is_told, 7), 30, "the others")
    finally:
        relay.terminate()
        relay.wait(20)
    with redis.Redis.from_url(server.url) as line:
        # What the Redis before had is told again when nobody takes it.
        assert len({one.job for one in told(line)}) >= 4


def _is_told(count):
    return len([row for row in rows() if row.published_at]) >= count


def _is_failing():
    return any(row.error for row in rows())

"""Ten thousand jobs through Kafka while all that can die does: each is done once (R-174, R-179…R-181)."""

import signal
import threading
import time

import pytest
from confluent_kafka import Consumer

from config.embedded.processes import wait_until
from runs.models import DispatchOutbox, Run
from tests import factories as make
from tests.integrations.broker.consuming import rows
from tests.integrations.broker.drill import Consumers, assert_done_once, begin, relay_process, relays
from tests.kafka_nodes import QUIET, running

pytestmark = [pytest.mark.kafka, pytest.mark.processes, pytest.mark.timeout(1_200)]
TOPIC, GROUP = "workflow.jobs.mine", "workflow.workers.mine"
JOBS = 10_000
NEVER = threading.Event()


def reader(node, joins, leaves=NEVER):
    """What one consumer of the group is told of: it is there once it `joins`, until it `leaves`."""
    options = {
        "group.id": GROUP,
        "auto.offset.reset": "earliest",
        "enable.auto.commit": False,
        "partition.assignment.strategy": "cooperative-sticky",
        "topic.metadata.refresh.interval.ms": 500,
    }
    consumers = []

    def read():
        has_left = leaves.is_set() and not consumers
        if not (NEVER if has_left else joins).wait(0.2):
            return []
        if not consumers:
            consumers.append(Consumer({**node.client, **QUIET, **options}))
            consumers[0].subscribe([TOPIC])
        if leaves.is_set():
            consumers.pop().close()
            return []
        found = [one for one in consumers[0].consume(50, timeout=0.3) if not one.error()]
        if found:
            consumers[0].commit(asynchronous=True)
        return [dict(one.headers())["job-id"].decode() for one in found]

    return read


def said(is_set=True):
    made = threading.Event()
    if is_set:
        made.set()
    return made


@pytest.fixture
def node(tmp_path):
    """A Kafka that may be killed."""
    with running(tmp_path / "kafka") as one:
        one.make(TOPIC, 6)
        yield one


@pytest.fixture
def relaying(node):
    """What a relay has to be told to publish there."""
    return {"HANDOFF_DISPATCH": "kafka_outbox", "HANDOFF_KAFKA_SEED_BROKERS": node.server.address}


def done():
    return Run.unsafe_all_tenants.filter(status="COMPLETED").count()


@pytest.mark.django_db(transaction=True)
def test_ten_thousand_jobs_are_done_once_whatever_dies(outbox, node, relaying, tmp_path):
    come, go = said(is_set=False), said(is_set=False)
    reads = [reader(node, said()) for _ in range(3)]
    reads += [reader(node, said(), go), reader(node, come)]
    tenant = make.a_tenant().pk
    began = time.monotonic()
    with (
        relays([str(tmp_path / "one"), str(tmp_path / "two")], **relaying) as ends,
        Consumers(tenant, reads) as consumers,
    ):
        begin(JOBS // 2)
        wait_until(lambda: done() > JOBS // 5, 300, "a fifth of the jobs")
        # The partitions are dealt anew in the middle.
        come.set()
        go.set()
        node.kill()
        begin(JOBS // 2)
        node.start()
        assert_done_once(consumers, JOBS, 600)
        print(
            f"{JOBS} jobs, {consumers.told} events in {time.monotonic() - began:.0f} s; relays ended: {ends}"
        )
    assert consumers.told > JOBS
    assert ends.count(-signal.SIGKILL) >= 1


@pytest.mark.django_db(transaction=True)
def test_a_relay_that_hangs_is_overtaken_and_writes_nothing_when_it_wakes(outbox, node, relaying, tmp_path):
    first = relay_process(str(tmp_path / "one"), **relaying)
    try:
        begin(5)
        wait_until(lambda: len(published()) == 5, 60, "the first events")
        first.send_signal(signal.SIGSTOP)
        begin(5)
        second = relay_process(str(tmp_path / "two"), **relaying)
        try:
            wait_until(lambda: len(published()) == 10, 60, "the other events")
            sends = {row.pk: row.sends for row in rows()}
            first.send_signal(signal.SIGCONT)
            begin(5)
            wait_until(lambda: len(published()) == 15, 60, "the last events")
            assert {row.pk: row.sends for row in rows() if row.pk in sends} == {
                pk: count for pk, count in sends.items() if pk in {row.pk for row in rows()}
            }
        finally:
            second.terminate()
            second.wait(20)
    finally:
        first.send_signal(signal.SIGCONT)
        first.terminate()
        first.wait(20)


def published():
    return DispatchOutbox.unsafe_all_tenants.exclude(published_at=None)

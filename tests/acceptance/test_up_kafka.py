"""`make up` with a Kafka of its own: workers hear of jobs through it, and poll again without it (R-183)."""

import os
import signal
import subprocess
import sys
from contextlib import contextmanager

import pytest

from config.embedded.processes import child_setup, is_alive, wait_until
from tests.acceptance.client import Client
from tests.acceptance.conftest import end
from tests.acceptance.running import ROOT, Handoff

pytestmark = pytest.mark.kafka
WORKFLOW = {"name": "k_job", "nodes": [{"id": "outside", "type": "job", "queue": "outside"}]}
COMPLETED = "SELECT count(*) FROM runs_run WHERE status = 'COMPLETED'"
HEARS = """
import sys
from handoff_sdk import Worker
from handoff_sdk.kafka import KafkaEvents
worker = Worker(events=KafkaEvents(sys.argv[1])) if len(sys.argv) > 1 else Worker()

@worker.step("outside")
def outside(ctx):
    return ctx.input

worker.run()
"""


@pytest.fixture(scope="module")
def up(tmp_path_factory):
    """A Handoff with its Kafka."""
    one = Handoff(
        tmp_path_factory.mktemp("kafka") / "home", HANDOFF_DISPATCH="kafka_outbox", HANDOFF_KAFKA="embedded"
    )
    one.start_and_wait()
    yield one
    end(one)


@contextmanager
def worker(handoff, *arguments):
    process = subprocess.Popen(
        [sys.executable, "-c", HEARS, *arguments],
        env={
            "HANDOFF": f"http://127.0.0.1:{handoff.port}/api/v1",
            "TOKEN": handoff.worker_token,
            "PYTHONPATH": str(ROOT / "sdks" / "python" / "src"),
            "NO_PROXY": "127.0.0.1",
        },
        preexec_fn=child_setup(signal.SIGTERM),
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait(30)


def test_workers_hear_of_jobs_and_go_on_when_the_broker_was_killed(up):
    brokers = up.facts()["kafka_brokers"]
    with Client(up) as client, worker(up, brokers):
        client.publish(WORKFLOW)
        client.start("k_job", 20)
        client.until(COMPLETED, 20, 60)
        before = up.pids()["kafka"]
        os.kill(before, signal.SIGKILL)
        client.start("k_job", 20)
        wait_until(lambda: up.pids().get("kafka", before) != before, 60, "another Kafka")
        client.until(COMPLETED, 40, 120)
        assert up.facts()["kafka_brokers"] == brokers
        assert client.broken_invariants() == {}


def test_nothing_but_the_relay_has_a_client_of_kafka(up):
    for name, pid in up.pids().items():
        if name not in ("postgres", "kafka", "supervisor"):
            with open(f"/proc/{pid}/maps") as maps:
                assert ("confluent_kafka" in maps.read()) == (name == "relay"), name


def test_all_ends_together_and_polling_goes_on_with_what_is_left(up):
    pids = up.pids()
    with Client(up) as client:
        client.start("k_job", 3)
    os.kill(pids["supervisor"], signal.SIGINT)
    assert up.process.wait(60) == 0
    assert not [name for name, pid in pids.items() if is_alive(pid)]
    polling = Handoff(up.home, HANDOFF_DISPATCH="polling")
    polling.start_and_wait()
    try:
        with Client(polling) as client, worker(polling):
            client.until(COMPLETED, 43, 60)
    finally:
        end(polling)

"""Slow services: many calls wait at once, nothing else waits for them, and a killed worker loses none of them."""

import os
import signal
import time
from collections import Counter

import pytest

from config.embedded.processes import wait_until
from tests.acceptance.client import Client
from tests.acceptance.conftest import BLOCKING_THREADS as THREADS

COMPLETED = "SELECT count(*) FROM runs_run WHERE status = 'COMPLETED'"


@pytest.fixture
def client(handoff, service):
    service.let_go.clear()
    service.keys.clear()
    service.most = 0
    with Client(handoff) as client:
        yield client


def calling(name: str, service) -> dict:
    params = {"method": "GET", "url": service.url, "timeout_seconds": 60}
    call = {"id": "call", "type": "http.request", "params": params, "lease_seconds": 2}
    return {"name": name, "nodes": [call], "edges": []}


def quick(name: str) -> dict:
    nodes = [{"id": node, "type": "noop"} for node in "abc"]
    return {"name": name, "nodes": nodes, "edges": [{"from": "a", "to": "b"}, {"from": "b", "to": "c"}]}


def test_200_slow_calls_wait_many_at_once_and_quick_steps_do_not_wait_for_them(client, service):
    client.publish(calling("slow", service))
    client.publish(quick("quick"))
    before = client.number(COMPLETED)
    client.start("slow", 200)
    wait_until(lambda: service.inside == THREADS, 30, "as many calls as there are threads")

    began = time.monotonic()
    client.start("quick", 50)
    client.until(COMPLETED, before + 50, 10)
    assert time.monotonic() - began < 5
    running = "SELECT count(*) FROM runs_stepexecution WHERE status = 'RUNNING' AND queue = 'blocking'"
    assert client.number(running) == THREADS, "nothing is claimed that has to wait for a thread"

    service.let_go.set()
    client.until(COMPLETED, before + 250, 60)
    assert service.most == THREADS
    assert set(service.keys.values()) == {1}
    assert len(service.keys) == 200
    assert client.broken_invariants() == {}


def test_a_worker_that_is_killed_with_all_its_calls_waiting_loses_none_of_them(handoff, client, service):
    client.publish(calling("slow-killed", service))
    before = client.number(COMPLETED)
    client.start("slow-killed", 50)
    wait_until(lambda: service.inside == THREADS, 30, "as many calls as there are threads")
    os.kill(handoff.pids()["worker-blocking"], signal.SIGKILL)
    service.let_go.set()

    client.until(COMPLETED, before + 50, 60)
    assert Counter(service.keys.values()) == {2: THREADS, 1: 50 - THREADS}
    assert client.broken_invariants() == {}
    again = "SELECT s.node FROM runs_stepexecution s JOIN runs_run r ON r.id = s.run_id WHERE s.attempt > 1"
    assert (
        client.rows(
            f"{again} AND r.workflow_id = (SELECT id FROM workflows_workflow WHERE name = 'slow-killed')"
        )
        == []
    )


def test_a_worker_that_is_told_to_end_waits_for_its_calls_and_takes_no_more(handoff, client, service):
    client.publish(calling("slow-stopped", service))
    before = client.number(COMPLETED)
    client.start("slow-stopped", 50)
    wait_until(lambda: service.inside == THREADS, 30, "as many calls as there are threads")
    os.kill(handoff.pids()["worker-blocking"], signal.SIGTERM)
    service.let_go.set()

    client.until(COMPLETED, before + 50, 60)
    assert set(service.keys.values()) == {1}
    assert client.broken_invariants() == {}

"""What the product promises when its processes are killed: real processes, real signals, real servers.

Each drill ends with the oracles of tests/invariants.py on the tables.
"""

import os
import signal
import threading

import pytest
import redis

from tests.acceptance.client import Client
from tests.acceptance.running import Handoff

RUNS = 200
TEXT = "The harbour froze in winter. Ships waited for weeks, and the price of grain rose in every town. " * 10
COMPLETED_RUNS = "SELECT count(*) FROM runs_run WHERE status = 'COMPLETED'"
COMPLETED_STEPS = "SELECT count(*) FROM runs_stepexecution WHERE status = 'COMPLETED'"


def drill(name: str) -> dict:
    """A branch, a join and steps of each kind, on short leases."""
    kinds = {
        "clean": "text.clean",
        "keywords": "text.keywords",
        "summary": "text.summarize",
        "choose": "decision",
        "even": "noop",
        "odd": "noop",
        "meet": "noop",
        "last": "transform",
    }
    nodes = [{"id": node, "type": kind, "lease_seconds": 2} for node, kind in kinds.items()]
    nodes[-1]["params"] = {
        "set": {"n": "{{ input.n }}", "first": "{{ steps.keywords.output.keywords[0].keyword }}"}
    }
    return {
        "name": name,
        "nodes": nodes,
        "edges": [
            {"from": "clean", "to": "keywords"},
            {"from": "clean", "to": "summary"},
            {"from": "keywords", "to": "meet"},
            {"from": "summary", "to": "choose"},
            {"from": "choose", "to": "even", "when": "input.n % 2 == 0"},
            {"from": "choose", "to": "odd", "default": True},
            {"from": "even", "to": "meet"},
            {"from": "odd", "to": "meet"},
            {"from": "meet", "to": "last"},
        ],
    }


def kill_workers(handoff: Handoff, signum: int = signal.SIGKILL) -> None:
    """Every worker process at once."""
    for name, pid in handoff.pids().items():
        if "worker" in name:
            try:
                os.kill(pid, signum)
            except ProcessLookupError:
                continue


def assert_all_went_well(client: Client, runs: int) -> None:
    """Every run completed with its own output, once; only a solo step's lost lease cost an attempt. What other tests of
    this Handoff asked people got another epoch when they had decided.
    """
    assert client.number(COMPLETED_RUNS) == runs
    assert client.broken_invariants() == {}
    wrong = "SELECT count(*) FROM runs_run WHERE output->'n' IS DISTINCT FROM input->'n'"
    assert client.number(wrong) == 0
    assert client.rows("SELECT node, attempt FROM runs_stepexecution WHERE attempt > 1 AND NOT solo") == []
    lost_or_claimed = """
        SELECT s.node, s.epoch FROM runs_stepexecution s
         WHERE s.status = 'COMPLETED' AND s.attempt > 0 AND s.type NOT LIKE 'human.%'
           AND s.epoch <> 1 + (SELECT count(*) FROM runs_historyevent h
                                WHERE h.run_id = s.run_id AND h.node = s.node
                                  AND h.type IN ('LEASE_LOST', 'ATTEMPT_FAILED', 'STEP_RELEASED'))"""
    assert client.rows(lost_or_claimed) == [], "each claim raises the epoch by one"


@pytest.fixture
def client(handoff):
    """A fresh client: earlier drills of the module leave only completed runs."""
    with Client(handoff) as client:
        yield client


def test_every_run_completes_when_all_workers_are_killed_and_redis_is_emptied_in_the_middle(handoff, client):
    client.publish(drill("killed"))
    before = client.number(COMPLETED_RUNS)
    for wave in range(1, 5):
        done = client.number(COMPLETED_STEPS)
        client.start("killed", RUNS // 4, text=TEXT)
        client.until(COMPLETED_STEPS, done + 40 * wave, 60)
        kill_workers(handoff)
        with redis.Redis.from_url(handoff.facts()["redis_url"]) as store:
            store.flushall()
    client.until(COMPLETED_RUNS, before + RUNS, 120)

    assert_all_went_well(client, before + RUNS)
    workers = "SELECT count(DISTINCT payload->>'worker') FROM runs_historyevent WHERE type = 'STEP_COMPLETED'"
    assert client.number(workers) >= 2
    assert client.number("SELECT count(*) FROM runs_historyevent WHERE type = 'LEASE_LOST'") > 0


@pytest.mark.parametrize("seconds", [8, pytest.param(20, marks=pytest.mark.soak)])
def test_every_run_completes_while_redis_hangs(handoff, client, seconds):
    """For longer than whoever waits for it does, and than a process may give no sign of progress."""
    name = client.publish(drill(f"hanging-{seconds}"))
    before = client.number(COMPLETED_RUNS)
    pid = handoff.pids()["redis"]
    client.start(name, 20, text=TEXT)
    os.kill(pid, signal.SIGSTOP)
    again = threading.Timer(seconds, os.kill, (pid, signal.SIGCONT))
    again.start()
    try:
        client.start(name, 30, text=TEXT)
        client.until(COMPLETED_RUNS, before + 50, 60)
    finally:
        again.join()
    client.start(name, 10, text=TEXT)
    client.until(COMPLETED_RUNS, before + 60, 60)

    assert_all_went_well(client, before + 60)


def test_every_run_completes_when_the_database_is_killed_in_the_middle(handoff, client):
    client.publish(drill("database"))
    before = client.number(COMPLETED_RUNS)
    client.start("database", 60, text=TEXT)
    handoff.kill("postgres")
    client.until(COMPLETED_RUNS, before + 60, 120)

    assert_all_went_well(client, before + 60)


def test_stopping_workers_hand_back_what_they_did_not_start(handoff, client):
    client.publish(drill("stopped"))
    before = client.number(COMPLETED_RUNS)
    lost = client.number("SELECT count(*) FROM runs_historyevent WHERE type = 'LEASE_LOST'")
    client.start("stopped", 60, text=TEXT)
    kill_workers(handoff, signal.SIGTERM)
    client.until(COMPLETED_RUNS, before + 60, 60)

    assert_all_went_well(client, before + 60)
    assert client.number("SELECT count(*) FROM runs_historyevent WHERE type = 'LEASE_LOST'") == lost

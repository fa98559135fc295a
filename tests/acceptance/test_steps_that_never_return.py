"""Steps of an installed package that never come back: they end FAILED, the worker that has them is ended with them, and
nobody else waits for either. What a killed worker held goes on at once, long before its lease would run out.
"""

import os
import signal
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from config.embedded.processes import wait_until
from tests.acceptance.client import Client
from tests.acceptance.running import Handoff

FAILED_SECONDS = 120
QUICK_SECONDS = 45
"""Both workers of the queue may be replaced twice before they get to it."""


@pytest.fixture
def client(handoff: Handoff) -> Iterator[Client]:
    with Client(handoff) as client:
        yield client


def workflow(name: str) -> dict:
    node = {
        "id": "a",
        "type": f"drill.{name}",
        "timeout_seconds": 2,
        "lease_seconds": 2,
        "retry": {"max_retries": 1, "base_seconds": 0, "jitter": 0},
    }
    return {"name": name, "nodes": [node], "edges": []}


def quick() -> dict:
    return {"name": "quick-noop", "nodes": [{"id": "a", "type": "noop", "lease_seconds": 2}], "edges": []}


def test_a_step_that_never_returns_fails_and_holds_up_nobody_for_long(client):
    for definition in (workflow("asleep"), workflow("holding"), quick()):
        client.publish(definition)
    poison = [run for name in ("asleep", "holding") for run in client.start(name, 1)]

    def failed() -> bool:
        (run,) = client.start("quick-noop", 1)
        wait_until(
            lambda: client.get(f"/runs/{run}")["status"] == "COMPLETED", QUICK_SECONDS, lambda: "a quick run"
        )
        return all(client.get(f"/runs/{one}")["status"] == "FAILED" for one in poison)

    wait_until(failed, FAILED_SECONDS, lambda: str([client.get(f"/runs/{one}") for one in poison]))
    assert client.broken_invariants() == {}
    # The worker that had the last of them is just being replaced.
    wait_until(lambda: client.handoff.get("/readyz")[0] == 200, QUICK_SECONDS, lambda: "readiness")


LEASE_SECONDS = 60
PROMPT_SECONDS = 6
"""Less than one on a machine with nothing else to do."""


def dying(client: Client, tmp_path: Path, deaths: int) -> tuple[dict, int, float]:
    """A run whose step kills its worker so many times: the run when it has ended, its attempts, and its seconds."""
    retry = {"max_retries": 2, "base_seconds": 0, "jitter": 0}
    node = {"id": "a", "type": "drill.dying", "lease_seconds": LEASE_SECONDS, "retry": retry}
    name = client.publish({"name": f"dying-{deaths}", "nodes": [node], "edges": []})
    file, began = tmp_path / "attempts", time.monotonic()
    [run] = client.start(name, 1, file=str(file), deaths=deaths)
    ended = ("COMPLETED", "FAILED")
    wait_until(lambda: client.get(f"/runs/{run}")["status"] in ended, LEASE_SECONDS, lambda: f"run {run}")
    return client.get(f"/runs/{run}"), len(file.read_text().splitlines()), time.monotonic() - began


def test_the_step_of_a_killed_worker_goes_on_before_its_lease_is_over(client, tmp_path):
    run, attempts, seconds = dying(client, tmp_path, deaths=1)
    assert (run["status"], attempts) == ("COMPLETED", 2)
    assert seconds < PROMPT_SECONDS
    events = client.rows(f"SELECT type FROM runs_historyevent WHERE run_id = '{run['id']}' ORDER BY id")
    assert {"LEASE_LOST", "ATTEMPT_FAILED"} & {type_ for (type_,) in events}


def test_what_was_in_hand_at_kill_9_of_all_is_known_to_the_next_start(handoff, client):
    """The supervisor died, too, so that nobody saw the workers end."""
    node = {"id": "a", "type": "drill.asleep", "lease_seconds": 300, "timeout_seconds": 300, "retry": "none"}
    name = client.publish({"name": "asleep-for-long", "nodes": [node], "edges": []})
    [run] = client.start(name, 1)
    running = f"SELECT count(*) FROM runs_stepexecution WHERE run_id = '{run}' AND status = 'RUNNING'"
    client.until(running, 1, 20)
    for pid in handoff.pids().values():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    handoff.process.wait(10)
    handoff.start_again()
    wait_until(lambda: client.get(f"/runs/{run}")["status"] == "FAILED", PROMPT_SECONDS, lambda: "its end")
    assert client.get(f"/runs/{run}")["error"]["code"] == "LeaseLost"


def test_a_step_that_kills_each_of_its_workers_fails_by_the_budget_for_lost_leases(client, tmp_path):
    run, attempts, seconds = dying(client, tmp_path, deaths=99)
    assert (run["status"], run["error"]["code"]) == ("FAILED", "LeaseLost")
    assert attempts in (3, 4), "three that count, and one that may be lost in company"
    assert seconds < 2 * PROMPT_SECONDS
    assert client.broken_invariants() == {}

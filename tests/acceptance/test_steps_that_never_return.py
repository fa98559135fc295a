"""Steps of an installed package that never come back, one asleep and one that holds the interpreter: they end FAILED,
the worker that has them is ended with them, and nobody else waits for either.
"""

from collections.abc import Iterator

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

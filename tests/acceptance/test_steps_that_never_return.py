"""Steps of an installed package that never come back, one asleep and one that holds the interpreter: they end FAILED,
the worker that has them is ended with them, and nobody else waits for either.
"""

import os
from pathlib import Path

import pytest

from config.embedded.processes import wait_until
from tests.acceptance.client import Client
from tests.acceptance.conftest import end
from tests.acceptance.running import Handoff

FAILED_SECONDS = 120
QUICK_SECONDS = 45
"""Both workers of the queue may be replaced twice before they get to it."""
MODULE = """
import re, time
from steps.base import StepType


def asleep(context):
    while True:
        time.sleep(60)


def holding(context):
    # Backtracks for years, and never lets go of the interpreter meanwhile.
    return {"found": bool(re.match("(a+)+$", "a" * 64 + "b"))}


def step(name, run):
    return StepType(
        name="drill." + name, kind="inline", title=name, help="Never comes back.", icon="clock", group="drill",
        example={"params": {}, "input": {}}, run=run,
    )


ASLEEP, HOLDING = step("asleep", asleep), step("holding", holding)
"""


def package(folder: Path) -> Path:
    """An installed package, as far as Python is concerned."""
    facts = folder / "drill_steps-1.0.dist-info"
    facts.mkdir(parents=True)
    (folder / "drill_steps.py").write_text(MODULE)
    (facts / "METADATA").write_text("Metadata-Version: 2.1\nName: drill-steps\nVersion: 1.0\n")
    offered = "asleep = drill_steps:ASLEEP\nholding = drill_steps:HOLDING\n"
    (facts / "entry_points.txt").write_text(f"[handoff.steps]\n{offered}")
    return folder


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = tmp_path_factory.mktemp("never")
    path = os.pathsep.join([str(package(folder / "packages")), os.environ.get("PYTHONPATH", "")])
    handoff = Handoff(folder / "home", PYTHONPATH=path.rstrip(os.pathsep))
    handoff.start_and_wait()
    try:
        with Client(handoff) as client:
            yield client
    finally:
        end(handoff)


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
    return {"name": "quick", "nodes": [{"id": "a", "type": "noop", "lease_seconds": 2}], "edges": []}


def test_a_step_that_never_returns_fails_and_holds_up_nobody_for_long(client):
    for definition in (workflow("asleep"), workflow("holding"), quick()):
        client.publish(definition)
    poison = [run for name in ("asleep", "holding") for run in client.start(name, 1)]

    def failed() -> bool:
        (run,) = client.start("quick", 1)
        wait_until(
            lambda: client.get(f"/runs/{run}")["status"] == "COMPLETED", QUICK_SECONDS, lambda: "a quick run"
        )
        return all(client.get(f"/runs/{one}")["status"] == "FAILED" for one in poison)

    wait_until(failed, FAILED_SECONDS, lambda: str([client.get(f"/runs/{one}") for one in poison]))
    assert client.broken_invariants() == {}
    # The worker that had the last of them is just being replaced.
    wait_until(lambda: client.handoff.get("/readyz")[0] == 200, QUICK_SECONDS, lambda: "readiness")

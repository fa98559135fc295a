"""The examples that need somebody outside: a worker, started as docs/workers.md says, and a Wikipedia of our own."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path

import pytest

from config.embedded.processes import wait_until
from tests.acceptance import workers
from tests.acceptance.client import Client
from tests.acceptance.conftest import end
from tests.acceptance.running import ROOT, hanging
from tests.acceptance.wikipedia import EXTRACT

SCRIPT = "tissue_worker.py"
WORKER = ROOT / "docs" / "examples" / SCRIPT
IMAGE = {"image": "slide-17.tiff"}


@pytest.fixture(scope="module")
def client(handoff) -> Iterator[Client]:
    with Client(handoff) as client:
        yield client


def working(client: Client, tmp_path: Path, *, each: float = 0, name: str = "worker"):
    """The worker of the tissue analysis; `each` is how long it works on a job, in seconds."""
    return workers.working(client, SCRIPT, tmp_path / name, WORK_SECONDS=str(each))


def start(client: Client, workflow: str = "tissue-analysis", given: dict | None = None) -> str:
    return client.post("/runs", {"workflow": workflow, "input": given or IMAGE})["id"]


def first_step(client: Client, run: str) -> dict:
    return client.get(f"/runs/{run}")["steps"][0]


def until_ended(client: Client, *runs: str, status: str = "COMPLETED") -> list[dict]:
    """The runs, all of which ended this way."""
    are_open = ("PENDING", "RUNNING", "WAITING", "FAILING")
    wait_until(lambda: all(client.get(f"/runs/{run}")["status"] not in are_open for run in runs), 60, "runs")
    found = [client.get(f"/runs/{run}") for run in runs]
    assert [run["status"] for run in found] == [status] * len(runs)
    return found


def until_running(client: Client, run: str) -> None:
    """Wait until a worker has one of its jobs."""
    wait_until(
        lambda: "RUNNING" in {step["status"] for step in client.get(f"/runs/{run}")["steps"]}, 20, "a job"
    )


def short_leases(client: Client) -> str:
    """The tissue analysis with leases that end soon."""
    definition = deepcopy(client.get("/workflows/tissue-analysis/export")) | {"name": "tissue-short"}
    for node in definition["nodes"]:
        node["lease_seconds"] = 1
    return client.publish(definition)


def test_the_worker_does_all_that_a_run_asks_and_stops_by_ctrl_c(client, tmp_path):
    with working(client, tmp_path) as worker:
        [run] = until_ended(client, start(client))
        assert worker.stop(signal.SIGINT) == 0
    assert run["output"]["report"].startswith("slide-17.tiff: 29 of 4392 cells")
    assert re.search(r"\nreport \(job [-0-9a-f]+\): completed\nstopped\n$", worker.said())


def test_an_input_that_the_worker_cannot_use_fails_with_its_reason(client, tmp_path):
    with working(client, tmp_path):
        [run] = until_ended(client, start(client, given={"picture": "x"}), status="FAILED")
    assert run["steps"][0]["error"]["code"] == "BadImage"
    assert "KeyError('image')" in run["steps"][0]["error"]["message"]


@pytest.mark.parametrize("signum", [signal.SIGINT, signal.SIGTERM])
def test_a_worker_that_is_stopped_gives_its_job_back_at_once(client, tmp_path, signum):
    run = start(client)
    with working(client, tmp_path, each=60) as worker:
        worker.until_it_says(": begun")
        assert worker.stop(signum) == 0
    assert worker.said().endswith(": given back\nstopped\n")
    step = first_step(client, run)
    assert (step["status"], step["attempt"]) == ("QUEUED", 0)
    with working(client, tmp_path):
        until_ended(client, run)


@pytest.mark.exhaustive
def test_two_workers_share_the_work_of_one_that_was_killed(client, tmp_path):
    run = start(client, short_leases(client))
    with working(client, tmp_path, each=60) as worker:
        until_running(client, run)
        os.kill(worker.process.pid, signal.SIGKILL)
    with working(client, tmp_path, name="one") as one, working(client, tmp_path, name="two") as two:
        until_ended(client, run, *(start(client) for _ in range(9)))
    assert (one.said() + two.said()).count(": completed") == 50
    assert min(one.said().count(": completed"), two.said().count(": completed")) > 0
    assert "too late" not in one.said() + two.said()


def test_a_job_that_nobody_wants_any_more_is_given_up(client, tmp_path):
    run = start(client)
    with working(client, tmp_path, each=60) as worker:
        until_running(client, run)
        client.post(f"/runs/{run}/cancel", {"reason": "the wrong slide"})
        worker.until_it_says(": given back")
        until_ended(client, run, status="CANCELLED")


@pytest.mark.exhaustive
def test_a_worker_outlives_a_database_that_is_away_and_a_handoff_that_is_restarted(handoff, client, tmp_path):
    run = start(client)
    with working(client, tmp_path, each=1) as worker:
        until_running(client, run)
        # Nobody starts the database again as long as the supervisor hangs.
        with hanging(handoff.process.pid):
            os.kill(handoff.pids()["postgres"], signal.SIGKILL)
            worker.until_it_says("(503)")
        handoff.until_answering()
        until_running(client, run)
        end(handoff)
        worker.until_it_says("ConnectError")
        handoff.start_and_wait()
        until_ended(client, run)
        assert worker.process.poll() is None


def test_a_worker_without_a_token_or_with_a_wrong_one_says_so(handoff):
    said = {}
    for token in ("", "wrong"):
        api = f"http://127.0.0.1:{handoff.port}/api/v1"
        worker = subprocess.run(
            [sys.executable, str(WORKER)],
            env={
                "HANDOFF": api,
                "TOKEN": token,
                "NO_PROXY": "127.0.0.1",
                "PYTHONPATH": str(workers.SDK),
            },
            capture_output=True,
            text=True,
            timeout=20,
            check=False,
        )
        assert worker.returncode == 1
        said[token] = worker.stderr
    assert said[""].endswith("or HANDOFF and TOKEN.\n")
    assert said["wrong"].startswith("Handoff refuses: authentication_failed (401)")
    assert "Traceback" not in said["wrong"]


def test_a_topic_is_looked_up_and_each_other_end_says_what_happened(client, wikipedia):
    definition = client.get("/workflows/topic-lookup/export") | {"name": "lookup-here"}
    definition["nodes"][0] |= {"retry": "none"}
    definition["nodes"][0]["params"]["url"] = wikipedia
    client.publish(definition)
    topics = ("Urban heat island", "Nothing", "Maintenance")
    runs = until_ended(client, *(start(client, "lookup-here", {"topic": topic}) for topic in topics))
    found, missing, down = (run["output"] for run in runs)
    assert (found["topic"], found["about"]) == ("Urban heat island", EXTRACT)
    assert found["keywords"]
    assert missing == {"about": "Wikipedia has no page on Nothing."}
    assert down == {"about": "Wikipedia gave no answer on Maintenance: The server answered 503."}

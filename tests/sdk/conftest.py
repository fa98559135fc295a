"""Programs with the Python SDK, as processes of their own, beside a web process on the tests' database."""

import signal
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from config.embedded.processes import child_setup, wait_until
from tests.people import People
from tests.serving import ROOT

SDK = ROOT / "sdks" / "python" / "src"
HEAD = """
import asyncio, json, logging, os, sys, time
from handoff_sdk import Release, NonRetryableError, StepError, Worker
logging.basicConfig(level="INFO", format="%(message)s", stream=sys.stdout)
logging.getLogger("httpx").setLevel("WARNING")
"""


class Program:
    """A running program and what it has said."""

    def __init__(self, text, site, token, output, **environment):
        self._output = output
        with output.open("wb") as terminal:
            self.process = subprocess.Popen(
                [sys.executable, "-u", "-c", HEAD + textwrap.dedent(text)],
                env={
                    "HANDOFF": f"{site}/api/v1",
                    "TOKEN": token,
                    "PYTHONPATH": str(SDK),
                    "NO_PROXY": "127.0.0.1",
                    **environment,
                },
                stdout=terminal,
                stderr=subprocess.STDOUT,
                preexec_fn=child_setup(signal.SIGTERM),
            )

    def said(self) -> str:
        return self._output.read_text()

    def until_it_says(self, what, seconds=20):
        wait_until(
            lambda: what in self.said() or self.process.poll() is not None,
            seconds,
            lambda: f"{what!r}: {self.said()}",
        )
        assert what in self.said(), self.said()

    def stop(self, signum=signal.SIGTERM):
        """What it ends with."""
        self.process.send_signal(signum)
        return self.process.wait(20)


@pytest.fixture
def people(db):
    return People()


@pytest.fixture
def api(people):
    """A client of Django's with an admin's token."""
    return people.client("admin")


@pytest.fixture
def program(people, tmp_path):
    """Starts a program of this text at this address, with a worker's token."""

    @contextmanager
    def start(text, site, name="program", role="worker", **environment) -> Iterator[Program]:
        one = Program(text, site, people.token(role), tmp_path / name, **environment)
        try:
            yield one
        finally:
            one.process.kill()
            one.process.wait()

    return start


@pytest.fixture
def publish(api):
    """Publishes a workflow `pay` of one job `charge` on the queue `charge`, with these fields."""

    def do(**fields):
        node = {"id": "charge", "type": "job", "retry": {"max_retries": 2, "base_seconds": 0}, **fields}
        definition = {"name": "pay", "nodes": [node]}
        assert api.post("/api/v1/workflows", {"name": "pay", "definition": definition}).status_code == 201
        assert api.post("/api/v1/workflows/pay/publish").status_code == 201

    return do


@pytest.fixture
def start(api):
    """Starts runs of `pay`, numbered by `n`; gives their ids."""

    def do(count=1):
        items = [{"input": {"n": number}} for number in range(count)]
        answer = api.post("/api/v1/runs/batch", {"workflow": "pay", "items": items})
        assert answer.status_code == 201, answer.json()
        return [run["id"] for run in answer.json()["runs"]]

    return do


@pytest.fixture
def ended(api):
    """Waits for runs to end; gives them."""

    def look(run):
        return api.get(f"/api/v1/runs/{run}").json()

    def do(*runs, seconds=20):
        wait_until(
            lambda: all(look(run)["status"] in ("COMPLETED", "FAILED", "CANCELLED") for run in runs),
            seconds,
            lambda: str([(look(run)["status"], look(run)["waiting_for"]) for run in runs[:3]]),
        )
        return [look(run) for run in runs]

    return do

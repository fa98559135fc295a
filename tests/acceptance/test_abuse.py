"""Eight viewers send what takes longest to compute, all the time, while others start runs, do jobs and open pages.

Nobody of the others is refused, each waits for less than a second at the 99th percentile, and no process is ended.
"""

import json
import os
import subprocess
import sys
import threading
import time
from collections import defaultdict
from contextlib import closing
from typing import Any

import httpx
import pytest

from tests.acceptance.connections import Connection
from tests.acceptance.viewers import DEFINITION, NODES
from tests.serving import ROOT

pytestmark = pytest.mark.soak

SECONDS = float(os.environ.get("SOAK_SECONDS") or 300)
VIEWERS, STARTERS, WORKERS, READERS = 8, 2, 2, 2
RUNS = 200
QUEUE = NODES[0]["queue"]


class Crowd:
    """Threads that ask until `end`; what they were answered, and how long that took."""

    def __init__(self) -> None:
        self.end, self.lock = threading.Event(), threading.Lock()
        self.times: dict[str, list[float]] = defaultdict(list)
        self.statuses: dict[str, dict[int, int]] = defaultdict(lambda: defaultdict(int))
        self.threads: list[threading.Thread] = []
        self.connections: list[Connection | httpx.Client] = []

    def add(self, do, asks, *arguments) -> None:
        self.connections.append(asks)
        self.threads.append(threading.Thread(target=self._repeat, args=(do, asks, arguments), daemon=True))

    def _repeat(self, do, asks, arguments) -> None:
        while not self.end.is_set():
            do(self, asks, *arguments)

    def timed(self, name: str, ask, *arguments) -> tuple[int, Any]:
        began = time.monotonic()
        status, said = ask(*arguments)
        with self.lock:
            self.times[name].append(time.monotonic() - began)
            self.statuses[name][status] += 1
        return status, said

    def p99(self, name: str) -> float:
        times = sorted(self.times[name])
        return times[int(len(times) * 0.99)]


@pytest.fixture
def tokens(handoff):
    """Makes a token of a service of its own, with a role."""

    def token(role: str, number: int) -> str:
        with handoff.browser() as browser:
            body = {"name": f"{role} {number}", "role": role, "service": True}
            body |= {"queues": [QUEUE]} if role == "worker" else {}
            answer = browser.post("/api/v1/tokens", json=body)
            assert answer.status_code == 201, answer.text
            return str(answer.json()["token"])

    return token


def test_others_are_served_while_eight_viewers_do_their_worst(handoff, tokens):
    crowd = Crowd()
    with closing(Connection(handoff.port, handoff.admin_token)) as admin:
        assert admin.ask("POST", "/workflows", {"name": "beside", "definition": DEFINITION})[0] == 201
        assert admin.ask("POST", "/workflows/beside/publish", {})[0] == 201
    pids = handoff.pids()
    abuse = [sys.executable, "-m", "tests.acceptance.viewers", str(handoff.port)]
    abuse += [tokens("author", number) for number in range(VIEWERS)]
    for number in range(STARTERS):
        crowd.add(_start, Connection(handoff.port, tokens("operator", number)))
    for number in range(WORKERS):
        crowd.add(_work, Connection(handoff.port, tokens("worker", number)))
    with handoff.browser() as browser:
        for _ in range(READERS):
            crowd.add(_read, browser)
        with subprocess.Popen(abuse, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as viewers:
            for thread in crowd.threads:
                thread.start()
            crowd.end.wait(SECONDS)
            crowd.end.set()
            statuses, _ = viewers.communicate(timeout=120)
        for thread in crowd.threads:
            thread.join(90)
    for connection in crowd.connections:
        connection.close()
    figures = {name: round(crowd.p99(name), 3) for name in crowd.times}
    assert handoff.pids() == pids
    assert sum(crowd.statuses["start"].values()) >= RUNS * min(1, SECONDS / 120)
    for name, good in (("start", 201), ("poll", 200), ("complete", 200), ("page", 200)):
        assert set(crowd.statuses[name]) == {good}, name
        assert figures[name] < 1, name
    assert json.loads(statuses).keys() <= {"200", "400", "422", "429"}, statuses
    print(figures, {name: len(times) for name, times in crowd.times.items()}, statuses.decode())


def _start(crowd: Crowd, starter: Connection) -> None:
    crowd.timed("start", starter.ask, "POST", "/runs", {"workflow": "beside", "input": {}})
    crowd.end.wait(0.2)


def _work(crowd: Crowd, worker: Connection) -> None:
    poll = {"queues": [QUEUE], "worker_id": "w", "max_jobs": 5}
    status, said = crowd.timed("poll", worker.ask, "POST", "/jobs/poll", poll)
    for job in said["jobs"] if status == 200 else ():
        done = {"lease_token": job["lease_token"], "output": {}}
        crowd.timed("complete", worker.ask, "POST", f"/jobs/{job['id']}/complete", done)
    crowd.end.wait(0.1)


def _read(crowd: Crowd, browser: httpx.Client) -> None:
    for path in ("/runs", "/inbox", "/workflows"):
        crowd.timed("page", _page, browser, path)
        crowd.end.wait(1)


def _page(browser: httpx.Client, path: str) -> tuple[int, bytes]:
    answer = browser.get(path)
    return answer.status_code, answer.content

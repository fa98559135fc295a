"""200 clients start, signal, read and do jobs at once while web, workers and PostgreSQL are killed and stopped in turn.

Each thing that is asked carries a mark of its own, so an answer to somebody else's call would be seen. What was said to
be done is there, once, however often a client had to ask for it.
"""

import os
import random
import signal
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress

import pytest

from config.embedded.processes import wait_until
from tests.acceptance.client import Client
from tests.acceptance.connections import Connection

STARTERS, WORKERS, READERS = 90, 60, 50
SECONDS = float(os.environ.get("SOAK_SECONDS") or 600)
QUEUE = "of-many-clients"
FAULTS = ("web", "worker-engine", "web-2", "worker-default-1", "postgres")
DEFINITION = {
    "name": "many_clients",
    "nodes": [
        {"id": "go", "type": "signal", "params": {"name": "go"}},
        {"id": "job", "type": "job", "queue": QUEUE, "lease_seconds": 5, "retry": {"max_retries": 50}},
        {"id": "last", "type": "noop"},
    ],
    "edges": [{"from": "go", "to": "job"}, {"from": "job", "to": "last"}],
}
LEFT = "SELECT count(*) FROM runs_run r JOIN workflows_workflow w ON w.id = r.workflow_id WHERE w.name = 'many_clients'"


class Crowd:
    """What the clients were told, and what was wrong with it."""

    def __init__(self, port: int, token: str) -> None:
        self.port, self.token = port, token
        self.runs: dict[str, str] = {}
        self.done: dict[str, str] = {}
        self.wrong: list[str] = []
        self.answers: Counter[int] = Counter()
        self.lock = threading.Lock()
        self.no_more_starts, self.over = threading.Event(), threading.Event()

    def client(self, do: Callable[[Connection], None]) -> None:
        """Do this with a connection of its own."""
        with closing(Connection(self.port, self.token)) as http:
            do(http)

    def until_done(self, http: Connection, path: str, body: dict) -> dict:
        """The answer of a POST that is asked again until there is one: nobody is refused, servers are away at times."""
        while not self.over.is_set():
            status, answer = http.ask("POST", path, body)
            self.note(status, answer)
            if 200 <= status < 300:
                return answer
            self.over.wait(random.uniform(0.05, 0.3))
        return {}

    def note(self, status: int, answer: object) -> None:
        with self.lock:
            self.answers[status] += 1
            if status not in (0, 200, 201, 202, 503):
                self.wrong.append(f"{status}: {str(answer)[:300]}")

    def expect(self, holds: bool, what: str) -> None:
        if not holds:
            with self.lock:
                self.wrong.append(what)

    def start(self, http: Connection) -> None:
        while not self.no_more_starts.is_set():
            mark = str(uuid.uuid4())
            asked = {"workflow": "many_clients", "business_key": mark, "input": {"mark": mark}}
            if not (run := self.until_done(http, "/runs", asked)):
                return
            self.expect(
                (run["business_key"], run["input"]) == (mark, {"mark": mark}), f"{mark} was told of {run}"
            )
            with self.lock:
                self.runs[mark] = run["id"]
            sent = {"name": "go", "payload": {"mark": mark}, "signal_id": mark}
            self.until_done(http, f"/runs/{run['id']}/signals", sent)

    def read(self, http: Connection) -> None:
        while not self.no_more_starts.is_set():
            with self.lock:
                known = random.choice(list(self.runs.items())) if self.runs else None
            if known is None:
                self.over.wait(0.1)
                continue
            mark, run = known
            status, answer = http.ask("GET", f"/runs/{run}")
            self.note(status, answer)
            if status == 200:
                found = (answer["id"], answer["business_key"], answer["input"]["mark"])
                self.expect(found == (run, mark, mark), f"{run} was shown as {answer['id']}")
            self.over.wait(random.uniform(0, 0.1))

    def work(self, http: Connection) -> None:
        name = str(uuid.uuid4())
        while not self.over.is_set():
            asked = {
                "worker_id": name,
                "queues": [QUEUE],
                "max_jobs": random.choice((1, 1, 5)),
                "wait_seconds": 1,
            }
            status, answer = http.ask("POST", "/jobs/poll", asked)
            self.note(status, answer)
            jobs = answer["jobs"] if status == 200 else []
            for job in jobs:
                self.do(http, name, job)
            if not jobs:
                self.over.wait(random.uniform(0, 0.2))

    def do(self, http: Connection, name: str, job: dict) -> None:
        by = f"{name} {job['lease_token']}"
        lease = {"lease_token": job["lease_token"]}
        status, answer = http.ask("POST", f"/jobs/{job['id']}/heartbeat", {**lease, "progress": {"by": by}})
        self.note(status, answer)
        result = {**lease, "output": {"mark": job["input"]["mark"], "by": by}}
        answer = self.until_done(http, f"/jobs/{job['id']}/complete", result)
        if answer.get("applied"):
            with self.lock:
                self.expect_once(job["id"], by)

    def expect_once(self, job: str, by: str) -> None:
        if self.done.setdefault(job, by) != by:
            self.wrong.append(f"job {job} was done by {self.done[job]} and by {by}")


@pytest.mark.exhaustive
@pytest.mark.parametrize(("seconds", "pause"), [(8, 1.2), pytest.param(SECONDS, 3.0, marks=pytest.mark.soak)])
def test_every_answer_is_true_whoever_is_killed(handoff, seconds, pause):
    with Client(handoff) as client:
        client.http.delete("/workflows/many_clients")
        client.publish(DEFINITION)
        crowd = Crowd(handoff.port, handoff.admin_token)
        many = [crowd.start] * STARTERS + [crowd.work] * WORKERS + [crowd.read] * READERS
        with ThreadPoolExecutor(len(many)) as threads:
            clients = [threads.submit(crowd.client, each) for each in many]
            try:
                faults_until(handoff, time.monotonic() + seconds, pause)
                handoff.until_answering()
                wait_until(lambda: len(crowd.runs) > STARTERS, 60, "a second run of somebody's")
                crowd.no_more_starts.set()
                for starter in clients[:STARTERS]:
                    starter.result(60)
                client.until(f"{LEFT} AND r.status = 'COMPLETED'", client.number(LEFT), 120)
            finally:
                crowd.no_more_starts.set()
                crowd.over.set()
            for each in clients:
                each.result(120)
        assert crowd.wrong == [], (len(crowd.wrong), crowd.wrong[:5], crowd.answers)
        is_as_told(client, crowd)
        assert client.broken_invariants() == {}


def faults_until(handoff, end: float, pause: float) -> None:
    """One process after another is killed or, each third time, stopped for a second."""
    for turn in range(1_000_000):
        threading.Event().wait(min(pause, max(end - time.monotonic(), 0)))
        if time.monotonic() >= end:
            return
        with suppress(KeyError, ProcessLookupError):
            pid = handoff.pids()[FAULTS[turn % len(FAULTS)]]
            if turn % 3 != 2:
                os.kill(pid, signal.SIGKILL)
                continue
            os.kill(pid, signal.SIGSTOP)
            threading.Event().wait(1)
            os.kill(pid, signal.SIGCONT)


def is_as_told(client: Client, crowd: Crowd) -> None:
    """The database has what clients were told, each thing once."""
    runs = client.rows(
        "SELECT r.business_key, r.id::text, r.input->>'mark', s.id::text, s.output->>'mark', s.output->>'by',"
        " (SELECT count(*) FROM runs_historyevent h WHERE h.run_id = r.id AND h.node = 'job'"
        "   AND h.type = 'STEP_COMPLETED'),"
        " (SELECT count(*) FROM runs_signal g WHERE g.run_id = r.id)"
        " FROM runs_run r JOIN workflows_workflow w ON w.id = r.workflow_id"
        " JOIN runs_stepexecution s ON s.run_id = r.id AND s.node = 'job' WHERE w.name = 'many_clients'"
    )
    assert len(runs) == len({key for key, *_ in runs}), "a business key has one run"
    there = {key: run for key, run, *_ in runs}
    assert {key: there.get(key) for key in crowd.runs} == crowd.runs
    for key, run, mark, job, done, by, times, signals in runs:
        assert (mark, done, times, signals) == (key, key, 1, 1), run
        assert crowd.done.get(job, by) == by, f"job {job} was answered as done by {crowd.done[job]}"

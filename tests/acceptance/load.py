"""A little of everything that Handoff does, for drills: chains, calls, jobs, timers, signals, people and sagas."""

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from config.embedded.processes import wait_until
from engine.catalogue import Json
from tests.acceptance.client import Client
from tests.acceptance.faults import Observer, repeating
from tests.acceptance.running import Handoff
from tests.slow_service import SlowService

HEALED_SECONDS = 60
NO_RETRY = {"retry": "none"}
# A step in the hands of whoever is killed comes back after its lease, and a wait with it.
SHORT = {"lease_seconds": 2}

INPUT = {"text": "{{ input.text }}"}
QUICK = {"items": [1, 2, 3], "body": {"type": "noop"}}

DEFINITIONS: list[Json] = [
    {
        "name": "d_chain",
        "nodes": [
            {"id": "clean", "type": "text.clean", **SHORT},
            {"id": "choose", "type": "decision", **SHORT},
            {"id": "last", "type": "noop", **SHORT},
        ],
        "edges": [{"from": "clean", "to": "choose"}, {"from": "choose", "to": "last", "default": True}],
    },
    {
        "name": "d_timer",
        "nodes": [
            {"id": "wait", "type": "wait", "params": {"seconds": 2}, **SHORT},
            {"id": "last", "type": "noop", **SHORT},
        ],
        "edges": [{"from": "wait", "to": "last"}],
    },
    {
        "name": "d_signal",
        "nodes": [{"id": "hear", "type": "signal", "params": {"name": "go"}, **SHORT}],
        "edges": [],
    },
    {
        "name": "d_person",
        "nodes": [
            {
                "id": "ask",
                "type": "human.approval",
                "params": {"title": "Fine?", "candidates": {"users": ["admin"]}, "due_seconds": 3600},
                **SHORT,
            },
            {"id": "last", "type": "noop", **SHORT},
        ],
        "edges": [{"from": "ask", "to": "last", "branch": "approved"}],
    },
    {
        "name": "d_job",
        "nodes": [{"id": "outside", "type": "job", "queue": "drill", **SHORT}],
        "edges": [],
    },
    {
        "name": "d_call",
        "nodes": [
            {
                "id": "call",
                "type": "http.request",
                "params": {"method": "GET", "url": "{{ input.service }}{{ run.id }}", "timeout_seconds": 5},
                **SHORT,
            }
        ],
        "edges": [],
    },
    {
        "name": "d_saga",
        "nodes": [
            {"id": "book", "type": "noop", "compensate": {"type": "noop", **SHORT}, **SHORT},
            {
                "id": "fail",
                "type": "transform",
                "params": {"set": {"x": "{{ input.nothing.at_all }}"}},
                **NO_RETRY,
                **SHORT,
            },
        ],
        "edges": [{"from": "book", "to": "fail"}],
    },
]
CALL = "{{ input.service }}{{ run.id }}.{{ item }}"
BEGUN: list[Json] = [
    {
        "name": "d_leaf",
        "nodes": [{"id": "leaf", "type": "noop", **SHORT}, {"id": "end", "type": "text.clean", **SHORT}],
        "edges": [{"from": "leaf", "to": "end"}],
    },
    {
        "name": "d_middle",
        "nodes": [
            {
                "id": "each",
                "type": "map",
                "params": {
                    "items": [1, 2],
                    "body": {"workflow": "d_leaf", "input": {"text": "{{ string(item) }}"}},
                },
                **SHORT,
            },
            {"id": "leaf", "type": "subworkflow", "params": {"workflow": "d_leaf"}, "input": INPUT, **SHORT},
        ],
        "edges": [{"from": "each", "to": "leaf"}],
    },
    {
        "name": "d_upper",
        "nodes": [{"id": "middle", "type": "subworkflow", "params": {"workflow": "d_middle"}, **SHORT}],
        "edges": [],
    },
]
"""What only other runs begin."""
CONTAINERS: list[Json] = [
    {
        "name": "d_levels",
        "nodes": [
            {"id": "upper", "type": "subworkflow", "params": {"workflow": "d_upper"}, **SHORT},
            {"id": "last", "type": "noop", **SHORT},
        ],
        "edges": [{"from": "upper", "to": "last"}],
    },
    {
        "name": "d_rounds",
        "nodes": [
            {
                "id": "again",
                "type": "loop",
                "params": {
                    "count": 3,
                    "body": {
                        "steps": [
                            {
                                "id": "each",
                                "type": "map",
                                "params": {
                                    "items": ["{{ index * 10 }}", "{{ index * 10 + 1 }}"],
                                    "body": {
                                        "steps": [
                                            {
                                                "id": "call",
                                                "type": "http.request",
                                                "params": {
                                                    "method": "GET",
                                                    "url": CALL,
                                                    "timeout_seconds": 5,
                                                },
                                                **SHORT,
                                            },
                                            {"id": "count", "type": "noop", "set_vars": {"last": 1}, **SHORT},
                                        ]
                                    },
                                },
                                **SHORT,
                            },
                            {"id": "quick", "type": "map", "params": QUICK, **SHORT},
                        ]
                    },
                },
                **SHORT,
            }
        ],
        "edges": [],
    },
]
"""Three levels of children, and lists in a loop: more work than all others, so begun less often."""
EVERY = 5
ENDS = {"d_saga": "COMPENSATED"}


class Load:
    """Starts runs under business keys, so that a start that was not answered is asked for again, and does what they
    wait for.

    `acked`: the runs that were accepted, with their workflow; `applied`: how often each job was done for good.
    """

    def __init__(self, client: Client, service: SlowService) -> None:
        self._client, self._service = client, service
        self._number = 0
        self._unanswered = DEFINITIONS + CONTAINERS
        self._signalled: set[str] = set()
        self.acked: dict[str, str] = {}
        self.applied: Counter[str] = Counter()

    def publish(self) -> None:
        """Before the first start."""
        for definition in (*BEGUN, *CONTAINERS, *DEFINITIONS):
            self._client.publish(definition)

    def start(self) -> None:
        """One run of each; those that were not answered are asked for again first."""
        if not self._unanswered:
            self._number += 1
            self._unanswered = DEFINITIONS + (CONTAINERS if self._number % EVERY == 0 else [])
        given = {"text": "<p>Some text.</p>", "service": self._service.url}
        for definition in tuple(self._unanswered):
            items = [{"business_key": f"k{self._number}", "input": given}]
            body = {"workflow": definition["name"], "items": items}
            answer = self._client.http.post("/runs/batch", json=body)
            if answer.is_success:
                self.acked.update({run["id"]: definition["name"] for run in answer.json()["runs"]})
                self._unanswered.remove(definition)

    def answer(self, http: Any) -> None:
        """Send signals, decide tasks, do jobs: whatever waits."""
        for run in [run for run, name in dict(self.acked).items() if name == "d_signal"]:
            if run not in self._signalled:
                signal = {"name": "go", "signal_id": f"s-{run}", "payload": {}}
                if http.post(f"/runs/{run}/signals", json=signal).is_success:
                    self._signalled.add(run)
        for task in _of(http.get("/tasks", params={"view": "open", "limit": 50}), "results"):
            if seen := _of(http.get(f"/tasks/{task['id']}"), "shown_hash"):
                http.post(f"/tasks/{task['id']}/complete", json={"outcome": "approved", "seen": seen})
        polled = http.post("/jobs/poll", json={"worker_id": "drill", "queues": ["drill"], "max_jobs": 20})
        for job in _of(polled, "jobs"):
            done = {"lease_token": job["lease_token"], "output": {}}
            answer = http.post(f"/jobs/{job['id']}/complete", json=done)
            self.applied[job["id"]] += answer.is_success and answer.json()["applied"]

    def unfinished(self) -> dict[str, str]:
        """Accepted runs that have not ended as they must, with their status; empty when all have."""
        accepted = dict(self.acked)
        known = dict(self._client.rows("SELECT id::text, status FROM runs_run"))
        return {
            run: known.get(run, "LOST")
            for run, name in accepted.items()
            if known.get(run) != ENDS.get(name, "COMPLETED")
        }

    def twice(self) -> list[str]:
        """Runs of which something was done twice: a call under another key, or a job for good."""
        called = [path for path, keys in tuple(self._service.paths.items()) if len(keys) > 1]
        return [*called, *(job for job, times in tuple(self.applied.items()) if times > 1)]

    def told(self, runs: dict[str, str]) -> list[tuple[str, str, str]]:
        """Some of these runs with their workflow, status and what they wait for."""
        return [
            (self.acked[run], status, str(self._client.http.get(f"/runs/{run}").json().get("waiting_for")))
            for run, status in list(runs.items())[:5]
        ]


@dataclass(frozen=True)
class Loaded:
    """A Handoff under load, somebody who answers what waits, and somebody who watches."""

    handoff: Handoff
    client: Client
    load: Load
    observer: Observer

    def is_well(self) -> None:
        """It says so itself, within a minute."""
        wait_until(
            lambda: self.handoff.get("/readyz")[0] == 200,
            HEALED_SECONDS,
            lambda: f"readiness {self.handoff.get('/readyz')}",
        )

    def everything_ends(self) -> None:
        """What was accepted until now ends as it must, once, within a minute."""
        accepted = dict(self.load.acked)
        assert accepted

        def unfinished() -> dict[str, str]:
            return {run: status for run, status in self.load.unfinished().items() if run in accepted}

        wait_until(
            lambda: not unfinished(), HEALED_SECONDS, lambda: f"these runs: {self.load.told(unfinished())}"
        )
        assert self.load.twice() == []
        assert self.client.broken_invariants() == {}

    def is_proven(self, since: datetime) -> None:
        """History proves the rows of all that was not over before, and nothing had to be repaired that nothing would
        have moved any more.
        """
        said = self.handoff.manage("verify_history", "--all", "--since", since.isoformat())
        assert said.returncode == 0, said.stdout[-4000:] + said.stderr[-4000:]
        assert self.client.rows("SELECT run_id::text, node, what, done, detail FROM runs_repair") == []


@contextmanager
def loaded(handoff: Handoff, service: SlowService) -> Iterator[Loaded]:
    """A Handoff under load until the end; the service is the load's meanwhile."""
    with ExitStack() as stack:
        service.let_go.set()
        service.paths.clear()
        client, answering = (stack.enter_context(Client(handoff)) for _ in range(2))
        for each in (client, answering):
            # A web process that is stopped answers nobody: who asked asks its successor.
            each.http.timeout = 5
        load = Load(client, service)
        load.publish()
        observer = Observer(handoff)
        stack.enter_context(repeating(load.start, 0.6))
        stack.enter_context(repeating(lambda: load.answer(answering.http), 0.5))
        stack.enter_context(repeating(observer.look, 0.5))
        wait_until(lambda: len(load.acked) >= 20, HEALED_SECONDS, lambda: "the load")
        yield Loaded(handoff, client, load, observer)


def _of(answer: Any, key: str) -> list[Json]:
    return answer.json()[key] if answer.is_success else []

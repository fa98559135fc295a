"""A little of everything that Handoff does, for drills: chains, jobs, timers, signals, people and sagas."""

import itertools
from typing import Any

from tests.acceptance.client import Client

Json = Any
NO_RETRY = {"retry": "none"}
SHORT = {"lease_seconds": 2}

DEFINITIONS: list[Json] = [
    {
        "name": "d_chain",
        "nodes": [
            {"id": "clean", "type": "text.clean", **SHORT},
            {"id": "choose", "type": "decision"},
            {"id": "last", "type": "noop", **SHORT},
        ],
        "edges": [{"from": "clean", "to": "choose"}, {"from": "choose", "to": "last", "default": True}],
    },
    {
        "name": "d_timer",
        "nodes": [
            {"id": "wait", "type": "wait", "params": {"seconds": 2}},
            {"id": "last", "type": "noop", **SHORT},
        ],
        "edges": [{"from": "wait", "to": "last"}],
    },
    {
        "name": "d_signal",
        "nodes": [{"id": "hear", "type": "signal", "params": {"name": "go"}}],
        "edges": [],
    },
    {
        "name": "d_person",
        "nodes": [
            {
                "id": "ask",
                "type": "human.approval",
                "params": {"title": "Fine?", "candidates": {"users": ["admin"]}, "due_seconds": 3600},
            },
            {"id": "last", "type": "noop", **SHORT},
        ],
        "edges": [{"from": "ask", "to": "last"}],
    },
    {
        "name": "d_job",
        "nodes": [{"id": "outside", "type": "job", "queue": "drill", **SHORT}],
        "edges": [],
    },
    {
        "name": "d_saga",
        "nodes": [
            {"id": "book", "type": "noop", "compensate": {"type": "noop"}},
            {
                "id": "fail",
                "type": "transform",
                "params": {"set": {"x": "{{ input.nothing.at_all }}"}},
                **NO_RETRY,
            },
        ],
        "edges": [{"from": "book", "to": "fail"}],
    },
]
ENDS = {"d_saga": "COMPENSATED"}


class Load:
    """Starts runs under business keys, so that a start that was not answered is asked for again, and does what they
    wait for. `acked`: the runs that were accepted, with their workflow.
    """

    def __init__(self, client: Client) -> None:
        self._client = client
        self._numbers = itertools.count()
        self.acked: dict[str, str] = {}

    def publish(self) -> None:
        """Before the first start."""
        for definition in DEFINITIONS:
            self._client.publish(definition)

    def start(self) -> None:
        """One run of each."""
        number = next(self._numbers)
        for definition in DEFINITIONS:
            items = [{"business_key": f"k{number}", "input": {"text": "<p>Some text.</p>"}}]
            answer = self._client.http.post(
                "/runs/batch", json={"workflow": definition["name"], "items": items}
            )
            if answer.is_success:
                self.acked.update({run["id"]: definition["name"] for run in answer.json()["runs"]})

    def answer(self) -> None:
        """Send signals, decide tasks, do jobs: whatever waits."""
        http = self._client.http
        for run in [run for run, name in self.acked.items() if name == "d_signal"][-40:]:
            http.post(f"/runs/{run}/signals", json={"name": "go", "signal_id": f"s-{run}", "payload": {}})
        for task in _of(http.get("/tasks", params={"view": "open", "limit": 50}), "results"):
            http.post(f"/tasks/{task['id']}/complete", json={"outcome": "approved"})
        polled = http.post("/jobs/poll", json={"worker_id": "drill", "queues": ["drill"], "max_jobs": 20})
        for job in _of(polled, "jobs"):
            http.post(f"/jobs/{job['id']}/complete", json={"lease_token": job["lease_token"], "output": {}})

    def unfinished(self) -> dict[str, str]:
        """Accepted runs that have not ended as they must, with their status; empty when all have."""
        known = dict(self._client.rows("SELECT id::text, status FROM runs_run"))
        accepted = dict(self.acked)
        return {
            run: known.get(run, "LOST")
            for run, name in accepted.items()
            if known.get(run) != ENDS.get(name, "COMPLETED")
        }

    def told(self, runs: dict[str, str]) -> list[tuple[str, str, str]]:
        """Some of these runs with their workflow, status and what they wait for."""
        return [
            (self.acked[run], status, str(self._client.http.get(f"/runs/{run}").json().get("waiting_for")))
            for run, status in list(runs.items())[:5]
        ]


def _of(answer: Any, key: str) -> list[Json]:
    return answer.json()[key] if answer.is_success else []

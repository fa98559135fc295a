"""What programs feel: starts, reads, lists, signals and jobs over REST, one call after another on each connection."""

import itertools
import json
from collections.abc import Iterator
from typing import Any

from benchmarks.clients import Client, expect, rate
from benchmarks.scenarios import published, started
from runs.models import Run

START = "/api/v1/runs"


def starts(url: str, connections: int, seconds: float) -> dict[str, Any]:
    """Runs of three steps, started one by one."""
    name = published([{"id": f"s{n}", "type": "noop"} for n in range(3)]).workflow.name

    def start(client: Client, turn: int) -> int:
        expect(client.ask("POST", START, {"workflow": name, "input": {"n": turn}}), 201)
        return 1

    return rate(url, connections, seconds, start)


def reads(url: str, connections: int, seconds: float) -> dict[str, Any]:
    """One run of three steps, read."""
    version = published([{"id": f"s{n}", "type": "noop"} for n in range(3)])
    started(version, 1)
    run = Run.unsafe_all_tenants.get(version=version).pk

    def read(client: Client, _: int) -> int:
        expect(client.ask("GET", f"{START}/{run}"), 200)
        return 1

    return rate(url, connections, seconds, read)


def lists(url: str, connections: int, seconds: float) -> dict[str, Any]:
    """A page of 20 runs of three steps."""
    version = published([{"id": f"s{n}", "type": "noop"} for n in range(3)])
    started(version, 200)

    def page(client: Client, _: int) -> int:
        expect(client.ask("GET", f"{START}?workflow={version.workflow.name}&limit=20"), 200)
        return 1

    return rate(url, connections, seconds, page)


def signals(url: str, connections: int, seconds: float) -> dict[str, Any]:
    """A signal to each of many waiting runs, one by one."""
    version = published([{"id": "s", "type": "signal", "params": {"name": "go"}}])
    count = int(2_000 * seconds)
    started(version, count)
    runs = _handed_out(version.pk)

    def send(client: Client, turn: int) -> int:
        run = next(runs, None)
        if run is None:
            return 0
        sent = {"name": "go", "payload": {"n": turn}, "signal_id": str(turn)}
        expect(client.ask("POST", f"{START}/{run}/signals", sent), 200, 201, 202)
        return 1

    return rate(url, connections, seconds, send)


def _handed_out(version: int) -> Iterator[str]:
    ids = list(Run.unsafe_all_tenants.filter(version_id=version).values_list("pk", flat=True))
    # `next` on this is one operation of the interpreter: threads share it.
    return iter([str(run) for run in ids])


_queues = itertools.count()


def jobs(url: str, workers: int, batch: int, seconds: float) -> dict[str, Any]:
    """Workers that poll for so many jobs and complete them: one by one, or those of a poll in one call."""
    queue = f"bench-jobs-{next(_queues)}"
    version = published([{"id": "j", "type": "job", "queue": queue}])
    started(version, int(4_000 * seconds))

    def work(client: Client, _: int) -> int:
        asked = {"worker_id": f"w{id(client)}", "queues": [queue], "max_jobs": batch}
        found = json.loads(expect(client.ask("POST", "/api/v1/jobs/poll", asked), 200))["jobs"]
        items = [{"id": job["id"], "lease_token": job["lease_token"], "output": {}} for job in found]
        if batch > 1 and items:
            expect(client.ask("POST", "/api/v1/jobs/complete", {"items": items}), 200)
        for item in items if batch == 1 else ():
            expect(client.ask("POST", f"/api/v1/jobs/{item.pop('id')}/complete", item), 200)
        return len(found)

    return rate(url, workers, seconds, work)

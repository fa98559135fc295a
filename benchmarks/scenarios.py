"""What is measured: chains through two workers, runs one at a time over HTTP, slow calls, statements per batch."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from statistics import quantiles
from typing import Any

import httpx

from accounts.models import Tenant, User
from accounts.queries import command_principal
from accounts.services import create_token
from lib import named_sql
from lib.uuid7 import uuid7
from runs.commands.starts import NewRun, Terms, start_runs
from runs.models import Run
from runs.workers.drain import Drain
from runs.workers.execute import execute
from workflows.models import WorkflowVersion
from workflows.versions.lifecycle import create_workflow, publish

START_BATCH = 500
DEADLINE_SECONDS = 300


def chain_throughput(length: int, runs: int) -> dict[str, Any]:
    """Start `runs` chains of noop while the workers work on them; from the first start to the last completion."""
    version = published(_noops(length))
    began = time.monotonic()
    started(version, runs)
    all_started = time.monotonic()
    wait_for(version, runs)
    took = time.monotonic() - began
    return {
        "runs": runs,
        "steps": runs * length,
        "seconds": round(took, 2),
        "seconds to start": round(all_started - began, 2),
        "steps/s": round(runs * length / took),
    }


def started(
    version: WorkflowVersion, runs: int, make_input: Callable[[int], dict[str, Any]] = lambda n: {"n": n}
) -> None:
    """Start `runs` of a version, in batches; `make_input` makes the input of each by its number."""
    terms = Terms(tenant=version.tenant_id, version=version.pk, by="bench")
    for first in range(0, runs, START_BATCH):
        start_runs(terms, [NewRun(make_input(n)) for n in range(first, min(first + START_BATCH, runs))])


def wait_for(version: WorkflowVersion, runs: int) -> None:
    """Return when all its runs are completed."""
    began = time.monotonic()
    while (left := Run.unsafe_all_tenants.filter(version=version).exclude(status="COMPLETED").count()) > 0:
        if time.monotonic() - began > DEADLINE_SECONDS:
            raise SystemExit(f"{left} of {runs} runs did not complete in {DEADLINE_SECONDS} s")
        time.sleep(0.02)


def slow_calls(url: str, runs: int) -> dict[str, Any]:
    """Start `runs` of one http.request each to a service that takes a second; quick runs go on beside them."""
    with _slow_service(1.0) as service:
        params = {"method": "GET", "url": service}
        version = published([{"id": "call", "type": "http.request", "params": params}])
        began = time.monotonic()
        started(version, runs)
        beside = one_at_a_time(url, max(runs // 5, 3))
        wait_for(version, runs)
        took = time.monotonic() - began
    quick = {f"quick runs beside: {key}": value for key, value in beside.items() if "POST" not in key}
    return {"runs": runs, "seconds": round(took, 2), "calls/s": round(runs / took, 1), **quick}


@contextmanager
def _slow_service(seconds: float) -> Iterator[str]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            time.sleep(seconds)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            return

    class Server(ThreadingHTTPServer):
        request_queue_size = 256

    with Server(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}/"
        finally:
            server.shutdown()


def one_at_a_time(url: str, runs: int) -> dict[str, Any]:
    """Milliseconds from sending the POST to the run's completion, by the clock that both share; and of the POST."""
    version = published(_noops(3))
    tenant, admin = Tenant.objects.get(slug="default"), User.objects.get(username="admin")
    _, secret = create_token(user=admin, tenant=tenant, role="admin", name="bench")
    took, posts = [], []
    with httpx.Client(base_url=url, headers={"Authorization": f"Bearer {secret}"}) as client:
        for place in range(runs + 20):
            began = time.time()
            answer = client.post(
                "/api/v1/runs", json={"workflow": version.workflow.name, "input": {"n": place}}
            )
            answer.raise_for_status()
            posted = time.time()
            ended = _completed_at(answer.json()["id"])
            if place >= 20:
                took.append((ended - began) * 1000)
                posts.append((posted - began) * 1000)
    return {"runs": runs, **percentiles("ms", took), **percentiles("ms of the POST", posts)}


def _completed_at(run_id: str) -> float:
    until = time.monotonic() + 30
    while time.monotonic() < until:
        completed = Run.unsafe_all_tenants.filter(pk=run_id).values_list("completed_at", flat=True).first()
        if completed is not None:
            return float(completed.timestamp())
        # The database says when it was; looking more often would only take the cores from who is measured.
        time.sleep(0.03)
    raise SystemExit(f"run {run_id} did not complete")


def statements() -> dict[str, Any]:
    """What one batch of 100 steps costs in statements, drained in this process from a queue of its own."""
    counts: Counter[str] = Counter()
    for size in (1, 100):
        version = published([{**node, "queue": "bench"} for node in _noops(3)])
        started(version, size)
        seen: list[str] = []
        named_sql.watchers.append(seen.append)
        drain = Drain("bench")
        drain.flush([(step, execute(step)) for step in drain.claim(size)])
        named_sql.watchers.remove(seen.append)
        counts[f"claim and advance of {size}"] = len(seen)
        drain.run(5.0)
    return dict(counts)


def _noops(length: int) -> list[dict[str, Any]]:
    return [{"id": f"s{n}", "type": "noop"} for n in range(length)]


def published(nodes: list[dict[str, Any]]) -> WorkflowVersion:
    """The nodes as a chain, published."""
    return publish_definition(nodes, [{"from": one["id"], "to": two["id"]} for one, two in pairwise(nodes)])


def publish_definition(nodes: list[dict[str, Any]], edges: list[dict[str, Any]]) -> WorkflowVersion:
    """A workflow of its own with these nodes and edges, published."""
    name = f"bench-{uuid7()[-12:]}"
    definition = {"name": name, "nodes": nodes, "edges": edges}
    principal = command_principal("admin", "default")
    create_workflow(principal, name=name, definition=definition)
    return publish(principal, name).version


def percentiles(unit: str, values: list[float]) -> dict[str, float]:
    cuts = quantiles(values, n=100, method="inclusive")
    return {f"p{cut} {unit}": round(cuts[cut - 1], 2) for cut in (50, 95, 99)}

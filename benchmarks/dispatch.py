"""How long a job waits until a worker has it, and how many are done a second, by how workers hear of jobs (R-173).

Whoever polls does so in every mode; what is told by a broker is measured with `HANDOFF_DISPATCH=redis_outbox` or
`kafka_outbox` (and `HANDOFF_KAFKA=embedded`).
"""

import itertools
import json
import random
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from typing import Any

from django.conf import settings

from benchmarks.clients import Client, admin_token, cpu_seconds, expect
from benchmarks.scenarios import percentiles, published, started, wait_for
from config import environment
from handoff_sdk.events import Events

POLL_SECONDS = 0.5
"""As rochallor's workers poll."""
WORKERS, BATCH = 4, 50
BETWEEN_SECONDS = (0.2, 0.8)
Jobs = list[dict[str, Any]]
Take = Callable[[], Jobs]
_queues = itertools.count()


def _polling(wait_seconds: float, client: Client, queue: str, worker: str) -> Iterator[Jobs]:
    asked = {"worker_id": worker, "queues": [queue], "max_jobs": BATCH, "wait_seconds": wait_seconds}
    while True:
        found: Jobs = json.loads(expect(client.ask("POST", "/api/v1/jobs/poll", asked), 200))["jobs"]
        yield found
        if not found and not wait_seconds:
            time.sleep(POLL_SECONDS)


def _told(client: Client, queue: str, worker: str) -> Iterator[Jobs]:
    subscription = _events().subscribe(queue, worker)
    while True:
        told = subscription.take(BATCH, POLL_SECONDS)
        jobs: Jobs = []
        if told:
            asked = {"worker_id": worker, "ids": [event.job_id for event in told], "queues": [queue]}
            jobs = json.loads(expect(client.ask("POST", "/api/v1/jobs/claim", asked), 200))["jobs"]
            subscription.acknowledge(told)
        yield jobs


def _events() -> Events:
    facts = environment.run_facts()
    if settings.HANDOFF_BROKER == "kafka":
        made: Events = import_module("handoff_sdk.kafka").KafkaEvents(facts["kafka_brokers"])
    else:
        made = import_module("handoff_sdk.redis_streams").RedisEvents(facts["redis_url"])
    return made


def _ways() -> Mapping[str, Callable[[Client, str, str], Iterator[Jobs]]]:
    ways = {
        f"poll each {POLL_SECONDS:g} s": lambda *of: _polling(0, *of),
        "poll that waits": lambda *of: _polling(20, *of),
    }
    return ways | ({"told by a broker": _told} if settings.HANDOFF_BROKER else {})


class _Workers:
    """Threads that take jobs and complete them, until they are left."""

    def __init__(
        self, url: str, count: int, queue: str, way: Callable[[Client, str, str], Iterator[Jobs]]
    ) -> None:
        self.had_at: dict[str, float] = {}
        self._stopping = threading.Event()
        token = admin_token()
        self._threads = [
            threading.Thread(
                target=self._work, args=(Client(url, token), queue, f"w{place}", way), daemon=True
            )
            for place in range(count)
        ]

    def __enter__(self) -> "_Workers":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopping.set()

    def _work(self, client: Client, queue: str, name: str, way: Any) -> None:
        for jobs in way(client, queue, name):
            now = time.perf_counter()
            self.had_at.update((job["run_id"], now) for job in jobs)
            items = [{"id": job["id"], "lease_token": job["lease_token"], "output": {}} for job in jobs]
            if items:
                expect(client.ask("POST", "/api/v1/jobs/complete", {"items": items}), 200)
            if self._stopping.is_set():
                return


def latency(url: str, count: int) -> dict[str, Any]:
    """One job at a time: ms from the answer to the start of its run until a worker has it."""
    figures: dict[str, Any] = {}
    client = Client(url, admin_token())
    for name, way in _ways().items():
        queue = f"bench-wait-{next(_queues)}"
        workflow = published([{"id": "j", "type": "job", "queue": queue}]).workflow.name
        waited = []
        with _Workers(url, 1, queue, way) as workers:
            # The first one waits for topics and groups to be made.
            for turn in range(count + 5):
                # Jobs come whenever they come, and not right behind a poll.
                time.sleep(random.uniform(*BETWEEN_SECONDS))
                answer = expect(
                    client.ask("POST", "/api/v1/runs", {"workflow": workflow, "input": {"n": turn}}), 201
                )
                began = time.perf_counter()
                run = json.loads(answer)["id"]
                while run not in workers.had_at:
                    time.sleep(0.0005)
                if turn >= 5:
                    waited.append(1000 * max(0.0, workers.had_at[run] - began))
        figures |= {f"{name}, {key}": value for key, value in percentiles("ms", waited).items()}
    return figures


def throughput(url: str, count: int) -> dict[str, Any]:
    """So many jobs at once, and workers that take up to 50 each: how many a second, and ms of CPU for each."""
    figures: dict[str, Any] = {}
    for name, way in _ways().items():
        queue = f"bench-many-{next(_queues)}"
        version = published([{"id": "j", "type": "job", "queue": queue}])
        with _Workers(url, WORKERS, queue, way):
            # The first one waits for a topic, and for its group, to be made.
            started(version, 1)
            wait_for(version, 1)
            before, began = cpu_seconds(), time.perf_counter()
            started(version, count)
            wait_for(version, count + 1)
            took, after = time.perf_counter() - began, cpu_seconds()
        figures[f"{name}, jobs per s"] = round(count / took)
        cost = sum(after[kind] - before[kind] for kind in after if kind != "client")
        figures[f"{name}, ms CPU each"] = round(cost * 1000 / count, 2)
    return figures

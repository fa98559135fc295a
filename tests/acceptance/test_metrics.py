"""`/metrics` of a running Handoff: all of its processes as one, whichever answers, and whatever is killed."""

from collections.abc import Iterator

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from config.embedded.processes import wait_until
from tests import factories as make
from tests.acceptance.client import Client
from tests.acceptance.conftest import METRICS_TOKEN

RUNS, STEPS = 20, 3


@pytest.fixture(scope="module")
def client(handoff) -> Iterator[Client]:
    with Client(handoff) as client:
        yield client


def scraped(handoff) -> dict[tuple[str, ...], float]:
    """What one of the web processes tells, on a connection of its own."""
    answer = httpx.get(
        f"http://127.0.0.1:{handoff.port}/metrics",
        headers={"Authorization": f"Bearer {METRICS_TOKEN}"},
        trust_env=False,
        timeout=10,
    )
    assert answer.status_code == 200, answer.text
    return {
        (sample.name, *sample.labels.values()): sample.value
        for family in text_string_to_metric_families(answer.text)
        for sample in family.samples
    }


def completed(handoff) -> float:
    return scraped(handoff)["handoff_steps_finished_total", "COMPLETED"]


def test_what_the_workers_did_is_told_by_every_web_process_also_after_a_kill(handoff, client):
    assert handoff.get("/metrics")[0] == 401
    before = completed(handoff)
    name = client.publish({**make.chain(*["noop"] * STEPS), "name": "metered"})
    client.start(name, RUNS)

    wait_until(lambda: completed(handoff) >= before + RUNS * STEPS, 30, lambda: f"{completed(handoff)} steps")
    found = scraped(handoff)
    assert found["handoff_claims_total",] >= 1
    assert found["workflow_engine_job_poll_latency_seconds_count",] >= RUNS
    assert found["handoff_workers", "default"] >= 2
    assert found["handoff_duty_age_seconds", "timers"] < 10

    for worker in ("worker-default-1", "worker-default-2"):
        handoff.kill(worker)
    assert min(completed(handoff) for _ in range(8)) >= before + RUNS * STEPS

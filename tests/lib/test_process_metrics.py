"""What several processes count is one sum, also of those that were forked, and of those that have ended."""

import os
import subprocess
import sys

import pytest

from lib import process_metrics
from runs.store import meters

# As workers come about: one process has everything loaded, and those that it forks count; two end by force.
FORKS = """
import os, signal
from runs.store import meters

for place in range(3):
    if (pid := os.fork()) == 0:
        meters.polled([[None, 1, *[None] * 16, 0.2]] * (place + 1))
        meters.polled([], is_contended=place == 0)
        meters.ended(["COMPLETED", "QUEUED"])
        os.kill(os.getpid(), signal.SIGKILL)
    os.waitpid(pid, 0)
"""


def run(source, folder):
    subprocess.run(
        [sys.executable, "-c", source],
        env={**os.environ, process_metrics.VARIABLE: str(folder)},
        check=True,
        timeout=60,
    )


def told():
    return {
        (sample.name, *sample.labels.values()): sample.value
        for metric in process_metrics.collected()
        for sample in metric.samples
    }


@pytest.fixture
def shared(tmp_path, monkeypatch):
    run(FORKS, tmp_path)
    monkeypatch.setenv(process_metrics.VARIABLE, str(tmp_path))
    return tmp_path


def test_processes_are_told_together(shared):
    found = told()
    assert found["handoff_claims_total",] == 3
    assert (found["handoff_claim_batch_size_sum",], found["handoff_claim_batch_size_count",]) == (6, 3)
    assert found["handoff_claim_batch_size_bucket", "2.0"] == 2
    assert found["handoff_claim_empty_total", meters.CONTENDED] == 1
    assert found["handoff_claim_empty_total", meters.EMPTY] == 2
    assert found["handoff_steps_finished_total", "COMPLETED"] == 3
    assert found["workflow_engine_job_poll_latency_seconds_count",] == 6


def test_those_of_another_life_add_to_them(shared):
    run(FORKS, shared)
    assert told()["handoff_claims_total",] == 6


def test_what_never_happened_is_told_as_0(tmp_path, monkeypatch):
    run("import runs.store.meters", tmp_path)
    monkeypatch.setenv(process_metrics.VARIABLE, str(tmp_path))
    found = told()
    assert {found["handoff_steps_finished_total", status] for status in meters.ENDED} == {0}
    assert (found["handoff_claims_total",], found["handoff_claim_batch_size_count",]) == (0, 0)


def test_a_process_without_a_folder_tells_of_itself(monkeypatch):
    monkeypatch.delenv(process_metrics.VARIABLE, raising=False)
    before = told()["handoff_claims_total",]
    meters.polled([[None, 2, *[None] * 16, 0.2]])
    assert told()["handoff_claims_total",] == before + 1


@pytest.mark.parametrize("values", [[], [0.5], [0, 1, 1, 2, 2.5, 99], [1] * 100])
def test_many_values_at_once_are_what_each_of_them_is(values):
    together, apart = (process_metrics.Batches("x", "", registry=None, buckets=(1, 2)) for _ in range(2))
    together.observe_all(values)
    for value in values:
        apart.observe(value)
    assert [*together.collect()] == [*apart.collect()]

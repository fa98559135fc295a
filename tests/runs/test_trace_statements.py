"""What traces and scopes cost: a statement for a whole batch where steps begin, and none where they end (R-208)."""

import itertools

import pytest

from lib import tracing
from lib.trace_context import Trace
from runs.commands import job_reports, jobs
from runs.commands.starts import NewRun, Terms, start_runs
from runs.maintenance.leases import sweep
from steps.attempt_log import LogLine
from tests import factories as make
from tests.store.watching import watching

pytestmark = pytest.mark.django_db

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
JOB = {"id": "a", "type": "job", "queue": "mine", "retry": {"base_seconds": 0, "jitter": 0}}
SCOPES = ("read_traces", "read_scope")


def start(*nodes, count=1):
    edges = [{"from": one["id"], "to": two["id"]} for one, two in itertools.pairwise(nodes)]
    version = make.a_version(make.graph(list(nodes), edges))
    terms = Terms(tenant=version.tenant_id, version=version.pk, by="test")
    return [one.id for one in start_runs(terms, [NewRun({"n": 1}, trace=Trace(PARENT))] * count)]


def poll(most=100):
    return jobs.poll(tenant=make.a_tenant().pk, worker="w", queues=["mine"], max_jobs=most)


def reads(seen):
    return [name for name in seen.named if name in SCOPES]


@pytest.mark.parametrize("count", [1, 20])
def test_jobs_that_read_nothing_cost_one_look_at_their_traces_when_they_begin_and_none_when_they_end(count):
    start(JOB, count=count)
    with watching() as seen:
        polled = poll()
    assert len(polled) == count
    assert reads(seen) == ["read_traces"]
    done = [job_reports.Completion(job.step.id, job.lease_token, 1) for job in polled]
    with watching() as seen:
        said = job_reports.complete_all(make.a_tenant().pk, done)
    assert {one.applied for one in said} == {True}
    assert reads(seen) == []


@pytest.mark.parametrize("count", [1, 20])
def test_jobs_that_read_their_run_cost_one_look_at_it_when_they_begin_and_one_when_they_end(count):
    start(JOB | {"params": {"api_key": "{{ input.n }}-sesame"}}, count=count)
    with watching() as seen:
        polled = poll()
    assert reads(seen) == ["read_scope"]
    lines = [LogLine("with 1-sesame")]
    beats = [job_reports.Beat(job.step.id, job.lease_token, log=lines) for job in polled]
    with watching() as seen:
        job_reports.heartbeat_all(make.a_tenant().pk, beats)
    assert reads(seen) == ["read_scope"]
    done = [job_reports.Completion(job.step.id, job.lease_token, 1, log=lines) for job in polled]
    with watching() as seen:
        said = job_reports.complete_all(make.a_tenant().pk, done)
    assert {one.applied for one in said} == {True}
    assert reads(seen) == ["read_scope"]


def test_lines_of_jobs_without_secrets_cost_no_look_at_their_run():
    start(JOB | {"params": {"order": "no. {{ input.n }}"}})
    [job] = poll()
    with watching() as seen:
        job_reports.heartbeat_all(
            make.a_tenant().pk, [job_reports.Beat(job.step.id, job.lease_token, log=[LogLine("x")])]
        )
    assert reads(seen) == []
    assert "keep_log" in seen.named


def test_a_lease_that_is_over_costs_no_look_at_the_trace(clock):
    start(JOB)
    poll()
    clock.advance(10_000)
    with watching() as seen:
        assert sweep() == 1
    assert reads(seen) == []


@pytest.mark.parametrize("count", [1, 20])
def test_steps_that_compute_and_read_nothing_cost_no_look_at_all(count):
    start({"id": "a", "type": "noop"}, {"id": "b", "type": "noop"}, count=count)
    with watching() as seen:
        assert make.work() == 2 * count
    assert reads(seen) == []


@pytest.mark.parametrize("count", [1, 20])
def test_with_spans_on_a_batch_costs_one_look_however_long_the_chains_are(count, monkeypatch):
    monkeypatch.setattr(tracing, "is_on", lambda: True)
    start(*({"id": name, "type": "noop"} for name in "abcd"), count=count)
    with watching() as seen:
        assert make.work() == 4 * count
    assert reads(seen) == ["read_traces"]

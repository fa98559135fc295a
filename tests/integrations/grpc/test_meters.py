"""What `/metrics` says of gRPC."""

import grpc
import pytest

from config.embedded.processes import wait_until
from integrations.grpc.contract import JOBS, RUNS
from lib import process_metrics
from tests.integrations.grpc.speaking import Client, answering

POLL = {"worker_id": "w1", "queues": ["card"], "max_jobs": 1}
STREAM = f"{JOBS}/StreamJobs"


def told():
    return {
        (sample.name, *sample.labels.values()): sample.value
        for metric in process_metrics.collected()
        for sample in metric.samples
    }


def test_calls_and_streams_are_counted_by_method_and_status(people, start, tmp_path, monkeypatch):
    monkeypatch.setenv(process_metrics.VARIABLE, str(tmp_path))
    [run] = start()
    shared = {process_metrics.VARIABLE: str(tmp_path)}
    with answering(**shared) as (address, _), grpc.insecure_channel(address) as channel:
        worker, nobody = Client(channel, people.token("worker")), Client(channel, None)
        assert len(worker.jobs("PollJobs", **POLL).jobs) == 1
        assert not worker.jobs("PollJobs", **POLL).jobs
        for method in ("PollJobs", "StreamJobs"):
            with pytest.raises(grpc.RpcError):
                list(nobody.jobs(method, **POLL))
        with pytest.raises(grpc.RpcError):
            Client(channel, people.token()).runs("GetRun", run_id="none")
        with pytest.raises(grpc.RpcError):
            channel.unary_unary(f"/{JOBS}/{run}")(b"", timeout=5)
        stream = worker.jobs("StreamJobs", worker_id="w", queues=["card"], max_jobs=1)
        stream.initial_metadata()
        wait_until(lambda: told()["handoff_grpc_streams_open", STREAM] == 1, 10, "an open stream")
        stream.cancel()
        wait_until(lambda: told()["handoff_grpc_streams_open", STREAM] == 0, 10, "no open stream")
        found = told()
    calls = {
        (method.removeprefix("handoff.v1."), code): value
        for (name, *labels), value in found.items()
        if name == "handoff_grpc_requests_total"
        for code, method in [sorted(labels, key=lambda label: label.isupper(), reverse=True)]
    }
    assert calls == {
        ("Jobs/PollJobs", "OK"): 2,
        ("Jobs/PollJobs", "UNAUTHENTICATED"): 1,
        ("Jobs/StreamJobs", "UNAUTHENTICATED"): 1,
        ("Jobs/StreamJobs", "CANCELLED"): 1,
        ("Runs/GetRun", "NOT_FOUND"): 1,
        ("none", "UNIMPLEMENTED"): 1,
    }
    assert found["handoff_grpc_request_seconds_count", f"{JOBS}/PollJobs"] == 3
    assert ("handoff_grpc_request_seconds_count", STREAM) not in found
    assert found["handoff_grpc_streams_open", f"{RUNS}/WatchRun"] == 0


@pytest.mark.exhaustive
def test_a_process_that_comes_after_one_that_was_killed_has_no_streams(people, start, tmp_path, monkeypatch):
    monkeypatch.setenv(process_metrics.VARIABLE, str(tmp_path))
    shared = {process_metrics.VARIABLE: str(tmp_path)}
    with answering(**shared) as (address, process), grpc.insecure_channel(address) as channel:
        stream = Client(channel, people.token("worker")).jobs(
            "StreamJobs", worker_id="w", queues=["card"], max_jobs=1
        )
        stream.initial_metadata()
        wait_until(lambda: told()["handoff_grpc_streams_open", STREAM] == 1, 10, "an open stream")
        process.kill()
        process.wait()
    assert told()["handoff_grpc_streams_open", STREAM] == 1
    with answering(**shared):
        wait_until(lambda: told()["handoff_grpc_streams_open", STREAM] == 0, 10, "no open stream")

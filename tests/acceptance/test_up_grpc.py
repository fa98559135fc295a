"""`make up` with gRPC: started where a port is named, watched like the others, and started again."""

import os
import signal

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from config.embedded.processes import wait_until
from config.embedded.redis import free_port
from tests.acceptance.conftest import end
from tests.acceptance.running import START_SECONDS, Handoff
from tests.rpc.speaking import Client


@pytest.fixture(scope="module")
def port():
    return free_port()


@pytest.fixture(scope="module")
def served(tmp_path_factory, port):
    """A Handoff that answers gRPC on this port."""
    one = Handoff(tmp_path_factory.mktemp("up") / "home", HANDOFF_GRPC_PORT=str(port))
    one.start_and_wait()
    yield one
    end(one)


def is_serving(port):
    try:
        with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            answer = health_pb2_grpc.HealthStub(channel).Check(health_pb2.HealthCheckRequest(), timeout=2)
        return answer.status == health_pb2.HealthCheckResponse.SERVING
    except grpc.RpcError:
        return False


def test_it_answers_beside_the_others(served, port):
    assert is_serving(port)
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        client = Client(channel, served.worker_token)
        assert not client.jobs("PollJobs", worker_id="w", queues=["none"], max_jobs=1).jobs


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGSTOP], ids=["killed", "hangs"])
def test_it_is_started_again(served, port, number):
    before = served.pids()["grpc"]
    os.kill(before, number)
    wait_until(lambda: served.pids().get("grpc", before) != before, START_SECONDS, "another gRPC process")
    wait_until(lambda: is_serving(port), START_SECONDS, "gRPC")

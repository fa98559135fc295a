"""A second home: with gRPC, started where a port is named, watched and started again; without hints."""

import os
import signal
from pathlib import Path

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from config.embedded.processes import wait_until
from config.embedded.redis import free_port
from tests.acceptance import test_drills as drills
from tests.acceptance.client import Client
from tests.acceptance.conftest import end
from tests.acceptance.running import START_SECONDS, Handoff
from tests.integrations.grpc import speaking

pytestmark = pytest.mark.exhaustive
ADMINS = "a password of the admin"


@pytest.fixture(scope="module")
def port():
    return free_port()


@pytest.fixture(scope="module")
def served(tmp_path_factory, port):
    """A Handoff that answers gRPC on this port, and whose workers are told of nothing."""
    of_its_own = {"HANDOFF_GRPC_PORT": str(port), "HANDOFF_ADMIN_PASSWORD": ADMINS, "HANDOFF_HINTS": "off"}
    one = Handoff(tmp_path_factory.mktemp("second") / "home", **of_its_own)
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


def _keeps_the_admins_password(one: Handoff) -> None:
    """It is the admin's, and in the environment of no process but the supervisor, which was given it."""
    children = {name: pid for name, pid in one.pids().items() if name != "supervisor"}
    for name, pid in children.items():
        given = Path(f"/proc/{pid}/environ").read_bytes()
        assert ADMINS.encode() not in given, name
        assert (b"DATABASE_URL=" in given) == (name not in ("postgres", "redis")), name
    assert not (one.home / "admin-password").exists()
    assert one.admin_token, "the admin logs in with it"


def test_two_homes_run_side_by_side_and_share_nothing(handoff, served):
    one, other = handoff.facts(), served.facts()
    assert all(one[key] != other[key] for key in ("url", "database_url", "redis_url"))
    assert not set(one["pids"].values()) & set(other["pids"].values())
    assert handoff.get("/readyz")[0] == served.get("/readyz")[0] == 200
    _keeps_the_admins_password(served)


def test_every_run_completes_by_polling_alone(served):
    with Client(served) as client:
        client.publish(drills.drill("polling"))
        client.start("polling", drills.RUNS, text=drills.TEXT)
        client.until(drills.COMPLETED_RUNS, drills.RUNS, 90)
        drills.assert_all_went_well(client, drills.RUNS)


def test_it_answers_beside_the_others(served, port):
    assert is_serving(port)
    with grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
        client = speaking.Client(channel, served.worker_token)
        assert not client.jobs("PollJobs", worker_id="w", queues=["none"], max_jobs=1).jobs


@pytest.mark.parametrize(
    "number",
    [
        pytest.param(signal.SIGKILL, id="killed"),
        pytest.param(signal.SIGSTOP, id="hangs"),
    ],
)
def test_it_is_started_again(served, port, number):
    before = served.pids()["grpc"]
    os.kill(before, number)
    wait_until(lambda: served.pids().get("grpc", before) != before, START_SECONDS, "another gRPC process")
    wait_until(lambda: is_serving(port), START_SECONDS, "gRPC")

"""The process that answers gRPC: health, reflection, TLS, its bounds, and how it ends."""

import asyncio
import datetime
import ipaddress
import signal
import subprocess
import sys
from threading import Thread

import grpc
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase

from config.embedded.processes import wait_until
from integrations.grpc import server as rpc_server
from tests.integrations.grpc.speaking import JOBS, RUNS, SERVE, WORKFLOW_ENGINE, Client, answering, told
from tests.serving import ROOT, environment_of_a_process

POLL = {"worker_id": "w1", "queues": ["card"], "max_jobs": 10}
SERVING, NOT_SERVING = health_pb2.HealthCheckResponse.SERVING, health_pb2.HealthCheckResponse.NOT_SERVING


def test_health_is_told_to_whoever_asks(grpc_site):
    with grpc.insecure_channel(grpc_site) as channel:
        stub = health_pb2_grpc.HealthStub(channel)
        for name in ("", JOBS, RUNS, WORKFLOW_ENGINE):
            assert stub.Check(health_pb2.HealthCheckRequest(service=name), timeout=5).status == SERVING
        with pytest.raises(grpc.RpcError) as caught:
            stub.Check(health_pb2.HealthCheckRequest(service="no.Such"), timeout=5)
        assert caught.value.code() is grpc.StatusCode.NOT_FOUND


def test_reflection_is_off_unless_it_is_asked_for(grpc_site):
    with grpc.insecure_channel(grpc_site) as channel, pytest.raises(grpc.RpcError) as caught:
        ProtoReflectionDescriptorDatabase(channel).get_services()
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


def test_what_is_no_method_is_unimplemented(speak):
    nowhere = speak().channel.unary_unary(f"/{JOBS}/Nothing")
    with pytest.raises(grpc.RpcError) as caught:
        nowhere(b"", timeout=5)
    assert caught.value.code() is grpc.StatusCode.UNIMPLEMENTED


def test_bytes_that_are_no_message_are_refused(speak):
    client = speak("worker")
    ask = client.channel.unary_unary(f"/{JOBS}/PollJobs")
    with pytest.raises(grpc.RpcError) as caught:
        ask(b"\xff\xff", timeout=5, metadata=(("authorization", f"Bearer {client.token}"),))
    assert told(caught.value) == {"status": "INVALID_ARGUMENT", "code": "bad_message", "field": None}


def test_a_message_has_a_limit(speak):
    client = speak("admin")
    with pytest.raises(grpc.RpcError) as caught:
        client.runs("StartRun", workflow="pay", input="x" * (9 * 1024 * 1024))
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED


def test_an_answer_has_the_callers_request_id(speak):
    with pytest.raises(grpc.RpcError) as caught:
        speak(None).jobs("PollJobs", metadata={"x-request-id": "mine-1"}, **POLL)
    assert dict(caught.value.trailing_metadata())["x-request-id"] == "mine-1"


@pytest.fixture
def certificate(tmp_path):
    """The files of a certificate for 127.0.0.1 and its key."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "handoff")])
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]), critical=False
        )
        .sign(key, hashes.SHA256())
    )
    cert_file, key_file = tmp_path / "cert.pem", tmp_path / "key.pem"
    cert_file.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    key_file.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
    )
    return cert_file, key_file


def test_with_a_certificate_nothing_is_answered_in_the_clear_and_reflection_tells_of_all_services(
    people, certificate
):
    cert, key = certificate
    given = {"HANDOFF_GRPC_CERT": str(cert), "HANDOFF_GRPC_KEY": str(key), "HANDOFF_GRPC_REFLECTION": "on"}
    with answering(**given) as (address, _):
        trusted = grpc.ssl_channel_credentials(cert.read_bytes())
        with grpc.secure_channel(address, trusted) as channel:
            assert not Client(channel, people.token("worker")).jobs("PollJobs", **POLL).jobs
            _tells_of_all_services(ProtoReflectionDescriptorDatabase(channel))
        with grpc.insecure_channel(address) as channel, pytest.raises(grpc.RpcError) as caught:
            Client(channel, people.token("worker")).jobs("PollJobs", seconds=3.0, **POLL)
        assert caught.value.code() in (grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.DEADLINE_EXCEEDED)


def _tells_of_all_services(known):
    assert {JOBS, RUNS, WORKFLOW_ENGINE, "grpc.health.v1.Health"} <= set(known.get_services())
    file = known.FindFileContainingSymbol(JOBS)
    assert [service.name for service in file.service] == ["Jobs", "Runs"]
    assert known.FindFileContainingSymbol(WORKFLOW_ENGINE).package == "workflow.v1"
    known.FindFileContainingSymbol("grpc.health.v1.Health")


def test_a_stop_lets_calls_end_and_tells_streams(people, pay, start):
    [run] = start()
    with answering() as (address, process), grpc.insecure_channel(address) as channel:
        worker, admin = Client(channel, people.token("worker")), Client(channel, people.token())
        watching = admin.runs("WatchRun", run_id=run)
        assert next(watching).id
        stream = worker.jobs("StreamJobs", worker_id="w", queues=["card"], max_jobs=1)
        assert next(stream).run_id == run
        polled = []
        waiting = Thread(
            target=lambda: polled.append(
                worker.jobs("PollJobs", worker_id="w", queues=["none"], max_jobs=1, wait_seconds=19.0)
            )
        )
        waiting.start()
        health = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest())
        assert next(health).status == SERVING
        process.send_signal(signal.SIGTERM)
        assert next(health).status == NOT_SERVING
        for one in (watching, stream):
            with pytest.raises(grpc.RpcError) as caught:
                list(one)
            assert told(caught.value) == {"status": "UNAVAILABLE", "code": "stopping", "field": None}
        waiting.join(10)
        assert [list(one.jobs) for one in polled] == [[]]
        health.cancel()
        assert process.wait(15) == 0


def test_who_can_not_have_the_port_ends_with_a_line_that_says_what_to_do(monkeypatch, settings):
    class Taken:
        def __init__(self, *_: object) -> None: ...

        async def start(self) -> None:
            raise RuntimeError("Failed to bind to address")

    monkeypatch.setattr(rpc_server, "Server", Taken)
    settings.HANDOFF_GRPC_PORT = 4711
    with pytest.raises(SystemExit, match=r"gRPC can't be served at .*, port 4711: stop what"):
        # `serve` ends what tells pages of this process, too.
        asyncio.run(rpc_server._serve())


@pytest.mark.exhaustive
def test_a_port_that_is_taken_is_told_in_a_line(grpc_site):
    port = grpc_site.rpartition(":")[2]
    environment = environment_of_a_process("grpc") | {"HANDOFF_GRPC_PORT": port}
    done = subprocess.run(
        [sys.executable, "-c", SERVE],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 1
    line = done.stderr.strip().splitlines()[-1]
    assert line == (
        f"gRPC can't be served at 127.0.0.1, port {port}: stop what uses it, or set HANDOFF_GRPC_PORT to another."
    )


def test_jobs_go_on_while_the_database_is_asked_slowly(speak, start):
    """Many calls at once share the threads and connections of the process."""
    start(40)
    worker, got = speak("worker"), []

    def work():
        for job in worker.jobs("PollJobs", worker_id="w", queues=["card"], max_jobs=1, wait_seconds=5.0).jobs:
            worker.jobs("CompleteJob", job_id=job.id, lease_token=job.lease_token, output=1)
            got.append(job.id)

    threads = [Thread(target=work) for _ in range(40)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    wait_until(lambda: len(set(got)) == 40, 5, "all jobs")

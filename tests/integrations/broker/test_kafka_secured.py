"""Kafka by SASL/SCRAM over TLS, as the environment describes it, with a real one."""

from datetime import UTC, datetime, timedelta

import pytest
from confluent_kafka.admin import ScramCredentialInfo, ScramMechanism, UserScramCredentialUpsertion
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from config import kafka_environment
from config.embedded.kafka import Kafka
from config.embedded.redis import free_port
from integrations.broker.broker import Event
from integrations.broker.kafka import KafkaBroker
from tests import kafka_nodes

pytestmark = pytest.mark.kafka
PASSWORD = "a secret, of ours"
EVENT = Event(1, "workflow.jobs.pay", "run", b"value", {"job-id": "j"})


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    """A file with a certificate of `localhost` that signs itself, and one with its key before it."""
    folder = tmp_path_factory.mktemp("tls")
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(key, hashes.SHA256())
    )
    public = made.public_bytes(serialization.Encoding.PEM)
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    (folder / "ca.pem").write_bytes(public)
    (folder / "broker.pem").write_bytes(private + public)
    return folder / "ca.pem", folder / "broker.pem"


@pytest.fixture(scope="module")
def port(certificate, tmp_path_factory):
    """Of a node that asks for a login over TLS; a second port, for these tests, doesn't."""
    folder, port = tmp_path_factory.mktemp("kafka"), free_port()
    plain = Kafka(folder)
    plain.prepare()
    controller = (folder / "controller-port").read_text()
    settings = {
        "listeners": f"PLAINTEXT://{plain.address},SASL_SSL://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}",
        "advertised.listeners": f"PLAINTEXT://{plain.address},SASL_SSL://localhost:{port}",
        "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL,CONTROLLER:PLAINTEXT",
        "sasl.enabled.mechanisms": "SCRAM-SHA-512,SCRAM-SHA-256",
        "ssl.keystore.type": "PEM",
        "ssl.keystore.location": str(certificate[1]),
    }
    for mechanism in ("scram-sha-512", "scram-sha-256"):
        login = "org.apache.kafka.common.security.scram.ScramLoginModule required;"
        settings[f"listener.name.sasl_ssl.{mechanism}.sasl.jaas.config"] = login
    with kafka_nodes.running(folder, settings) as node:
        admin = node.admin
        for mechanism in (ScramMechanism.SCRAM_SHA_512, ScramMechanism.SCRAM_SHA_256):
            told = UserScramCredentialUpsertion(
                "handoff", ScramCredentialInfo(mechanism, 4096), PASSWORD.encode()
            )
            admin.alter_user_scram_credentials([told])["handoff"].result(30)
        yield port


@pytest.fixture
def published(port, certificate, monkeypatch):
    """What becomes of an event in this environment."""
    variables = {
        "HANDOFF_DISPATCH": "kafka_outbox",
        "HANDOFF_KAFKA_SEED_BROKERS": f"localhost:{port}",
        "HANDOFF_KAFKA_TRANSPORT": "sasl_scram_tls",
        "HANDOFF_KAFKA_SASL_USERNAME": "handoff",
        "HANDOFF_KAFKA_SASL_PASSWORD": PASSWORD,
        "HANDOFF_KAFKA_TLS_CA_PATH": str(certificate[0]),
    }

    def do(**others):
        for name, value in (variables | others).items():
            monkeypatch.setenv(name, value)
        broker = KafkaBroker(**kafka_environment.kafka()._asdict())
        try:
            [outcome] = broker.publish([EVENT])
        finally:
            broker.close()
        assert PASSWORD not in outcome.why
        return outcome.verdict.name, outcome.why

    return do


@pytest.mark.parametrize("mechanism", ["", "SCRAM-SHA-256"])
def test_who_logs_in_is_heard(published, mechanism):
    assert published(HANDOFF_KAFKA_SASL_MECHANISM=mechanism) == ("SENT", "")


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("HANDOFF_KAFKA_SASL_PASSWORD", "another one", "uthentication"),
        ("HANDOFF_KAFKA_TLS_CA_PATH", "", "certificate verify failed"),
    ],
)
def test_who_is_not_known_or_does_not_know_the_broker_says_why(published, variable, value, said):
    verdict, why = published(**{variable: value})
    assert verdict == "RETRY"
    assert said in why


def test_a_certificate_has_to_name_the_host(published, port):
    verdict, why = published(HANDOFF_KAFKA_SEED_BROKERS=f"127.0.0.1:{port}")
    assert verdict == "RETRY"
    assert "certificate verify failed" in why

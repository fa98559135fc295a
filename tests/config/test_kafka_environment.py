"""How Kafka is reached, as the environment says it; half of it is refused."""

import os
import subprocess
import sys

import pytest

from config import hint_findings, kafka_environment, understanding
from tests.families import shown
from tests.serving import ROOT

SCRAM = {
    "HANDOFF_KAFKA_SEED_BROKERS": "kafka-1.example.org:9093, kafka-2.example.org:9093",
    "HANDOFF_KAFKA_TRANSPORT": "sasl_scram_tls",
    "HANDOFF_KAFKA_SASL_USERNAME": "handoff",
    "HANDOFF_KAFKA_SASL_PASSWORD": "secret of ours",
}


@pytest.fixture
def given(monkeypatch):
    """Sets variables, in the mode that needs them."""
    monkeypatch.setenv("HANDOFF_DISPATCH", "kafka_outbox")

    def do(**variables):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)

    return do


def test_in_other_modes_nothing_is_asked(monkeypatch):
    monkeypatch.setenv("HANDOFF_DISPATCH", "polling")
    monkeypatch.setenv("HANDOFF_KAFKA_SEED_BROKERS", "nonsense")
    assert kafka_environment.problems() == []
    assert not kafka_environment.is_used()


def test_without_secrets_it_is_plaintext(given):
    given(HANDOFF_KAFKA_SEED_BROKERS="localhost:9092,[::1]:9092")
    assert kafka_environment.problems() == []
    assert kafka_environment.kafka() == (
        {
            "bootstrap.servers": "localhost:9092,[::1]:9092",
            "client.id": "handoff",
            "security.protocol": "PLAINTEXT",
        },
        6,
        True,
        1_000_000,
    )


def test_scram_over_tls(given, tmp_path):
    ca = tmp_path / "ca.pem"
    ca.write_text("")
    given(**SCRAM, HANDOFF_KAFKA_TLS_CA_PATH=str(ca), HANDOFF_KAFKA_SASL_MECHANISM="scram-sha-256")
    assert kafka_environment.problems() == []
    assert kafka_environment.client() == {
        "bootstrap.servers": "kafka-1.example.org:9093,kafka-2.example.org:9093",
        "client.id": "handoff",
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "SCRAM-SHA-256",
        "sasl.username": "handoff",
        "sasl.password": "secret of ours",
        "ssl.endpoint.identification.algorithm": "https",
        "ssl.ca.location": str(ca),
    }


def test_the_public_engines_names_are_understood_and_ours_win(given):
    given(**{name.replace("HANDOFF_", "WE_"): value for name, value in SCRAM.items()})
    assert kafka_environment.problems() == []
    given(HANDOFF_KAFKA_SEED_BROKERS="other:9093")
    client = kafka_environment.client()
    assert (client["bootstrap.servers"], client["sasl.password"]) == ("other:9093", "secret of ours")
    assert client["sasl.mechanism"] == "SCRAM-SHA-512"


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("HANDOFF_KAFKA_SEED_BROKERS", "localhost"),
        ("HANDOFF_KAFKA_SEED_BROKERS", "localhost:0"),
        ("HANDOFF_KAFKA_SEED_BROKERS", "localhost:65536"),
        ("HANDOFF_KAFKA_SEED_BROKERS", "SASL_SSL://localhost:9092"),
        ("HANDOFF_KAFKA_SEED_BROKERS", ",".join(f"b{number}:9092" for number in range(51))),
        ("WE_KAFKA_TRANSPORT", "tls"),
        ("HANDOFF_KAFKA_SASL_USERNAME", "x" * 501),
        ("HANDOFF_KAFKA_SASL_PASSWORD", "two\nlines"),
        ("HANDOFF_KAFKA_SASL_MECHANISM", "PLAIN"),
        ("HANDOFF_KAFKA_TLS_CA_PATH", "/nowhere/ca.pem"),
        ("HANDOFF_KAFKA_TLS_CA_PATH", "/tmp"),
        ("HANDOFF_KAFKA_TLS_SERVER_NAME", "kafka.example.org"),
        ("HANDOFF_KAFKA_PARTITIONS", "0"),
        ("HANDOFF_KAFKA_MAX_BYTES", "many"),
        ("HANDOFF_KAFKA_CREATE_TOPICS", "maybe"),
        ("HANDOFF_KAFKA", "docker"),
    ],
)
def test_what_means_nothing_is_a_line_that_names_the_variable(given, monkeypatch, variable, value):
    given(**SCRAM)
    if variable.startswith("WE_"):
        monkeypatch.delenv(variable.replace("WE_", "HANDOFF_"))
    given(**{variable: value})
    [problem] = understanding.problems()
    assert problem.startswith(variable)
    assert "secret" not in problem
    assert "two" not in problem


@pytest.mark.parametrize("missing", ["USERNAME", "PASSWORD"])
def test_half_of_a_login_is_refused(given, monkeypatch, missing):
    given(**SCRAM)
    monkeypatch.delenv(f"HANDOFF_KAFKA_SASL_{missing}")
    [problem] = kafka_environment.problems()
    assert problem == f"HANDOFF_KAFKA_TRANSPORT=sasl_scram_tls needs HANDOFF_KAFKA_SASL_{missing}, too."


@pytest.mark.parametrize(
    "variable", ["WE_KAFKA_SASL_PASSWORD", "HANDOFF_KAFKA_SASL_USERNAME", "HANDOFF_KAFKA_TLS_CA_PATH"]
)
def test_secrets_never_go_in_plain_text(given, variable):
    """Whoever sets one wants it used."""
    given(HANDOFF_KAFKA_SEED_BROKERS="localhost:9092", **{variable: "something"})
    [problem] = kafka_environment.problems()
    assert problem.startswith(f"{variable} has no effect without HANDOFF_KAFKA_TRANSPORT=sasl_scram_tls")


@pytest.mark.parametrize(
    ("brokers", "is_open"),
    [
        ("localhost:9092,127.0.0.1:9092,[::1]:9092", False),
        ("localhost:9092,kafka:9092", True),
        ("10.0.0.7:9092", True),
        ("[2001:db8::1]:9092", True),
    ],
)
def test_it_is_known_where_jobs_can_be_read_on_the_way(given, brokers, is_open):
    given(HANDOFF_KAFKA_SEED_BROKERS=brokers)
    assert kafka_environment.is_open() is is_open
    given(**SCRAM | {"HANDOFF_KAFKA_SEED_BROKERS": brokers})
    assert not kafka_environment.is_open()


def test_the_doctor_says_where_it_is(given, settings):
    settings.HANDOFF_DISPATCH, settings.HANDOFF_BROKER = "polling", "kafka"
    for brokers, mark in (("localhost:9092", "ok"), ("kafka:9092", "warn")):
        given(HANDOFF_KAFKA_SEED_BROKERS=brokers)
        settings.HANDOFF_KAFKA = kafka_environment.kafka()._asdict()
        [found] = hint_findings.messages(runs=False, database_answers=False)
        assert (found.level, brokers in found.text) == (mark, True)


def test_somebody_has_to_say_where_it_is(given, monkeypatch, tmp_path):
    monkeypatch.setenv("HANDOFF_HOME", str(tmp_path))
    [problem] = kafka_environment.problems()
    assert problem == "Set HANDOFF_KAFKA_SEED_BROKERS, or HANDOFF_KAFKA=embedded to try it out."
    (tmp_path / "run.json").write_text('{"kafka_brokers": "127.0.0.1:29092"}')
    assert kafka_environment.problems() == []
    assert kafka_environment.client()["bootstrap.servers"] == "127.0.0.1:29092"


def test_one_of_our_own_and_others_exclude_each_other(given):
    given(HANDOFF_KAFKA="embedded", WE_KAFKA_SEED_BROKERS="localhost:9092")
    assert kafka_environment.problems() == [
        "WE_KAFKA_SEED_BROKERS and HANDOFF_KAFKA=embedded exclude each other."
    ]


def test_one_of_our_own_is_nowhere_until_it_runs(given, monkeypatch, tmp_path):
    """Commands work meanwhile."""
    monkeypatch.setenv("HANDOFF_HOME", str(tmp_path))
    given(HANDOFF_KAFKA="embedded")
    assert kafka_environment.kafka().client["bootstrap.servers"] == ""
    assert not kafka_environment.is_open()


def test_one_of_our_own_without_its_mode_is_a_line(monkeypatch):
    monkeypatch.setenv("HANDOFF_KAFKA", "embedded")
    [problem] = kafka_environment.problems()
    assert problem.startswith("HANDOFF_KAFKA has no effect without HANDOFF_DISPATCH=kafka_outbox")


def test_without_its_client_the_start_is_refused(given, monkeypatch):
    given(HANDOFF_KAFKA="embedded")
    assert kafka_environment.problems() == []
    monkeypatch.setattr(kafka_environment, "find_spec", lambda name: None)
    assert kafka_environment.problems() == [
        "Kafka's client is not installed: pip install 'handoff[kafka]', or confluent-kafka itself."
    ]


@pytest.mark.parametrize("mode", shown(["hints", "polling"], 1))
def test_other_modes_import_nothing_of_kafka(mode):
    script = (
        "import django, sys; django.setup(); import config.nursery, config.doctor, config.supervisor.supervise;"
        "config.nursery.load();"
        "print([name for name in sys.modules if name.startswith(('confluent_kafka', 'integrations.broker.kafka'))])"
    )
    variables = {"DJANGO_SETTINGS_MODULE": "config.settings", "HANDOFF_DISPATCH": mode}
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=ROOT,
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "[]", done.stderr

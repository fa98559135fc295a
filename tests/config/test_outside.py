"""What steps may reach: our own servers are kept from them, and settings that can't be meant stop the start."""

import pytest
from django.apps import apps
from django.conf import settings

from config import doctor, environment
from config.startup import NotStartable, prepare
from lib.egress import EgressRefused
from steps import outside


@pytest.mark.parametrize(
    ("database", "redis", "servers"),
    [
        (
            "postgresql://me:pw@db.example:5433/x",
            "redis://:pw@cache.example:6380/1",
            {("db.example", 5433), ("cache.example", 6380)},
        ),
        (
            "postgresql://me@db.example/x",
            "rediss://cache.example",
            {("db.example", 5432), ("cache.example", 6379)},
        ),
        (
            "postgresql://me@/x?host=db.example&port=5434",
            "redis://[::1]:6380",
            {("db.example", 5434), ("::1", 6380)},
        ),
        ("postgresql://me@/x?host=/run/pg", "unix:///run/r.sock?db=1", set()),
    ],
)
def test_database_redis_and_web_are_ours_but_for_unix_sockets(database, redis, servers):
    found = environment.own_servers(database, redis, ("127.0.0.1", 8000), ("127.0.0.1", 0))
    assert set(found) == {("127.0.0.1", 8000), *servers}


@pytest.fixture
def started(monkeypatch, settings):
    """As a process knows it after its start."""
    settings.HANDOFF_GRPC_PORT, settings.HANDOFF_GRPC_HOST = 7_443, "0.0.0.0"
    monkeypatch.setenv("HANDOFF_EGRESS_ALLOW", "0.0.0.0/0,::/0")
    monkeypatch.setattr(outside, "_own", ())
    apps.get_app_config("house").ready()


@pytest.mark.parametrize("port", [settings.HANDOFF_PORT, 7_443], ids=["web", "gRPC"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.8.8.8", "[::1]", "[::ffff:127.0.0.1]"])
def test_no_step_reaches_our_own_web_or_grpc_whatever_is_allowed(started, host, port):
    with pytest.raises(EgressRefused, match="is a server of this system itself"):
        outside.egress().request(
            "GET",
            f"http://{host}:{port}/healthz",
            headers={},
            content=None,
            timeout_seconds=5,
            max_bytes=100,
        )


@pytest.mark.parametrize(
    ("variable", "value"),
    [("HANDOFF_EGRESS_ALLOW", "10.0.0.5/8"), ("HANDOFF_SMTP_URL", "mail"), ("HANDOFF_MAIL_FROM", "me")],
)
def test_a_setting_that_cannot_be_meant_stops_the_start_in_one_line(monkeypatch, variable, value):
    monkeypatch.setenv(variable, value)
    with pytest.raises(NotStartable, match=variable) as refused:
        prepare(print)
    assert "\n" not in str(refused.value)
    [finding] = doctor._steps()
    assert (finding.level, f"{finding.text}.") == ("problem", str(refused.value))


def test_the_doctor_says_where_mail_goes(monkeypatch):
    assert (
        next(doctor._steps()).text
        == "HANDOFF_SMTP_URL is not set: mail of steps is only logged, and nobody gets mail about tasks"
    )
    monkeypatch.setenv("HANDOFF_SMTP_URL", "smtp://me:pw@mail.example.org")
    assert next(doctor._steps()).level == "warn"
    monkeypatch.setenv("HANDOFF_MAIL_FROM", "handoff@example.org")
    assert next(doctor._steps()).text == "mail goes to mail.example.org at port 587"

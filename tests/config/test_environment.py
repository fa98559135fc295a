"""How addresses are read."""

import pytest

from config import environment


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("redis://:pw@127.0.0.1:6379/2", "redis://:pw@127.0.0.1:6379/2"),
        ("unix:///run/r.sock?db=3&password=p%40w", "redis+socket://:p%40w@/run/r.sock?virtual_host=3"),
        ("unix://:pw@/run/r.sock", "redis+socket://:pw@/run/r.sock?virtual_host=0"),
    ],
)
def test_a_redis_url_is_spelled_for_celery(url, expected):
    assert environment.broker_url(url) == expected


def test_a_database_url_may_name_a_socket_folder():
    described = environment.database_of("postgresql://me:p%2Fw@/db?host=/run/pg&port=5433&sslmode=disable")
    assert described["OPTIONS"]["sslmode"] == "disable"
    assert (
        described.items()
        >= {"NAME": "db", "USER": "me", "PASSWORD": "p/w", "HOST": "/run/pg", "PORT": "5433"}.items()
    )


def test_only_the_web_process_has_a_pool_and_it_keeps_the_other_options():
    database = environment.database_of("postgresql://me@h/db?sslmode=require")
    web = environment.connected_as("web", database)
    assert web["OPTIONS"]["sslmode"] == "require"
    assert web["OPTIONS"]["pool"]["max_size"] == 10
    assert "pool" not in environment.connected_as("worker", database)["OPTIONS"]


def test_a_process_without_a_home_has_no_facts(monkeypatch, tmp_path):
    monkeypatch.setenv("HANDOFF_HOME", str(tmp_path / "nothing"))
    assert environment.run_facts() == {}

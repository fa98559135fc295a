"""`make up` in the life of one home: ready, kills, stops, starts (points 1 and 2 of the first issue)."""

import os
import signal
import socket
import stat
from contextlib import suppress

import psycopg
import pytest
import redis

from config.embedded.processes import wait_until
from tests.acceptance.running import ROOT, is_alive, none_alive
from tests.families import exhaustive

WORKERS = {"worker-default-1", "worker-default-2", "worker-blocking", "worker-engine", "worker-ticks"}


def _kill(handoff, name):
    """SIGKILL one process and wait until another has its name in run.json and everything is ready again."""
    old = handoff.pids()[name]
    os.kill(old, signal.SIGKILL)
    wait_until(lambda: handoff.pids().get(name) not in (old, None), 30, f"another {name}")
    wait_until(lambda: handoff.get("/readyz")[0] == 200, 60, "Handoff after the kill")
    return handoff.pids()[name]


def test_run_json_says_where_everything_is(handoff):
    facts = handoff.facts()
    assert facts["url"] == f"http://127.0.0.1:{handoff.port}"
    assert set(facts["pids"]) >= WORKERS | {"supervisor", "postgres", "redis", "web", "beat"}
    assert all(is_alive(pid) for pid in facts["pids"].values())
    with psycopg.connect(facts["database_url"]) as connection:
        assert connection.execute("SELECT current_user").fetchone() == ("handoff",)
    with redis.Redis.from_url(facts["redis_url"]) as client:
        assert client.ping()


def test_the_home_and_its_secrets_are_private(handoff):
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in handoff.home.iterdir()}
    assert stat.S_IMODE(handoff.home.stat().st_mode) == 0o700
    assert {modes[name] for name in ("run.json", "admin-password", "secret-key", "master-key")} == {0o600}


def test_it_holds_the_packages_that_it_runs_from(handoff):
    """So that nobody makes `.venv` anew below it."""
    held = ROOT / ".venv" / "handoff-homes" / str(handoff.pids()["supervisor"])
    assert held.read_text() == str(handoff.home)


def test_the_output_ends_with_url_and_login(handoff):
    said = handoff.said()
    assert f"Handoff is ready at http://127.0.0.1:{handoff.port}" in said
    # The first start prints the password, a later one says where it is kept: other modules have started this home.
    assert str(handoff.home / "admin-password") in said


def test_health_and_readiness_answer(handoff):
    assert handoff.get("/healthz")[0] == 200
    assert handoff.get("/readyz")[0] == 200


def test_manage_py_finds_the_running_servers_by_run_json(handoff):
    result = handoff.manage("doctor")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "the schema is up to date" in result.stdout
    assert "the database role that Handoff works with can't delete runs or change evidence" in result.stdout


def test_a_websocket_is_refused_and_not_left_hanging(handoff):
    with socket.create_connection(("127.0.0.1", handoff.port), 10) as client:
        client.sendall(
            b"GET /ws/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
            b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
        )
        assert client.recv(4096).startswith(b"HTTP/1.1 403")


def test_a_body_over_the_cap_is_refused_before_django_sees_it(handoff):
    with socket.create_connection(("127.0.0.1", handoff.port), 30) as client:
        client.sendall(b"POST /api/v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9000000\r\n\r\n")
        client.sendall(b"x" * 9_000_000)
        assert client.recv(4096).startswith(b"HTTP/1.1 413")


def test_each_worker_process_has_an_identity_of_its_own(handoff):
    with psycopg.connect(handoff.facts()["database_url"]) as connection:
        pids = {pid for (pid,) in connection.execute("SELECT pid FROM runs_worker").fetchall()}
    assert pids >= {handoff.pids()[name] for name in WORKERS}


@pytest.mark.parametrize("name", ["worker-default-1", "web", "beat", "redis", "postgres", "nursery"])
def test_what_is_killed_is_started_again_and_run_json_follows(handoff, name):
    before = handoff.facts()
    new = _kill(handoff, name)
    after = handoff.facts()
    assert is_alive(new)
    assert {key: after[key] for key in ("url", "database_url", "redis_url")} == {
        key: before[key] for key in ("url", "database_url", "redis_url")
    }


def test_a_second_supervisor_on_the_same_home_is_told_so(handoff):
    second = type(handoff)(handoff.home)
    second.output = handoff.home.parent / "second.output"
    [line] = second.refusal()
    assert line.startswith("Handoff cannot start: Another Handoff (pid ")
    assert handoff.get("/healthz")[0] == 200


def test_a_taken_port_is_one_clear_line(handoff, tmp_path):
    second = type(handoff)(tmp_path / "home")
    second.port = handoff.port
    [line] = second.refusal()
    assert line.startswith(f"Handoff cannot start: Port {handoff.port} is taken")
    assert not second.facts()


def test_after_kill_9_of_the_supervisor_all_are_gone_and_the_next_start_finds_its_data(handoff):
    with psycopg.connect(handoff.facts()["database_url"], autocommit=True) as connection:
        connection.execute("INSERT INTO accounts_tenant (slug, name) VALUES ('kept', 'still here')")
    pids = handoff.pids()
    os.kill(pids["supervisor"], signal.SIGKILL)
    wait_until(lambda: none_alive(pids), 10, "the end of everything")
    handoff.process.wait(10)
    handoff.start_again()
    with psycopg.connect(handoff.facts()["database_url"]) as connection:
        assert connection.execute("SELECT name FROM accounts_tenant WHERE slug = 'kept'").fetchone() == (
            "still here",
        )


def test_a_start_right_after_kill_9_of_everything_works(handoff):
    for pid in handoff.pids().values():
        # With the supervisor its children end, some of them before it is their turn.
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    handoff.process.wait(10)
    handoff.start_again()
    assert handoff.get("/readyz")[0] == 200


def _to_the_supervisor(handoff):
    os.kill(handoff.pids()["supervisor"], signal.SIGTERM)


def _to_make(handoff):
    handoff.process.send_signal(signal.SIGTERM)


def _by_ctrl_c(handoff):
    os.killpg(handoff.process.pid, signal.SIGINT)


@pytest.mark.parametrize("send", [exhaustive(_to_the_supervisor), exhaustive(_to_make), _by_ctrl_c])
def test_a_signal_stops_all_cleanly(handoff, send):
    if handoff.ended():
        handoff.start_and_wait()
    pids = handoff.pids()
    send(handoff)
    handoff.process.wait(60)
    wait_until(lambda: not is_alive(pids["supervisor"]), 60, "the supervisor's end")
    assert "Handoff has stopped" in handoff.said()
    assert "Traceback" not in handoff.said()
    assert not handoff.facts()
    assert none_alive(pids)
    assert stat.S_IMODE(handoff.home.stat().st_mode) == 0o700

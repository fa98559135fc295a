"""The doctor works when nothing runs and says what to do."""

import os
import socket
import subprocess
import sys

import pytest
from django.core.management import call_command

from accounts.sealed import ring_of
from config import doctor
from config.embedded.redis import free_port
from config.supervisor.home import Home
from lib import tracing
from lib.sealing import new_key
from tests import factories as make


def _lines(check):
    return [(finding.level, finding.text, finding.advice) for finding in check()]


@pytest.mark.django_db
def test_problems_are_shown_and_make_the_exit_code_1(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("HANDOFF_HOME", str(tmp_path / "home"))
    with pytest.raises(SystemExit) as ended:
        call_command("doctor")
    said = capsys.readouterr().out
    assert ended.value.code == 1  # the tests' own server has fsync off
    assert "problem  The database has fsync=off: set it to on." in said
    assert "ok       Handoff is not running here" in said


def test_a_home_open_to_others_is_a_problem(monkeypatch, tmp_path):
    tmp_path.chmod(0o755)
    monkeypatch.setenv("HANDOFF_HOME", str(tmp_path))
    assert _lines(doctor._home)[0] == (
        "problem",
        f"the home {tmp_path} is open to other users",
        f"run: chmod 700 {tmp_path}",
    )


def test_a_secret_that_others_may_read_is_a_problem(monkeypatch, tmp_path):
    tmp_path.chmod(0o700)
    (tmp_path / "admin-password").write_text("x")
    (tmp_path / "admin-password").chmod(0o644)
    monkeypatch.setenv("HANDOFF_HOME", str(tmp_path))
    assert ("problem", "others may read admin-password") in {line[:2] for line in _lines(doctor._home)}


def test_a_taken_port_is_a_problem(monkeypatch, tmp_path):
    monkeypatch.setenv("HANDOFF_HOME", str(tmp_path))
    with socket.create_server(("127.0.0.1", free_port())) as other:
        monkeypatch.setenv("HANDOFF_PORT", str(other.getsockname()[1]))
        assert _lines(doctor._port)[0][0] == "problem"


def test_run_json_of_a_killed_handoff_is_no_running_one():
    """Even where another process has one of its pids by now."""
    facts = {"url": "http://x", "pids": {"web": os.getpid()}}
    [finding] = doctor._running(facts, runs=False)
    assert finding.level == "warn"
    assert "was killed" in finding.text


def test_of_a_killed_handoff_nothing_else_is_asked(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("HANDOFF_HOME", str(tmp_path))
    monkeypatch.delenv("DATABASE_URL")
    monkeypatch.delenv("REDIS_URL")
    tmp_path.chmod(0o700)
    (tmp_path / "run.json").touch(0o600)
    (tmp_path / "run.json").write_text('{"url": "http://127.0.0.1:1", "pids": {"web": 1}}')
    call_command("doctor")
    said = capsys.readouterr().out
    assert said.splitlines()[-1].startswith("warn     run.json is left from a Handoff that was killed")
    assert "answers" not in said
    assert " is ours" not in said


def test_the_port_is_that_of_the_handoff_that_runs(monkeypatch, tmp_path):
    monkeypatch.setenv("HANDOFF_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("HANDOFF_PORT", raising=False)
    home = Home(tmp_path / "home")
    with home.open():
        home.write_run_file({"url": "http://127.0.0.1:8400", "pids": {"supervisor": os.getpid()}})
        assert _lines(doctor._port) == [("ok", "port 8400 is ours", "")]
    assert "8400" not in _lines(doctor._port)[0][1]


@pytest.mark.parametrize(
    ("files", "level", "said"),
    [
        ({}, "ok", "will be made at the first start"),
        (
            {"secret-key": "x", "master-key": "3iqSSC4OEk3XaBGkTgGvbFMVpHSrfWkKS2o6ZcIkz4M"},
            "ok",
            "there is a master key",
        ),
        ({"secret-key": "x"}, "problem", "there is no master key"),
        ({"secret-key": "x", "master-key": ""}, "problem", "can't be read or is empty"),
        ({"master-key": "too short"}, "problem", "must be base64 of 32 bytes"),
    ],
)
def test_a_master_key_that_is_missing_or_unreadable_is_a_problem(monkeypatch, tmp_path, files, level, said):
    monkeypatch.setenv("HANDOFF_HOME", str(tmp_path))
    monkeypatch.delenv("HANDOFF_MASTER_KEY", raising=False)
    monkeypatch.delenv("HANDOFF_SECRET_KEY", raising=False)
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    [finding] = doctor._master_key()
    assert finding.level == level
    assert said in finding.text


@pytest.mark.django_db
def test_secrets_that_the_master_key_does_not_open_are_a_problem(settings):
    ring_of(make.a_tenant().pk)
    assert list(doctor._belonging()) == []
    settings.HANDOFF_MASTER_KEYS = (new_key(),)
    ring_of(make.TenantFactory(slug="another").pk)
    [finding] = doctor._belonging()
    assert finding.level == "problem"
    assert "opens no secrets of 1 tenants" in finding.text


@pytest.mark.parametrize(
    ("theirs", "said"),
    [
        (
            {"HANDOFF_SMTP_URL": "smtp://mail.example.org:2525", "HANDOFF_MAIL_FROM": "handoff@example.org"},
            "mail goes to mail.example.org at port 2525",
        ),
        ({}, "HANDOFF_SMTP_URL is not set"),
    ],
)
def test_whether_people_are_mailed_is_what_the_server_that_runs_was_started_with(
    monkeypatch, tmp_path, theirs, said
):
    """This terminal says the opposite."""
    sender = {"HANDOFF_MAIL_FROM": "handoff@example.org"}
    ours = {} if theirs else {"HANDOFF_SMTP_URL": "smtp://other.example.org:25", **sender}
    for name in ("HANDOFF_SMTP_URL", "HANDOFF_MAIL_FROM"):
        monkeypatch.delenv(name, raising=False)
    for name, value in ours.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HANDOFF_HOME", str(tmp_path / "home"))
    home = Home(tmp_path / "home")
    web = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, env=theirs)
    try:
        with home.open():
            home.write_run_file({"url": "http://127.0.0.1:8400", "pids": {"web": web.pid}})
            assert said in _lines(doctor._steps)[-1][1]
    finally:
        web.communicate(b"\n")
    # Where none runs, this terminal is all that there is to go by.
    assert ("other.example.org" if ours else "is not set") in _lines(doctor._steps)[-1][1]


def test_payloads_are_tried(settings, tmp_path):
    assert list(doctor._payloads()) == []
    settings.HANDOFF_BLOBS = (tmp_path / "payloads").as_uri()
    assert _lines(doctor._payloads) == [("ok", f"large payloads are kept in {settings.HANDOFF_BLOBS}", "")]
    assert [path for path in (tmp_path / "payloads").rglob("*") if path.is_file()] == []
    (tmp_path / "a file").touch()
    settings.HANDOFF_BLOBS = (tmp_path / "a file").as_uri()
    [(level, text, advice)] = _lines(doctor._payloads)
    assert (level, "HANDOFF_BLOBS" in advice) == ("problem", True)
    assert "can't be used" in text


def test_an_open_tenant_is_told_loudly(monkeypatch):
    monkeypatch.delenv("HANDOFF_V1_OPEN_TENANT", raising=False)
    assert _lines(doctor._open_tenant) == []
    monkeypatch.setenv("HANDOFF_V1_OPEN_TENANT", "default")
    [(level, text, advice)] = _lines(doctor._open_tenant)
    assert level == "warn"
    assert "the tenant default by /v1/, without a token" in text
    assert "HANDOFF_V1_OPEN_TENANT" in advice


def test_spans_that_are_wanted_need_the_extra(monkeypatch):
    for name in tracing.VARIABLES:
        monkeypatch.delenv(name, raising=False)
    assert _lines(doctor._spans) == []
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318")
    assert _lines(doctor._spans) == [("ok", "attempts and runs are exported as spans", "")]
    monkeypatch.setattr(tracing, "is_installed", lambda: False)
    text = "OTEL_EXPORTER_OTLP_ENDPOINT is set, and the extra otel is not installed"
    assert _lines(doctor._spans) == [("problem", text, "install handoff[otel]")]

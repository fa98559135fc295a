"""Handoff as a checkout and as an installed package: where things are, and what a person types."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from config import command_line, environment
from config.embedded import redis


def test_a_checkout_has_its_home_and_files_in_itself(monkeypatch, tmp_path):
    monkeypatch.delenv("HANDOFF_HOME")
    monkeypatch.chdir(tmp_path)
    assert environment.home() == environment.BASE_DIR / ".handoff"
    assert environment.resource("templates") == environment.BASE_DIR / "templates"
    assert environment.command("up") == "make up"


def test_a_package_has_its_home_in_the_current_folder_and_its_files_within_config(monkeypatch, tmp_path):
    monkeypatch.delenv("HANDOFF_HOME")
    monkeypatch.setattr(environment, "IS_CHECKOUT", False)
    monkeypatch.chdir(tmp_path)
    assert environment.home() == tmp_path / ".handoff"
    assert environment.resource("static") == environment.BASE_DIR / "config" / "static"
    assert environment.command("doctor") == "handoff doctor"


def test_what_is_typed_often_is_short_and_all_else_is_django_s(monkeypatch):
    typed = []
    monkeypatch.setattr(command_line, "execute_from_command_line", typed.append)
    command_line.main(["handoff", "run", "digest", "--input", "run"])
    command_line.main(["handoff", "print", "digest"])
    command_line.main(["handoff", "publish", "digest.py"])
    command_line.main(["handoff", "migrate", "run"])
    command_line.main(["handoff"])
    assert typed == [
        ["handoff", "run_workflow", "digest", "--input", "run"],
        ["handoff", "print_workflow", "digest"],
        ["handoff", "publish_workflow", "digest.py"],
        ["handoff", "migrate", "run"],
        ["handoff"],
    ]


def test_the_version_is_that_of_handoff(capsys):
    command_line.main(["handoff", "--version"])
    assert capsys.readouterr().out == f"Handoff {command_line.release()}\n"


def test_a_checkout_has_the_command_too():
    program = Path(sys.executable).parent / "handoff"
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("Handoff ")


@pytest.mark.parametrize("name", ["redis-server", "valkey-server"])
def test_without_a_wheel_the_server_of_the_machine_is_used(name, monkeypatch, tmp_path):
    program = tmp_path / name
    program.write_text("#!/bin/sh")
    program.chmod(0o755)
    monkeypatch.setattr(redis, "_PACKAGE", "no_such_package")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert redis.binary() == program
    program.unlink()
    with pytest.raises(redis.EmbeddedError, match="install redis-server or valkey-server"):
        redis.binary()


def test_the_server_is_a_supported_valkey():
    done = subprocess.run([redis.binary(), "--version"], capture_output=True, text=True, check=True)
    assert re.match(r"Valkey server v=(9|\d\d)\.", done.stdout)


@pytest.mark.parametrize("version", [(3, 9, 2), (3, 15, 0)])
def test_a_python_that_does_not_fit_is_told_what_to_install(version):
    pretended = f"import sys; sys.version_info = {version}"
    run = f"{pretended}; import runpy; runpy.run_path('scripts/bootstrap', run_name='__main__')"
    done = subprocess.run(
        [sys.executable, "-c", run],
        cwd=environment.BASE_DIR,
        env={**os.environ, "PATH": "/nowhere"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith(
        f"handoff: Handoff needs Python 3.11 to 3.14 and this is 3.{version[1]}: install one"
    )

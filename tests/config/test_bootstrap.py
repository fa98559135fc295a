"""Of which build of Python `.venv` is made (`scripts/bootstrap`)."""

import contextlib
import fcntl
import importlib.machinery
import importlib.util
import json
import os
import select
import shutil
import signal
import subprocess
import sys
import venv
from pathlib import Path
from threading import Thread

import pytest

from config.embedded.processes import wait_until
from config.supervisor.packages import held
from tests.serving import ROOT

HERE = list(sys.version_info[:2])
ELSEWHERE = [HERE[0], HERE[1] - 1]


@pytest.fixture
def builds(tmp_path, monkeypatch):
    """Pythons that say of themselves what they are given; the first is the one that asks."""
    paths = []

    def made(*facts):
        for number, fact in enumerate(facts):
            folder = tmp_path / str(number)
            folder.mkdir()
            path = folder / f"python{HERE[0]}.{HERE[1]}"
            path.write_text(f"#!/bin/sh\n{fact(path) if callable(fact) else fact}\n")
            path.chmod(0o755)
            paths.append(path)
        monkeypatch.setenv("PATH", ":".join(str(path.parent) for path in paths[1:]))
        monkeypatch.setattr(sys, "executable", str(paths[0]))
        return paths

    return made


def says(seconds, version=HERE, is_itself=True):
    return lambda path: f"echo '{json.dumps([version, is_itself, str(path), seconds])}'"


@pytest.fixture
def checkout(tmp_path):
    """The bootstrap of a checkout that has nothing else yet."""
    folder = tmp_path / "checkout"
    (folder / "scripts").mkdir(parents=True)
    for name in ("scripts/bootstrap", "requirements.txt", "requirements-dev.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, folder / name)
    return bootstrap_of(folder)


def bootstrap_of(folder):
    loader = importlib.machinery.SourceFileLoader("bootstrap", str(folder / "scripts" / "bootstrap"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("bootstrap", loader))
    loader.exec_module(module)
    return module


@pytest.fixture
def faster_build(checkout):
    return checkout.faster_build


@pytest.fixture
def installed(checkout, monkeypatch):
    """A checkout with its environment; what is installed into it from now on, and each time that it is made anew."""
    done = []
    monkeypatch.setattr(checkout, "by_uv_or_pip", lambda arguments, what: done.append(what))
    venv.create(checkout.VENV, with_pip=False)
    checkout.main([])
    assert done == ["The packages of requirements.txt", "This checkout"]
    done.clear()
    python = checkout.ROOT / "python3"
    python.write_text(f'#!/bin/sh\necho "$@" >> {checkout.ROOT}/asked\nrm {checkout.MARKER}\n')
    python.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(python))

    def asked():
        path = checkout.ROOT / "asked"
        return path.read_text().splitlines() if path.exists() else []

    return done, asked


def test_a_build_that_is_clearly_faster_is_taken(builds, faster_build):
    paths = builds(says(0.020), says(0.016), says(0.012), says(0.019))
    assert faster_build() == str(paths[2])


@pytest.mark.parametrize(
    "other",
    [
        says(0.018),
        says(0.001, ELSEWHERE),
        says(0.001, is_itself=False),
        "echo nonsense",
        "exit 1",
        "exec /nowhere",
    ],
    ids=["a little faster", "another version", "somebody's environment", "nonsense", "an error", "a stub"],
)
def test_others_are_not(builds, faster_build, other):
    builds(says(0.020), other)
    assert faster_build() is None


def at_first(seconds, later):
    """One that says so while something else slows it down, and otherwise from then on."""

    def fact(path):
        then = says(later)(path)
        return f"if [ -e {path}.asked ]; then {then}; else {says(seconds)(path)}; : > {path}.asked; fi"

    return fact


@pytest.mark.parametrize(
    ("asks", "other", "is_taken"),
    [
        (says(0.020), at_first(0.030, 0.012), True),
        (at_first(0.030, 0.014), says(0.013), False),
    ],
    ids=["the faster one", "the one that asks"],
)
def test_what_runs_beside_the_measurement_does_not_decide(builds, faster_build, asks, other, is_taken):
    paths = builds(asks, other)
    assert faster_build() == (str(paths[1]) if is_taken else None)


@pytest.mark.parametrize("which", [0, 1], ids=["the one that asks", "the other"])
def test_a_build_that_fails_in_a_further_turn_is_asked_no_more(builds, faster_build, which):
    def once(path):
        again = f"[ -e {path}.asked ] && echo >> {path}.asked && exit 1"
        return f"{again}; echo >> {path}.asked; {says((0.020, 0.001)[which])(path)}"

    facts = [says(0.020), says(0.001)]
    facts[which] = once
    paths = builds(*facts)
    assert faster_build() is None
    assert Path(f"{paths[which]}.asked").read_text().count("\n") == 2


def test_who_asks_in_an_environment_stays_there(builds, faster_build):
    builds(says(0.020, is_itself=False), says(0.001))
    assert faster_build() is None


def test_an_environment_stays_though_the_python_that_asks_is_another(checkout, installed, monkeypatch):
    done, asked = installed
    monkeypatch.setattr(sys, "_base_executable", "/elsewhere/python3")
    checkout.main([])
    assert (done, asked()) == ([], [])


def test_the_python_that_it_was_made_with_leaves_it_as_it_is(checkout, installed):
    done, asked = installed
    checkout.main(["--this-build"])
    assert (done, asked()) == ([], [])


def test_another_that_is_decided_for_makes_it_anew(checkout, installed, monkeypatch):
    done, asked = installed
    monkeypatch.setattr(sys, "_base_executable", "/elsewhere/python3")
    checkout.main(["--this-build"])
    assert asked() == [f"-m venv --clear {checkout.VENV}"]
    assert done == ["The packages of requirements.txt", "This checkout"]


# Says that it runs, and runs until its input ends.
A_HOME = """
import sys
from pathlib import Path
from config.supervisor.packages import held
venv, home = map(Path, sys.argv[1:])
sys.prefix = str(venv)
with held(venv, home):
    print("runs", flush=True)
    sys.stdin.read()
"""


# Whoever is stopped keeps what they have locked.
STOPPED_AT_ITS_FIRST_LOCK = """
import fcntl, os, signal
lock = fcntl.flock
def flock(*arguments):
    lock(*arguments)
    os.kill(os.getpid(), signal.SIGSTOP)
fcntl.flock = flock
"""


@contextlib.contextmanager
def a_home(checkout, folder, before=""):
    """A process that runs a home, which is not the checkout's own, from the checkout's environment."""
    command = [sys._base_executable, "-c", before + A_HOME, str(checkout.VENV), str(folder)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, cwd=ROOT, **pipes) as process:
        try:
            yield process
        finally:
            process.kill()


@pytest.fixture
def home_of_elsewhere(checkout, installed, tmp_path):
    with a_home(checkout, tmp_path / "second") as process:
        assert process.stdout.readline() == "runs\n"
        yield process


def test_an_environment_from_which_a_home_runs_is_not_made_anew(
    checkout, installed, home_of_elsewhere, tmp_path, monkeypatch
):
    done, asked = installed
    pid = home_of_elsewhere.pid
    monkeypatch.setattr(sys, "_base_executable", "/elsewhere/python3")
    with pytest.raises(checkout.CannotInstall) as refused:
        checkout.main(["--this-build"])
    assert f"the home {tmp_path / 'second'} (pid {pid})" in str(refused.value)
    assert f"kill {pid}" in str(refused.value)
    assert "\n" not in str(refused.value)
    assert (done, asked()) == ([], [])
    checkout.main([])


def test_who_runs_a_home_is_told_that_its_packages_were_changed(
    checkout, installed, home_of_elsewhere, tmp_path, capsys
):
    (checkout.ROOT / "requirements.txt").write_text("# others\n")
    checkout.main([])
    assert installed[0] == ["The packages of requirements.txt", "This checkout"]
    last = capsys.readouterr().out.splitlines()[-1]
    assert f"the home {tmp_path / 'second'} (pid {home_of_elsewhere.pid}) since before that" in last
    checkout.main([])
    assert capsys.readouterr().out == ""


def test_who_waits_for_another_call_is_told_so(checkout, installed, capsys):
    folder = os.open(checkout.ROOT, os.O_RDONLY)
    fcntl.flock(folder, fcntl.LOCK_EX)
    second = Thread(target=checkout.main, args=([],))
    try:
        second.start()
        told = []
        wait_until(lambda: told.append(capsys.readouterr().out) or any(told), 10, "what it says")
        assert second.is_alive()
    finally:
        os.close(folder)
    second.join(10)
    assert not second.is_alive()
    assert "".join(told).startswith("handoff: waiting for another call of make")


def test_nor_for_another_version_of_python(checkout, installed, home_of_elsewhere, monkeypatch):
    done, asked = installed
    checkout.PYTHON.unlink()
    with pytest.raises(checkout.CannotInstall, match=f"pid {home_of_elsewhere.pid}"):
        checkout.main([])
    assert (done, asked()) == ([], [])


@pytest.mark.parametrize("end", [signal.SIGKILL, None], ids=["killed", "stopped"])
def test_a_home_that_has_ended_holds_nothing(checkout, installed, home_of_elsewhere, monkeypatch, end):
    asked = installed[1]
    if end:
        home_of_elsewhere.send_signal(end)
    else:
        home_of_elsewhere.stdin.close()
    home_of_elsewhere.wait()
    monkeypatch.setattr(sys, "_base_executable", "/elsewhere/python3")
    checkout.main(["--this-build"])
    assert asked() == [f"-m venv --clear {checkout.VENV}"]


def test_what_a_killed_home_left_behind_is_forgotten_by_the_next(
    checkout, home_of_elsewhere, tmp_path, monkeypatch
):
    home_of_elsewhere.kill()
    home_of_elsewhere.wait()
    left = checkout.HOMES / str(home_of_elsewhere.pid)
    assert left.exists()
    monkeypatch.setattr(sys, "prefix", str(checkout.VENV))
    with held(checkout.VENV, tmp_path / "first"):
        assert not left.exists()
        assert [path.name for path in checkout.HOMES.glob("[0-9]*")] == [str(os.getpid())]
    assert not list(checkout.HOMES.glob("[0-9]*"))


def test_a_home_that_was_stopped_while_it_began_holds_up_no_other(checkout, installed, tmp_path):
    """Every later start of the checkout waited for it without a word."""
    with a_home(checkout, tmp_path / "first", STOPPED_AT_ITS_FIRST_LOCK) as stopped:
        assert os.WIFSTOPPED(os.waitpid(stopped.pid, os.WUNTRACED)[1])
        with a_home(checkout, tmp_path / "second") as second:
            wait_until(lambda: select.select([second.stdout], [], [], 0)[0], 20, "the second home")
            assert second.stdout.readline() == "runs\n"
            assert (str(second.pid), str(tmp_path / "second")) in checkout.running_homes()


def test_a_home_that_runs_from_elsewhere_holds_nothing(checkout, tmp_path):
    checkout.VENV.mkdir()
    with held(checkout.VENV, tmp_path / "home"):
        assert not checkout.HOMES.exists()


def test_packages_that_cannot_be_written_do_not_keep_a_home_from_starting(tmp_path, monkeypatch):
    file = tmp_path / "venv"
    file.touch()
    monkeypatch.setattr(sys, "prefix", str(file))
    with held(file, Path("home")) as nothing:
        assert nothing is None


def test_a_copy_of_a_checkout_runs_its_own_code(checkout, installed, tmp_path, monkeypatch):
    copy = shutil.copytree(checkout.ROOT, tmp_path / "copy", symlinks=True)
    module = bootstrap_of(copy)
    done, asked = [], installed[1]
    monkeypatch.setattr(module, "by_uv_or_pip", lambda arguments, what: done.append((arguments[-1], what)))
    module.main([])
    assert done == [(str(copy), "This checkout")]
    assert asked() == []


def test_a_python_says_what_is_asked():
    measured = bootstrap_of(ROOT).measured
    itself = sys._base_executable
    seconds, path = measured(itself)
    assert path == itself
    assert 0 < seconds < 10

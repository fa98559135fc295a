"""Of which build of Python `.venv` is made, where nobody says it (`scripts/bootstrap --any-build`)."""

import json
import runpy
import sys

import pytest

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


@pytest.fixture(scope="module")
def faster_build():
    return runpy.run_path(str(ROOT / "scripts" / "bootstrap"))["faster_build"]


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


def test_who_asks_in_an_environment_stays_there(builds, faster_build):
    builds(says(0.020, is_itself=False), says(0.001))
    assert faster_build() is None


def test_a_python_says_what_is_asked(monkeypatch):
    measured = runpy.run_path(str(ROOT / "scripts" / "bootstrap"))["measured"]
    itself = sys._base_executable
    seconds, path = measured(itself)
    assert path == itself
    assert 0 < seconds < 10

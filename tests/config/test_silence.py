"""A process of tests that hangs where `timeout` does not end it says where it is, and ends (`tests/silence.py`)."""

import subprocess
import sys

import pytest

from tests.serving import ROOT

pytestmark = pytest.mark.processes

CONFTEST = """
from tests.silence import Silence

def pytest_configure(config):
    config.pluginmanager.register(Silence(10, runs_tests=hasattr(config, "workerinput")))
"""
TESTS = """
import ctypes

def test_before(): pass

def test_that_holds_the_interpreter():
    ctypes.PyDLL(None).sleep(100)

def test_after(): pass
"""


def test_a_process_in_which_nothing_happens_is_ended_and_the_test_is_named(tmp_path):
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_small.py").write_text(TESTS)
    (tmp_path / "pytest.ini").write_text("[pytest]\naddopts = -p no:cacheprovider\n")
    command = [
        sys.executable,
        "-B",
        "-m",
        "pytest",
        "-c",
        str(tmp_path / "pytest.ini"),
        "-n",
        "1",
        str(tmp_path),
    ]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert "test_that_holds_the_interpreter" in ended.stderr, ended.stderr
    assert "crashed while running 'test_small.py::test_that_holds_the_interpreter'" in ended.stdout
    assert "1 failed, 2 passed" in ended.stdout

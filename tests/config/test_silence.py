"""A process of tests that hangs where `timeout` does not end it is ended, its test has failed and says where it was
(`tests/silence.py`); all other tests are run (`tests/by_file.py`).
"""

import subprocess
import sys

import pytest

from tests.serving import ROOT

pytestmark = pytest.mark.processes

CONFTEST = """
from pathlib import Path
from tests import silence
from tests.by_file import ByFile

def pytest_configure(config):
    config.pluginmanager.register(silence.plugin(config, Path({folder!r}), 12))

def pytest_xdist_make_scheduler(config, log):
    return ByFile(config, log)
"""
TESTS = """
import ctypes, os, pytest, signal, time

@pytest.fixture
def end_that_hangs():
    yield
    ctypes.PyDLL(None).sleep(100)

def test_before(): pass

{hangs}

def test_after(): pass
"""
HANGS = {
    "in_c": "def test_hangs():\n    ctypes.PyDLL(None).sleep(100)",
    "stopped": "def test_hangs():\n    os.kill(os.getpid(), signal.SIGSTOP)",
    "gone": "def test_hangs():\n    if os.fork():\n        os.kill(os.getpid(), signal.SIGKILL)\n    time.sleep(100)",
    "end": "def test_hangs(end_that_hangs):\n    assert False",
}
SAID = {
    "in_c": 'test_in_c.py", line 12 in test_hangs',
    "stopped": "T (stopped)",
    "gone": "gave no sign of life for",
    "end": 'test_end.py", line 7 in end_that_hangs',
}


def test_a_process_in_which_nothing_happens_is_ended_and_the_test_is_named(tmp_path):
    (tmp_path / "signs").mkdir()
    (tmp_path / "conftest.py").write_text(CONFTEST.format(folder=str(tmp_path / "signs")))
    for name, hangs in HANGS.items():
        (tmp_path / f"test_{name}.py").write_text(TESTS.format(hangs=hangs))
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\naddopts = -p no:cacheprovider -p no:django -p no:schemathesis -p no:faker -p no:anyio\n"
    )
    arguments = ["-c", str(tmp_path / "pytest.ini"), "-n", "4", "--dist", "loadscope", str(tmp_path)]
    command = [sys.executable, "-B", "-m", "pytest", *arguments]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=280, check=False)

    for name, said in SAID.items():
        assert f"crashed while running 'test_{name}.py::test_hangs'" in ended.stdout, (
            ended.stdout + ended.stderr
        )
        assert said in ended.stdout, ended.stdout
    # One has failed before its end hung: twice for pytest.
    assert "5 failed, 8 passed" in ended.stdout

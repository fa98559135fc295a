"""A process of tests that hangs where `timeout` does not end it is ended, its test has failed and says where it was
(`tests/silence.py`); all other tests are run (`tests/by_file.py`).
"""

import os
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


LAST = """
import os, pytest
from pathlib import Path

@pytest.mark.parametrize("number", range(3))
def test_of_many(number): pass
"""
ENDS = """
def test_ends():
    while len(list(Path("done").iterdir())) < 3:
        pass
    os._exit(1)
"""
ENDED = """
import pytest
from pathlib import Path

@pytest.hookimpl(trylast=True)
def pytest_runtest_logfinish(nodeid):
    if "test_done" in nodeid and nodeid.endswith("2]"):
        Path("done", nodeid.replace("/", ".")).touch()
"""


@pytest.mark.parametrize("left", [0, 1, 3], ids=["no test left", "one test left", "some tests left"])
def test_a_process_that_ends_in_one_of_the_last_tests_holds_nobody_up(tmp_path, left):
    """It has run other files before, and nobody else has anything to do."""
    (tmp_path / "signs").mkdir()
    (tmp_path / "done").mkdir()
    (tmp_path / "conftest.py").write_text(CONFTEST.format(folder=str(tmp_path / "signs")) + ENDED)
    for number in range(3):
        (tmp_path / f"test_done_{number}.py").write_text(LAST)
    (tmp_path / "test_last.py").write_text(
        LAST
        + ENDS.replace('"done"', repr(str(tmp_path / "done")))
        + f"""
@pytest.mark.parametrize("number", range({left}))
def test_left(number): pass
"""
    )
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\naddopts = -p no:cacheprovider -p no:django -p no:schemathesis -p no:faker -p no:anyio\n"
    )
    arguments = [
        "-c",
        str(tmp_path / "pytest.ini"),
        "-n",
        "2",
        "--dist",
        "loadscope",
        "--no-loadscope-reorder",
    ]
    command = [sys.executable, "-B", "-m", "pytest", *arguments, str(tmp_path)]
    ended = subprocess.run(
        command,
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert f"1 failed, {12 + left} passed" in ended.stdout, ended.stdout + ended.stderr
    assert "crashed while running 'test_last.py::test_ends'" in ended.stdout
    # No process that replaces it was ended because it had nothing to do.
    assert ended.stdout.count("node down") == 1, ended.stdout

"""What workers held is taken back by exactly their names, once the database answers, and after kill -9 of all."""

import asyncio
import os
import socket
import sys

import pytest

from config.supervisor import lost_workers, programs
from config.supervisor.launch import execute
from config.supervisor.lost_workers import LostWorkers
from tests.config.test_child import Lines, until

pytestmark = pytest.mark.processes
HOST = socket.gethostname()
GONE = 2**22 + 1
"""More than any process id."""
COMMAND = """
import pathlib, sys
done, fails = pathlib.Path({done!r}), pathlib.Path({fails!r})
if fails.exists():
    fails.unlink()
    sys.exit(1)
with done.open("a") as file:
    file.write(" ".join(sys.argv[1:]) + "\\n")
"""


@pytest.fixture
def calls(tmp_path, monkeypatch):
    """The names with which the command was called that did not fail."""
    code = COMMAND.format(done=str(tmp_path / "done"), fails=str(tmp_path / "fails"))

    def program(names):
        return programs.Program(
            name="lost-workers", command=lambda: [sys.executable, "-c", code, *names], ready="says"
        )

    monkeypatch.setattr(lost_workers, "lost_workers_program", program)
    monkeypatch.setattr(lost_workers, "_PAUSES", (0.1, 0.1))
    return lambda: (tmp_path / "done").read_text().splitlines() if (tmp_path / "done").exists() else []


def of(tmp_path):
    return LostWorkers(execute, Lines(), tmp_path / "workers")


def test_those_that_end_together_are_one_call_which_is_made_again_when_it_fails(calls, tmp_path):
    async def scenario():
        workers = of(tmp_path)
        (tmp_path / "fails").touch()
        for name in ("b:2:x", "a:1:x", "c:3:x"):
            workers.begun(name)
        workers.ended("b:2:x")
        workers.ended("a:1:x")
        await until(lambda: calls() == ["a:1:x b:2:x"])
        await until(lambda: (tmp_path / "workers").read_text() == "c:3:x")

    asyncio.run(scenario())


def test_the_next_start_knows_what_an_earlier_one_left(calls, tmp_path):
    """Not of another host, whose processes nobody here sees, nor of a process that lives or has the id of one."""
    left = [f"{HOST}:{GONE}:x", f"another:{GONE}:x", f"{HOST}:{os.getpid()}:x"]
    (tmp_path / "workers").write_text("\n".join(left))

    async def scenario():
        workers = of(tmp_path)
        workers.recover()
        await until(lambda: calls() == [f"{HOST}:{GONE}:x"])

    asyncio.run(scenario())


def test_a_home_without_such_a_file_and_a_broken_one_are_no_obstacle(calls, tmp_path):
    async def scenario():
        of(tmp_path).recover()
        (tmp_path / "workers").write_text("what:is this")
        of(tmp_path).recover()

    asyncio.run(scenario())
    assert calls() == []


def test_when_handoff_stops_nothing_is_begun_any_more(calls, tmp_path):
    async def scenario():
        workers = of(tmp_path)
        workers.begun("a:1:x")
        workers.stop()
        workers.ended("a:1:x")
        await asyncio.wait([asyncio.create_task(asyncio.Event().wait())], timeout=0.3)

    asyncio.run(scenario())
    assert calls() == []
    assert (tmp_path / "workers").read_text() == "a:1:x"

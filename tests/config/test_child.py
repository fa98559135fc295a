"""A child of the supervisor is started again when it dies, and replaced when it exists but makes no progress."""

import asyncio
import os
import signal
import socket
import sys
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest

from config.embedded.processes import is_alive, wait_until
from config.supervisor import child as children
from config.supervisor import output, supervise
from config.supervisor.child import Child
from config.supervisor.errors import CannotStart
from config.supervisor.launch import execute
from config.supervisor.lost_workers import LostWorkers
from config.supervisor.programs import Program

pytestmark = pytest.mark.processes

BEATS = """
import os, signal, time
if {deaf}: signal.signal(signal.SIGTERM, signal.SIG_IGN)
while True:
    os.write(int(os.environ["HANDOFF_READY_FD"]), b".")
    time.sleep(0.05)
"""


class Lines(list):
    """Takes what the supervisor would print."""

    def say(self, line, name="", **_):
        self.append(line)


def program(*, twins, deaf=False, grace=0.5, code=None, **more):
    return Program(
        name="one",
        command=lambda: [sys.executable, "-c", code or BEATS.format(deaf=deaf)],
        has_twins=twins,
        silence_seconds=1.0,
        grace_seconds=grace,
        frozen_grace_seconds=grace,
        **{"ready": "says", **more},
    )


@asynccontextmanager
async def running(program, lines, pids):
    child = Child(program, execute, os.environ, lines, lambda: pids.append(child.pid))
    await child.start(20)
    try:
        yield child
    finally:
        await child.stop(at_once=True)


async def until(condition):
    await asyncio.to_thread(wait_until, condition, 20, "what the test waits for")


async def heard():
    """The supervisor has looked at what the child said."""
    for _ in range(3):
        await asyncio.wait([asyncio.create_task(asyncio.Event().wait())], timeout=0.1)


@pytest.fixture(autouse=True)
def _look_often(monkeypatch):
    monkeypatch.setattr(children, "_LOOK_SECONDS", 0.1)


def test_a_stopped_process_with_twins_is_replaced_before_it_is_ended():
    async def scenario():
        lines, pids = Lines(), []
        async with running(program(twins=True, grace=3.0), lines, pids) as child:
            os.kill(pids[0], signal.SIGSTOP)
            await until(lambda: len(pids) == 2)
            assert is_alive(pids[0])
            assert child.pid == pids[1] != pids[0]
            await until(lambda: not is_alive(pids[0]))
        assert lines == [f"one (pid {pids[0]}) has given no sign of progress for 1 s; ending it"]
        assert not any(map(is_alive, pids))

    asyncio.run(scenario())


def test_of_a_worker_that_has_ended_the_supervisor_hears_by_its_name(tmp_path):
    """Also of one that is ended because it hangs, after it has ended; of another program nothing is said."""

    def is_life(line):
        return len(line) == 12 or line == "None"

    async def scenario(worker):
        lines, pids, lost = Lines(), [], []
        said = 'print(os.environ.get("HANDOFF_WORKER_LIFE"), flush=True)'
        named = BEATS.format(deaf=False).replace("while", f"{said}\nwhile")
        one = program(twins=True, code=named, is_worker=worker)
        workers = LostWorkers(execute, lines, tmp_path / "workers")
        workers.ended = lost.append
        child = Child(one, execute, os.environ, lines, lambda: pids.append(child.pid), workers)
        await child.start(20)
        os.kill(pids[0], signal.SIGKILL)
        await until(lambda: sum(map(is_life, lines)) == 2)
        await heard()
        os.kill(pids[1], signal.SIGSTOP)
        await until(lambda: len(pids) >= 3 and not is_alive(pids[1]))
        await heard()
        lives = filter(is_life, lines)
        await child.stop(at_once=True)
        host = socket.gethostname()
        return lost[:2], [f"{host}:{pid}:{life}" for pid, life in zip(pids, lives, strict=False)][:2]

    lost, names = asyncio.run(scenario(worker=True))
    assert lost == names
    assert len(set(lost)) == 2
    assert asyncio.run(scenario(worker=False))[0] == []


def test_a_stopped_server_is_ended_before_another_takes_its_place():
    async def scenario():
        lines, pids = Lines(), []
        async with running(program(twins=False), lines, pids):
            os.kill(pids[0], signal.SIGSTOP)
            await until(lambda: len(pids) == 2)
            assert not is_alive(pids[0])

    asyncio.run(scenario())


def test_a_process_that_hangs_and_hears_nothing_is_killed():
    async def scenario():
        lines, pids = Lines(), []
        silent = BEATS.format(deaf=True).replace("while True", "for _ in range(3)") + "\ntime.sleep(60)"
        async with running(program(twins=True, code=silent), lines, pids):
            await until(lambda: len(pids) >= 2 and not is_alive(pids[0]))

    asyncio.run(scenario())


def test_a_process_that_is_asked_and_does_not_say_that_it_lives_is_replaced():
    async def scenario():
        lines, pids, alive = Lines(), [], [True]
        asked = program(twins=True, is_alive=lambda: alive[0])
        async with running(asked, lines, pids):
            alive[0] = False
            await until(lambda: len(pids) >= 2)
            alive[0] = True
            await until(lambda: not is_alive(pids[0]))

    asyncio.run(scenario())


def test_a_server_that_stops_answering_while_it_starts_is_not_waited_for_as_long_as_a_start():
    """PostgreSQL stopped in the middle of its recovery was left alone for 90 seconds, and everything with it."""

    async def scenario():
        lines, pids, ready, alive = Lines(), [], [True], [True]
        asked = program(twins=False, ready="asked", is_ready=lambda: ready[0], is_alive=lambda: alive[0])
        async with running(asked, lines, pids):
            ready[0] = False
            os.kill(pids[0], signal.SIGKILL)
            await until(lambda: len(pids) == 2)
            await heard()
            alive[0] = False
            await until(lambda: len(pids) == 3)
            assert not is_alive(pids[1])
        assert lines[-1] == f"one (pid {pids[1]}) has not become ready for 1 s; ending it"

    asyncio.run(scenario())


def test_a_server_that_recovers_from_a_crash_takes_as_long_as_it_takes():
    async def scenario():
        pids, asked = [], []
        recovers = program(
            twins=False,
            ready="asked",
            is_ready=lambda: len(asked) > 40,
            is_alive=lambda: asked.append(1) or True,
        )
        child = Child(recovers, execute, os.environ, Lines(), lambda: pids.append(child.pid))
        await child.start(0.5)
        await child.stop(at_once=True)
        assert len(pids) == 1

    asyncio.run(scenario())


def test_what_does_not_start_gets_more_time_each_time(monkeypatch):
    """A machine may be slow: whoever needs longer than we think must not be started for ever."""
    monkeypatch.setattr(children, "_START_SECONDS", 0.2)

    async def scenario():
        lines, pids = Lines(), []
        late = "import time; time.sleep(0.6)\n" + BEATS.format(deaf=False)
        async with running(program(twins=True, code=late), lines, pids):
            assert len(pids) > 1
        waits = [line.partition("ready for ")[2].partition(" s;")[0] for line in lines]
        assert waits == ["0.2", "0.4", "0.8"][: len(waits)]

    asyncio.run(scenario())


def test_a_process_that_never_starts_is_given_up():
    async def scenario():
        child = Child(
            program(twins=True, code="import time; time.sleep(60)"),
            execute,
            os.environ,
            Lines(),
            lambda: None,
        )
        with pytest.raises(CannotStart, match="one did not become ready within"):
            await child.start(0.5)
        await child.stop(at_once=True)

    asyncio.run(scenario())


def test_what_works_is_started_again_after_a_second_at_most_however_often_it_is_killed(tmp_path):
    """Restart pauses that grew to fifteen seconds made timers late."""

    async def scenario():
        lines, pids = Lines(), []
        noted = BEATS.format(deaf=False) + f"    open(f'{tmp_path}/{{os.getpid()}}', 'w').close()\n"
        async with running(program(twins=True, code=noted), lines, pids):
            for count in range(1, 6):
                await until(lambda count=count: len(list(tmp_path.iterdir())) == count)
                await heard()
                os.kill(pids[-1], signal.SIGKILL)
            await until(lambda: len(pids) == 6)
        pauses = [float(line.rpartition(" in ")[2].removesuffix(" s")) for line in lines]
        assert len(pauses) == 5
        assert max(pauses) <= 1.0

    asyncio.run(scenario())


def test_nothing_of_what_hangs_outlives_a_stop():
    async def scenario():
        lines, pids = Lines(), []
        async with running(program(twins=True, grace=60.0), lines, pids):
            os.kill(pids[0], signal.SIGSTOP)
            await until(lambda: len(pids) == 2)
        assert not any(map(is_alive, pids))

    asyncio.run(scenario())


def test_why_a_preparation_failed_is_said_while_its_process_hangs(monkeypatch):
    async def preparing(code):
        prepare = Program(name="prepare", command=lambda: ["sh", "-c", code], ready="says")
        monkeypatch.setattr(supervise, "prepare_program", lambda _: prepare)
        await supervise.Supervisor._prepare_database(one)

    async def scenario():
        task = asyncio.create_task(preparing("echo CommandError: not here; exec sleep 60"))
        await until(lambda: lines == ["CommandError: not here"])
        assert one._preparing.returncode is None
        one._preparing.send_signal(signal.SIGKILL)
        with pytest.raises(CannotStart, match="see above"):
            await task
        with pytest.raises(CannotStart, match=r"^not there$"):
            await preparing("echo CommandError: not there; exec >&- 2>&-; exec sleep 60")
        one._preparing.send_signal(signal.SIGKILL)
        await one._preparing.wait()

    lines, nursery = Lines(), SimpleNamespace(fork=execute)
    one = SimpleNamespace(_nursery=nursery, _postgres=None, _environment=os.environ, _output=lines)
    for module in (output, supervise):
        monkeypatch.setattr(module, "REFUSAL_SECONDS", 0.01)
    asyncio.run(scenario())

"""Several web processes on one socket share its connections, and one that hangs keeps nobody waiting."""

import asyncio
import dataclasses
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from config import loads
from config.embedded.processes import child_setup, is_alive, wait_until
from config.supervisor.child import Child
from config.supervisor.launch import execute
from config.supervisor.programs import web_programs

pytestmark = pytest.mark.processes

ROOT = Path(__file__).resolve().parents[2]
SERVE = """
import asyncio, ctypes, os, sys
from config.loads import Loads
from config.web import serve

async def application(scope, receive, send):
    if scope["type"] == "lifespan":
        while True:
            await send({"type": (await receive())["type"] + ".complete"})
    if scope["path"] == "/hold":
        # On another thread than the event loop's, as requests are: this call keeps the interpreter.
        asyncio.get_running_loop().run_in_executor(None, ctypes.PyDLL(None).sleep, 60)
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b"%d" % os.getpid()})

serve(application, int(sys.argv[1]), Loads.of(os.environ))
"""


@pytest.fixture
def site():
    """The address of two web processes on one socket, and these."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.create_server(("127.0.0.1", 0)))
        processes = [stack.enter_context(begun(program)) for program in web_programs(listener.fileno(), 2)]
        address = listener.getsockname()
        found = set()
        wait_until(lambda: len(found.add(who(address)) or found) == 2, 20, "both of them")
        yield address, processes


@contextmanager
def begun(program):
    """It ends with this, whatever became of the other one."""
    listener, shared = program.descriptors
    with subprocess.Popen(
        [sys.executable, "-c", SERVE, str(listener)],
        cwd=ROOT,
        env=os.environ | program.environment | {loads.DESCRIPTOR: str(shared)},
        pass_fds=program.descriptors,
        preexec_fn=child_setup(signal.SIGTERM),
    ) as process:
        try:
            yield process
        finally:
            process.send_signal(signal.SIGCONT)
            process.terminate()


def ask(connection):
    """Which process answers on an open connection."""
    connection.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
    answer = b""
    while not answer.endswith(b"\r\n0\r\n\r\n"):
        piece = connection.recv(4096)
        assert piece, answer
        answer += piece
    return int(answer.split(b"\r\n")[-4])


def who(address):
    """Which process takes a new connection."""
    with socket.create_connection(address, timeout=10) as connection:
        return ask(connection)


def opened(stack, address, count):
    """So many new connections, each used once, and who has them."""
    made = [stack.enter_context(socket.create_connection(address, timeout=10)) for _ in range(count)]
    return [ask(connection) for connection in made]


def test_they_share_connections_evenly(site):
    address, processes = site
    with ExitStack() as stack:
        takers = opened(stack, address, 40)
        shares = [takers.count(process.pid) for process in processes]
        assert sum(shares) == 40
        assert min(shares) >= 15, shares


def test_who_connects_waits_for_none_that_hangs_or_leaves(site):
    address, (first, second) = site
    os.kill(first.pid, signal.SIGSTOP)
    with ExitStack() as stack:
        assert set(opened(stack, address, 20)) == {second.pid}
    os.kill(first.pid, signal.SIGCONT)
    second.terminate()
    assert second.wait(15) is not None
    with ExitStack() as stack:
        assert set(opened(stack, address, 20)) == {first.pid}


FROZEN_SECONDS = 10
"""So long a client may wait at most for an error after the process that has its connection was frozen."""


def freeze(pid, connection):
    os.kill(pid, signal.SIGSTOP)


def hold(pid, connection):
    connection.sendall(b"GET /hold HTTP/1.1\r\nHost: localhost\r\n\r\n")


@pytest.mark.parametrize("fault", [freeze, hold])
def test_clients_of_a_frozen_process_get_an_error_and_others_an_answer(fault):
    async def scenario(listener):
        [one] = web_programs(listener.fileno(), 1)
        command = [sys.executable, "-c", SERVE, str(listener.fileno())]
        one = dataclasses.replace(one, command=lambda: command, folder=str(ROOT))
        child = Child(one, execute, os.environ, Silent(), lambda: None)
        await child.start(20)
        try:
            return await asyncio.to_thread(clients, listener.getsockname(), child.pid, fault)
        finally:
            await child.stop(at_once=True)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        frozen, seconds, taker = asyncio.run(scenario(listener))
    assert seconds < FROZEN_SECONDS
    assert taker not in (0, frozen)
    assert not is_alive(frozen)


def clients(address, pid, fault):
    """The process that was frozen, how long its client waited for the end, and who answered one that came later."""
    with socket.create_connection(address, timeout=2 * FROZEN_SECONDS) as had:
        assert ask(had) == pid
        with socket.create_connection(address) as cause:
            ask(cause)
            began = time.monotonic()
            fault(pid, cause)
            threading.Event().wait(0.5)
            with suppress(OSError):
                # Closed or reset; nothing is answered.
                had.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                assert had.recv(1) == b""
            waited = time.monotonic() - began
    return pid, waited, who(address)


class Silent:
    """What the supervisor would print."""

    def say(self, *_, **__):
        """Nothing of it."""


def test_the_first_one_is_named_as_it_always_was():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        assert [program.name for program in web_programs(listener.fileno(), 3)] == ["web", "web-2", "web-3"]

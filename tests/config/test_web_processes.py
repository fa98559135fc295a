"""Several web processes on one socket share its connections, and one that hangs keeps nobody waiting."""

import os
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from config import loads
from config.embedded.processes import child_setup, wait_until
from config.supervisor.programs import web_programs

pytestmark = pytest.mark.processes

ROOT = Path(__file__).resolve().parents[2]
SERVE = """
import os, sys
from config.loads import Loads
from config.web import serve

async def application(scope, receive, send):
    if scope["type"] == "lifespan":
        while True:
            await send({"type": (await receive())["type"] + ".complete"})
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


def test_the_first_one_is_named_as_it_always_was():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        assert [program.name for program in web_programs(listener.fileno(), 3)] == ["web", "web-2", "web-3"]

"""The web process as `make up` serves it, on the tests' database."""

import atexit
import base64
import os
import select
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.conf import settings
from django.db import connection

from config.embedded.processes import child_setup, wait_until

ROOT = Path(__file__).resolve().parents[1]
CHEAP_HASHER = "django.contrib.auth.hashers.MD5PasswordHasher"
"""Argon2 takes a good part of a second of a core, on purpose; what logs in in tests is not what is tested."""
LOAD = """\
import ctypes, os, signal, socket, sys
from lib.loading import loading
with loading():
    from config.asgi import application
    from config.web import serve
    from django.conf import settings
    from django.urls import get_resolver
    from runs.web import pace
    get_resolver().url_patterns
settings.PASSWORD_HASHERS.insert(0, {hasher!r})
# Other tests keep the machine busy: pages are told at once all the same, but where a test is about that.
pace.SHARE = 9.0
"""
SERVE = LOAD + "{setup}\nserve(application, int(sys.argv[1]))"
FORK = (
    LOAD
    + """\
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
control = socket.socket(fileno=int(sys.argv[1]))
while True:
    setup, descriptors, _, _ = socket.recv_fds(control, 65536, 1)
    if not setup:
        break
    if pid := os.fork():
        os.close(descriptors[0])
        control.send(str(pid).encode())
        continue
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    # It ends with whoever forked it.
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)
    control.close()
    exec(setup)
    serve(application, descriptors[0])
    break
"""
)


class Forked:
    """A web process that another one forked: what tests do with a `Popen`."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self._ends = os.pidfd_open(pid)

    def poll(self) -> int | None:
        """None while it lives. What it ended with knows who forked it."""
        return 0 if select.select([self._ends], [], [], 0)[0] else None

    def wait(self, timeout: float | None = None) -> int:
        """Wait until it has ended. Raises TimeoutExpired."""
        if not select.select([self._ends], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired("a forked web process", timeout or 0)
        return 0

    def send_signal(self, number: int) -> None:
        """Nothing happens where it has ended."""
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._ends, number)

    def terminate(self) -> None:
        """Politely."""
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        """At once."""
        self.send_signal(signal.SIGKILL)

    def __del__(self) -> None:
        os.close(self._ends)


class Nursery:
    """Forks web processes from one that has loaded all that they need, which takes a second of a core and more."""

    def __init__(self) -> None:
        self.environment = environment_of_a_process()
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._process = _started(FORK.format(hasher=CHEAP_HASHER), theirs, self.environment)

    def serve(self, setup: str, listening: socket.socket) -> Forked:
        """Another one."""
        socket.send_fds(self._control, [setup.encode()], [listening.fileno()])
        told = self._control.recv(64)
        if not told:
            raise ChildProcessError(f"Who forks has ended with {self._process.wait()}.")
        return Forked(int(told))

    def leave(self) -> None:
        """There are no more to come."""
        self._control.close()
        self._process.wait(20)


def _started(source: str, given: socket.socket, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", source, str(given.fileno())],
        cwd=ROOT,
        env=environment,
        pass_fds=[given.fileno()],
        # It ends with the tests, also where they are killed.
        preexec_fn=child_setup(signal.SIGTERM),
    )


@cache
def _nursery() -> Nursery:
    """That of this session."""
    nursery = Nursery()
    atexit.register(nursery.leave)
    return nursery


@pytest.fixture(scope="session")
def site(django_db_setup) -> Iterator[str]:
    """The address of a web process that serves this session's database."""
    with served() as (address, _):
        yield address


@contextmanager
def served(
    setup: str = "pass", port: int = 0, **environment: str
) -> Iterator[tuple[str, "Forked | subprocess.Popen[bytes]"]]:
    """A web process and its address; `setup` is a statement that it runs first, `port` 0 whichever is free.

    What has the environment of the others is forked; settings are read when they are loaded.
    """
    given = environment_of_a_process() | environment
    process: Forked | subprocess.Popen[bytes]
    with socket.create_server(("127.0.0.1", port)) as listening:
        address = f"http://127.0.0.1:{listening.getsockname()[1]}"
        if not environment and given == _nursery().environment:
            process = _nursery().serve(setup, listening)
        else:
            process = _started(SERVE.format(hasher=CHEAP_HASHER, setup=setup), listening, given)
    try:
        wait_until(lambda: _answers(address) or process.poll() is not None, 30, "the web process")
        yield address, process
    finally:
        process.terminate()
        process.wait(20)


def environment_of_a_process(process: str = "web") -> dict[str, str]:
    """For a process of this kind on the tests' database."""
    parts = urlsplit(settings.DATABASE_URL)
    ours = urlunsplit(parts._replace(path=f"/{connection.settings_dict['NAME']}"))
    master = ",".join(base64.b64encode(key.reveal()).decode() for key in settings.HANDOFF_MASTER_KEYS)
    secret = {"HANDOFF_SECRET_KEY": settings.SECRET_KEY, "HANDOFF_MASTER_KEY": master}
    # Which test it is changes from call to call.
    inherited = {name: value for name, value in os.environ.items() if name != "PYTEST_CURRENT_TEST"}
    return inherited | secret | {"DATABASE_URL": ours, "HANDOFF_PROCESS": process}


def _answers(address: str) -> bool:
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with opener.open(f"{address}/healthz", timeout=5) as answer:
            return answer.status == 200
    except OSError:
        return False

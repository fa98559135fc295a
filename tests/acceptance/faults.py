"""What can happen to a process from outside: stopped, killed, made deaf. And what its users see meanwhile."""

import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import httpx
import psycopg
import redis

from tests.acceptance.running import Handoff

AGES = """
SELECT (SELECT extract(epoch FROM clock_timestamp() - min(t.fire_at))
          FROM runs_timer t JOIN runs_run r ON r.id = t.run_id
         WHERE t.status = 'PENDING' AND r.completed_at IS NULL),
       (SELECT extract(epoch FROM clock_timestamp() - min(s.lease_expires_at)) FROM runs_stepexecution s
         WHERE s.status = 'RUNNING'),
       (SELECT extract(epoch FROM clock_timestamp() - min(s.available_at)) FROM runs_stepexecution s
         WHERE s.status = 'QUEUED' AND NOT s.held AND s.queue IN ('default', 'blocking', 'engine'))
"""
LIMITS = {"timer": 10.0, "lease": 10.0, "step": 15.0}


def stop(handoff: Handoff, name: str) -> int:
    """SIGSTOP; gives the pid."""
    pid = handoff.pids()[name]
    os.kill(pid, signal.SIGSTOP)
    return pid


def kill(handoff: Handoff, name: str) -> int:
    """SIGKILL; gives the pid."""
    pid = handoff.pids()[name]
    os.kill(pid, signal.SIGKILL)
    return pid


def deafen(handoff: Handoff, name: str, seconds: float = 3.0) -> int:
    """Cut every line of the process to Redis again and again, so that it is cut while it acknowledges, too."""
    pid, url = handoff.pids()[name], handoff.facts()["redis_url"]
    until = time.monotonic() + seconds
    with redis.Redis.from_url(url) as server:
        while time.monotonic() < until:
            for port in _ports(pid, server.connection_pool.connection_kwargs["port"]):
                with suppress(redis.ResponseError):
                    server.client_kill(f"127.0.0.1:{port}")
    return pid


@contextmanager
def read_only(handoff: Handoff) -> Iterator[None]:
    """Redis is a replica of nobody for a while: it answers, and takes nothing."""
    with redis.Redis.from_url(handoff.facts()["redis_url"]) as server:
        server.replicaof("127.0.0.1", "1")
        try:
            yield
        finally:
            server.replicaof("NO", "ONE")


def _ports(pid: int, remote: int) -> Iterator[int]:
    """The local ports of a process' connections to a port of this machine."""
    sockets = set()
    with suppress(OSError):
        for descriptor in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):
                sockets.update(re.findall(r"socket:\[(\d+)\]", str(descriptor.readlink())))
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        fields = line.split()
        if fields[9] in sockets and int(fields[2].rpartition(":")[2], 16) == remote:
            yield int(fields[1].rpartition(":")[2], 16)


class Observer:
    """Looks how old the oldest timer, lease and claimable step are."""

    def __init__(self, handoff: Handoff) -> None:
        self._handoff = handoff
        self.worst = dict.fromkeys(LIMITS, 0.0)

    def forget(self) -> None:
        """A new fault begins."""
        self.worst = dict.fromkeys(LIMITS, 0.0)

    def look(self) -> None:
        """Once. A database that is away shows nothing."""
        with (
            suppress(psycopg.Error),
            psycopg.connect(
                self._handoff.facts()["database_url"], connect_timeout=3, autocommit=True
            ) as line,
        ):
            ages = line.execute(AGES).fetchone() or ()
            for name, age in zip(LIMITS, ages, strict=True):
                self.worst[name] = max(self.worst[name], float(age or 0.0))

    def too_old(self) -> dict[str, float]:
        """What was older than it may ever be."""
        return {name: age for name, age in self.worst.items() if age > LIMITS[name]}


def patiently(is_true: Callable[[], bool], seconds: float, what: Callable[[], str]) -> None:
    """Ask twice a second, for asking costs what is asked; `what` says what it was that took too long."""
    until = time.monotonic() + seconds
    while not is_true():
        assert time.monotonic() < until, f"{what()} took longer than {seconds:g} s"
        threading.Event().wait(0.5)


@contextmanager
def repeating(act: Callable[[], Any], pause: float) -> Iterator[None]:
    """`act` again and again in a thread; a server that is away meanwhile is no failure."""
    over = threading.Event()
    failures: list[BaseException] = []

    def work() -> None:
        while not over.wait(pause):
            try:
                act()
            except (httpx.HTTPError, psycopg.Error):
                continue
            except BaseException as failure:
                failures.append(failure)
                raise

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(90)
    assert not failures

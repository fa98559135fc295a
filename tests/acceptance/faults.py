"""What can happen to a process from outside: stopped, killed, made deaf. And what its users see meanwhile."""

import math
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from random import Random
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
OWN = (
    "worker-ticks",
    "beat",
    "web",
    "worker-engine",
    "worker-default-1",
    "worker-default-2",
    "worker-blocking",
)
SERVERS = ("redis", "nursery", "postgres")
WORKERS = tuple(name for name in OWN if name.startswith("worker-"))
_AWAY = (KeyError, ProcessLookupError)
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


def cut_database(handoff: Handoff) -> None:
    """End every connection to PostgreSQL, in whatever transaction it is."""
    with psycopg.connect(handoff.facts()["database_url"], autocommit=True, connect_timeout=3) as line:
        line.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE usename = current_user AND pid <> pg_backend_pid()"
        )


class Chance:
    """Does something to somebody again and again; `log`: when, what, to whom."""

    def __init__(self, handoff: Handoff, random: Random) -> None:
        self.log: list[str] = []
        self._handoff, self._random = handoff, random
        self._began = time.monotonic()
        self._stopped: list[tuple[float, int]] = []
        self._faults = {
            "stop": lambda: stop(handoff, self._anybody()),
            "kill": lambda: kill(handoff, self._anybody()),
            "kill all workers": self._kill_all_workers,
            "pause": self._pause,
            "deafen": lambda: deafen(handoff, self._anybody(OWN), random.uniform(0.5, 10)),
            "cut the database": lambda: cut_database(handoff),
            "make Redis read-only": self._read_only,
        }

    def __enter__(self) -> "Chance":
        return self

    def __exit__(self, *_: object) -> None:
        self._wake(math.inf)

    def strike_until(self, end: float) -> None:
        """One fault after another, up to 15 seconds apart, until this moment of the monotonic clock."""
        while time.monotonic() < end:
            name = self._random.choice(list(self._faults))
            self.log.append(f"{time.monotonic() - self._began:.0f} s: {name}")
            try:
                self._faults[name]()
            except (*_AWAY, psycopg.Error, redis.RedisError):
                self.log[-1] += ", who is away already"
            threading.Event().wait(self._random.uniform(0, 15))
            self._wake(time.monotonic())
        self._wake(math.inf)

    def _anybody(self, among: Sequence[str] = (*OWN, *SERVERS)) -> str:
        name = self._random.choice(among)
        self.log[-1] += f" {name}"
        return name

    def _kill_all_workers(self) -> None:
        for name in WORKERS:
            with suppress(*_AWAY):
                kill(self._handoff, name)

    def _pause(self) -> None:
        """Stopped for a while: it may be replaced meanwhile, and goes on with what it had in hand."""
        self._stopped.append(
            (time.monotonic() + self._random.uniform(0.5, 20), stop(self._handoff, self._anybody()))
        )

    def _wake(self, until: float) -> None:
        for moment, pid in tuple(self._stopped):
            if moment <= until:
                self._stopped.remove((moment, pid))
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGCONT)

    def _read_only(self) -> None:
        with read_only(self._handoff):
            threading.Event().wait(self._random.uniform(0.5, 8))


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

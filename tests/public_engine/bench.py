"""The same work on a Handoff and on the public engine's own server, one after the other, beside the same PostgreSQL.

    HANDOFF_PUBLIC_ENGINE=/a/checkout/of/rochallor-engine .venv/bin/python -m tests.public_engine.bench

Chains of three jobs by four workers that poll at once again after jobs and after 20 ms without, each word a request;
then one chain at a time by a worker that polls every 500 ms, as the SDKs do.
"""

import argparse
import http.client
import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from pathlib import Path
from statistics import median, quantiles
from typing import Any, Final

import psycopg

from config.embedded.postgres import STOP_SIGNAL, Postgres
from config.embedded.processes import wait_until
from config.embedded.redis import free_port
from tests.public_engine import build
from tests.public_engine.run import SOURCES, sources
from tests.public_engine.serving import handoff

JOBS: Final = ("bench-a", "bench-b", "bench-c")
WORKERS, STARTERS, ONE_BY_ONE = 4, 4, 20
IDLE_SECONDS, POLL_SECONDS = 0.02, 0.5
MOST_JOBS: Final = 64
CHAIN: Final = {
    "id": "bench-chain",
    "name": "bench-chain",
    "steps": [
        *(
            {"id": job, "name": job, "type": "SERVICE_TASK", "jobType": job, "nextStep": following}
            for job, following in zip(JOBS, (*JOBS[1:], "end"), strict=True)
        ),
        {"id": "end", "name": "end", "type": "END"},
    ],
}
Figures = dict[str, float]


class Door:
    """One connection that is kept."""

    def __init__(self, address: str) -> None:
        self._connection = http.client.HTTPConnection(address.removeprefix("http://"), timeout=60)
        self._connection.connect()
        self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """What is answered. Raises AssertionError for what is no 2xx."""
        sent = None if body is None else json.dumps(body)
        self._connection.request(method, f"/v1/{path}", sent, {"Content-Type": "application/json"})
        answer = self._connection.getresponse()
        text = answer.read()
        assert answer.status < 300, f"{method} {path}: {answer.status} {text[:500]!r}"
        return json.loads(text) if text else None


def measured(address: str, runs: int) -> Figures:
    """Instances and jobs a second of `runs` chains, and how long one alone takes, in ms."""
    Door(address).ask("POST", "definitions", CHAIN)
    with _workers(address, WORKERS, IDLE_SECONDS):
        began = time.monotonic()
        with ThreadPoolExecutor(STARTERS) as pool:
            list(pool.map(lambda count: _start(Door(address), count), _shares(runs, STARTERS)))
        started = time.monotonic() - began
        wait_until(lambda: _completed(Door(address)) >= runs, 600, "the chains")
        took = time.monotonic() - began
    door = Door(address)
    with _workers(address, 1, POLL_SECONDS):
        alone = [_one(door) for _ in range(ONE_BY_ONE)]
    return {
        "instances/s": round(runs / took, 1),
        "jobs/s": round(len(JOBS) * runs / took, 1),
        "seconds to start": round(started, 1),
        "one alone, p50 ms": round(median(alone)),
        "one alone, p95 ms": round(quantiles(alone, n=20)[-1]),
    }


def _shares(runs: int, parts: int) -> list[int]:
    return [runs // parts + (part < runs % parts) for part in range(parts)]


def _start(door: Door, count: int) -> None:
    for _ in range(count):
        door.ask("POST", "instances", {"definitionId": CHAIN["id"], "variables": {"n": 1}})


def _completed(door: Door) -> int:
    return int(door.ask("GET", f"instances?definitionId={CHAIN['id']}&status=COMPLETED&pageSize=1")["total"])


def _one(door: Door) -> float:
    began = time.monotonic()
    started = door.ask("POST", "instances", {"definitionId": CHAIN["id"]})["id"]
    wait_until(lambda: door.ask("GET", f"instances/{started}")["status"] == "COMPLETED", 60, "one chain")
    return 1000 * (time.monotonic() - began)


@contextmanager
def _workers(address: str, count: int, idle: float) -> Iterator[None]:
    over = threading.Event()

    def work(number: int) -> None:
        door = Door(address)
        asked = {"workerId": f"bench-{number}", "jobTypes": list(JOBS), "maxJobs": MOST_JOBS}
        while not over.is_set():
            jobs = door.ask("POST", "jobs/poll", asked)["jobs"] or ()
            for job in jobs:
                said = {"workerId": asked["workerId"], "variables": {job["jobType"]: "done"}}
                door.ask("POST", f"jobs/{job['id']}/complete", said)
            if not jobs:
                over.wait(idle)

    with ThreadPoolExecutor(count) as pool:
        working = [pool.submit(work, number) for number in range(count)]
        try:
            yield
        finally:
            over.set()
    for one in working:
        one.result()


@contextmanager
def database(folder: Path) -> Iterator[str]:
    """The URL of a PostgreSQL that both work with, one after the other, set up as Handoff's own is."""
    server = Postgres(folder, may_create_databases=True)
    server.prepare()
    process = server.start()
    try:
        wait_until(server.is_ready, 30, "PostgreSQL")
        server.make_database()
        yield server.url
    finally:
        process.send_signal(STOP_SIGNAL)
        process.wait(30)


@contextmanager
def their_server(folder: Path, out: Path, server: str) -> Iterator[str]:
    """The address of the public engine's own server, with a database of its own on that PostgreSQL."""
    command = build.server(folder, out)
    with psycopg.connect(server, autocommit=True) as owner:
        owner.execute("CREATE DATABASE theirs")
        at = f"host={owner.info.host} port={owner.info.port} user={owner.info.user} dbname=theirs sslmode=disable"
        if password := owner.info.password:
            at += f" password={password}"
    ports = [free_port() for _ in range(3)]
    told = dict(zip(("WE_REST_PORT", "WE_GRPC_PORT", "WE_METRICS_PORT"), map(str, ports), strict=True))
    told |= {"WE_POSTGRES_DSN": at, "DB_MAX_CONNS": "32", "WE_LOG_LEVEL": "error"}
    with (out / "their-server.log").open("w") as heard:
        process = subprocess.Popen(
            command, cwd=folder / "workflow-engine", env=os.environ | told, stdout=heard, stderr=heard
        )
        try:
            wait_until(lambda: _answers(ports[0]) or process.poll() is not None, 60, "their server")
            yield f"http://127.0.0.1:{ports[0]}"
        finally:
            # It doesn't end when it is asked to while it does what came before.
            process.kill()
            process.wait(30)


def _answers(port: int) -> bool:
    with suppress(OSError, http.client.HTTPException):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=2)
        connection.request("GET", "/healthz")
        return connection.getresponse().status == 200
    return False


def table(found: Sequence[tuple[str, Figures]]) -> str:
    """The figures as a table: a line a figure, a column a server."""
    lines = [f"{'':20}" + "".join(f"{name:>20}" for name, _ in found)]
    for figure in found[0][1]:
        lines.append(f"{figure:20}" + "".join(f"{figures[figure]:>20}" for _, figures in found))
    return "\n".join(lines)


def main() -> int:
    """0 where both were measured."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2_000)
    parser.add_argument("--out", default="", help="where to build; a temporary folder otherwise")
    asked = parser.parse_args()
    folder = sources()
    if folder is None:
        print(f"Set {SOURCES} to a checkout of the public engine.")
        return 2
    with tempfile.TemporaryDirectory() as temporary:
        out = Path(asked.out or temporary).absolute()
        out.mkdir(parents=True, exist_ok=True)
        with database(out / "bench-postgres") as server:
            with handoff(out / "bench-home", database=server) as doors:
                found = [("Handoff", measured(doors.rest, asked.runs))]
            with their_server(folder, out, server) as address:
                found.append(("the public engine", measured(address, asked.runs)))
    print(table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())

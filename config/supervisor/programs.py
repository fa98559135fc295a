"""What runs under the supervisor: names, command lines, environments, signals."""

import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from config import loads
from config.embedded import kafka, postgres, redis
from config.embedded.kafka import Kafka
from config.embedded.postgres import Postgres
from config.embedded.redis import Redis
from config.environment import BASE_DIR

# Two processes for the queue of the quick steps, so that a step that kills its process never stops the queue.
WORKERS = {
    "worker-default-1": "default",
    "worker-default-2": "default",
    "worker-blocking": "blocking",
    "worker-engine": "engine",
    "worker-ticks": "ticks",
}
_CELERY = ["celery", "--quiet"]
# Several workers on one machine: numeric libraries that take every core each only get in each other's way,
# and their threads would not survive the fork.
_ONE_THREAD_EACH = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
# To end a server ends what everybody has in hand: it gets more time than those who are replaced first.
_SERVER_SILENCE_SECONDS = 20.0
# A process that answers clients, and is frozen, answers none of them any more: they get an error within 10 s of the
# freeze, as its connections are closed when it ends.
_CLIENTS_GRACE_SECONDS = 1.5


@dataclass(frozen=True)
class Program:
    """One process that is kept alive.

    `ready`: "says" = it beats through the descriptor in HANDOFF_READY_FD (`lib.pulse`), "asked" = `is_ready` is asked
    until true. From then on it must go on beating, or `is_alive` must go on being true where it is given: silent for
    `silence_seconds`, it is ended, and where `has_twins` another takes its place before that. It then has
    `frozen_grace_seconds` between the stop signal and SIGKILL, otherwise `grace_seconds`.
    `is_worker`: it holds leases of steps, under a name that tells each of its lives from the others.
    `prepare` runs before every start, restarts included. With a `log_file` the terminal is spared its output.
    """

    name: str
    command: Callable[[], list[str]]
    ready: Literal["says", "asked"]
    is_ready: Callable[[], bool] = lambda: True
    is_alive: Callable[[], bool] | None = None
    silence_seconds: float = 6.0
    has_twins: bool = False
    is_worker: bool = False
    prepare: Callable[[], None] = lambda: None
    environment: Mapping[str, str] = field(default_factory=dict)
    descriptors: tuple[int, ...] = ()
    stop_signal: signal.Signals = signal.SIGTERM
    death_signal: signal.Signals = signal.SIGKILL
    leave_root: bool = False
    grace_seconds: float = 15.0
    frozen_grace_seconds: float = 15.0
    log_file: Path | None = None
    folder: str = str(BASE_DIR)


def database_program(server: Postgres) -> Program:
    """The embedded PostgreSQL."""
    return Program(
        name="postgres",
        command=server.command,
        ready="asked",
        is_ready=server.is_ready,
        is_alive=server.answers,
        silence_seconds=_SERVER_SILENCE_SECONDS,
        prepare=server.prepare,
        stop_signal=postgres.STOP_SIGNAL,
        death_signal=postgres.STOP_SIGNAL,
        leave_root=True,
        log_file=server.folder / "log",
        folder="/",
    )


def broker_program(server: Redis) -> Program:
    """The embedded Redis; its address is chosen once, before: restarts must find it where it was."""
    return Program(
        name="redis",
        command=server.command,
        ready="asked",
        is_ready=server.is_ready,
        is_alive=server.is_ready,
        silence_seconds=_SERVER_SILENCE_SECONDS,
        stop_signal=redis.STOP_SIGNAL,
        log_file=server.folder / "log",
        folder="/",
    )


def kafka_program(server: Kafka) -> Program:
    """The embedded Kafka; its address is chosen once, before: restarts must find it where it was."""
    return Program(
        name="kafka",
        command=server.command,
        ready="asked",
        is_ready=server.is_ready,
        is_alive=server.is_ready,
        silence_seconds=kafka.SILENCE_SECONDS,
        stop_signal=kafka.STOP_SIGNAL,
        log_file=server.folder / "log",
        # Its configuration is named from there, and what an earlier life left is known by it.
        folder=str(server.folder),
    )


def nursery_program() -> Program:
    """The process that has everything loaded and forks the ones below; their `command` is an entry of it."""
    return Program(
        name="nursery",
        command=lambda: [sys.executable, "-m", "config.nursery"],
        ready="says",
        # Celery would check all of Django in each process; that is what `manage.py check` is for.
        environment={"CELERY_SKIP_CHECKS": "1", **_ONE_THREAD_EACH},
    )


def prepare_program(secrets: Mapping[str, str]) -> Program:
    """Runs once, before the ones below, with secrets that no other process is given."""
    return Program(name="prepare", command=lambda: ["manage", "prepare"], ready="says", environment=secrets)


def lost_workers_program(names: Sequence[str]) -> Program:
    """Runs once, when workers of these names have ended, and takes back what they held."""
    return Program(name="lost-workers", command=lambda: ["manage", "lost_workers", *names], ready="says")


def web_programs(listener: int, count: int) -> list[Program]:
    """So many web processes, "web", "web-2" and so on, on the socket `listener`, which the supervisor bound."""
    shared = loads.shared_file(count)
    return [
        Program(
            name=f"web-{number + 1}" if number else "web",
            command=lambda: ["web"],
            ready="says",
            has_twins=True,
            frozen_grace_seconds=_CLIENTS_GRACE_SECONDS,
            environment={"HANDOFF_PROCESS": "web", loads.NUMBER: str(number), loads.COUNT: str(count)},
            descriptors=(listener, shared),
        )
        for number in range(count)
    ]


def grpc_program() -> Program:
    """The process that answers gRPC. It has the port to itself, so another one is started when it has ended."""
    return Program(
        name="grpc",
        command=lambda: ["grpc"],
        ready="says",
        frozen_grace_seconds=_CLIENTS_GRACE_SECONDS,
        environment={"HANDOFF_PROCESS": "grpc"},
    )


def relay_program() -> Program:
    """The process that tells consumers of a broker what is in the outbox; of two, one leads."""
    return Program(
        name="relay",
        command=lambda: ["relay"],
        ready="says",
        # A broker that takes its time is waited for.
        silence_seconds=20.0,
        has_twins=True,
        environment={"HANDOFF_PROCESS": "worker"},
    )


def worker_program(name: str, queue: str) -> Program:
    """One Celery worker: one process, one class of queue; `runs` does its own batching and threads in there."""
    lean = ["--pool", "solo", "--without-mingle", "--without-gossip", "--without-heartbeat"]
    return Program(
        name=name,
        command=lambda: [*_CELERY, "worker", *lean, "-n", f"{name}@%h", "-Q", queue, "--loglevel", "WARNING"],
        ready="says",
        has_twins=True,
        is_worker=True,
        environment={"HANDOFF_PROCESS": "worker", "HANDOFF_WORKER_QUEUE": queue},
    )


def polling_worker_program(name: str, queue: str) -> Program:
    """One worker without Celery (`config.worker`)."""
    return Program(
        name=name,
        command=lambda: ["worker"],
        ready="says",
        has_twins=True,
        is_worker=True,
        environment={"HANDOFF_PROCESS": "worker", "HANDOFF_WORKER_QUEUE": queue},
    )


def beat_program() -> Program:
    """The clock that sends the ticks; the in-memory scheduler leaves no file behind."""
    return Program(
        name="beat",
        command=lambda: [
            *_CELERY,
            "beat",
            "-S",
            "config.beat:Clock",
            "--pidfile=",
            "--loglevel",
            "WARNING",
        ],
        ready="says",
        has_twins=True,
        environment={"HANDOFF_PROCESS": "beat"},
    )


def programs_beside_web(*, polls: bool, answers_grpc: bool, publishes: bool) -> list[Program]:
    """The processes of Handoff's own that run beside the web, in the order in which they start. `polls`: workers find
    their work by themselves, without hints and a clock; `publishes`: jobs are told of by a broker.
    """
    worker = polling_worker_program if polls else worker_program
    return [
        *(worker(name, queue) for name, queue in WORKERS.items()),
        *([] if polls else [beat_program()]),
        *([grpc_program()] if answers_grpc else []),
        *([relay_program()] if publishes else []),
    ]

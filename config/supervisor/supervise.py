"""The order of a start and of a stop."""

import asyncio
import contextlib
import os
import signal
import time
from collections.abc import Mapping
from socket import socket

from config import dispatch_environment, environment, grpc_environment, kafka_environment, start_environment
from config.embedded.kafka import Kafka, is_fetched
from config.embedded.postgres import Postgres
from config.embedded.processes import EmbeddedError
from config.embedded.redis import Redis, is_there
from config.supervisor.asking import Readiness, complaints
from config.supervisor.child import Child
from config.supervisor.errors import CannotStart
from config.supervisor.home import Home
from config.supervisor.launch import Launch, Process, execute, launch_with_pipes
from config.supervisor.lost_workers import LostWorkers
from config.supervisor.nursery import Nursery
from config.supervisor.output import REFUSAL_SECONDS, Output, Pump
from config.supervisor.programs import (
    WORKERS,
    Program,
    broker_program,
    database_program,
    kafka_program,
    nursery_program,
    prepare_program,
    programs_beside_web,
    web_programs,
)

# Only what makes the first data may read it: the environment of no other child shows it.
_OWNER_URL = "HANDOFF_OWNER_DATABASE_URL"
_FOR_FIRST_START = ("HANDOFF_ADMIN_PASSWORD", _OWNER_URL)
_SERVER_SECONDS, _PROCESS_SECONDS, _READY_SECONDS = 60, 120, 60
# A migration takes as long as it takes, and says every few seconds that it goes on.
_PREPARE_SILENT_SECONDS = 300
_REFUSAL = "CommandError: "
_ASK_SECONDS = 4.0


def _first_secrets(embedded: Postgres | None) -> dict[str, str]:
    secrets = {name: os.environ[name] for name in _FOR_FIRST_START if name in os.environ}
    return secrets | {_OWNER_URL: embedded.owner_url} if embedded else secrets


def _without_ours(environment: Mapping[str, str]) -> dict[str, str]:
    """For servers, which need none of our secrets."""
    ours = ("HANDOFF_", "DATABASE_URL", "REDIS_URL")
    return {name: value for name, value in environment.items() if not name.startswith(ours)}


def _mode(output: Output) -> str:
    """How workers hear of work: as somebody says, else by hints, or by polling where there is no Redis to be had.

    Where there are none, by polling: neither Redis nor a broker is needed then, and nobody is told anything by them.
    """
    if start_environment.observes():
        return dispatch_environment.POLLING
    if dispatch_environment.is_said():
        return dispatch_environment.mode()
    if os.environ.get("REDIS_URL") or is_there():
        return dispatch_environment.HINTS
    output.say(
        "There is no embedded Redis for this platform: going on with PostgreSQL alone (docs/dispatch.md)"
    )
    return dispatch_environment.POLLING


class Supervisor:
    """Everything of one home. `listener` is bound to the port; DATABASE_URL and REDIS_URL win over embedded servers."""

    def __init__(self, home: Home, port: int, listener: socket, output: Output) -> None:
        self._home, self._output, self._listener = home, output, listener
        self.url = f"http://127.0.0.1:{port}"
        self._postgres = None if os.environ.get("DATABASE_URL") else Postgres(home.folder / "postgres")
        self._mode = _mode(output)
        self._polls = dispatch_environment.way_of(self._mode) == dispatch_environment.POLLING
        self._broker = dispatch_environment.broker_of(self._mode)
        needs_redis = not self._polls or self._broker == dispatch_environment.REDIS
        has_own = needs_redis and not os.environ.get("REDIS_URL")
        self._redis = Redis(home.folder / "redis") if has_own else None
        has_kafka = self._broker == dispatch_environment.KAFKA and kafka_environment.is_embedded()
        self._kafka = Kafka(home.folder / "kafka") if has_kafka else None
        self._children: list[Child] = []
        self._webs: tuple[str, ...] = ()
        self._nursery = Nursery()
        self._lost = LostWorkers(self._nursery.fork, output, home.folder / "workers")
        self._preparing: Process | None = None
        self._environment: dict[str, str] = {}
        self._is_ready = False
        self._asking: asyncio.Task[None] | None = None

    async def start(self) -> float:
        """Start everything in order; gives the seconds that it took. Raises CannotStart."""
        began = time.monotonic()
        self._home.keep_secrets()
        try:
            await self._start_servers()
        except EmbeddedError as problem:
            raise CannotStart(str(problem)) from None
        await self._prepare_database()
        self._lost.recover()
        webs = web_programs(self._listener.fileno(), environment.web_processes())
        self._webs = tuple(web.name for web in webs)
        await self._start([*webs, *self._beside_web()], self._nursery.fork, _PROCESS_SECONDS)
        await self._until_ready()
        self._is_ready = True
        self._tell()
        self._asking = asyncio.create_task(self._ask_on())
        return time.monotonic() - began

    def _beside_web(self) -> list[Program]:
        if start_environment.observes():
            return []
        return programs_beside_web(
            polls=self._polls, answers_grpc=bool(grpc_environment.port()), publishes=bool(self._broker)
        )

    async def stop(self, *, at_once: bool = False) -> None:
        """Stop in reverse order, the workers side by side, the servers last, and forget run.json."""
        self._lost.stop()
        if self._asking is not None:
            self._asking.cancel()
        if self._preparing is not None and self._preparing.returncode is None:
            self._preparing.send_signal(signal.SIGKILL)
            await self._preparing.wait()
        for names in (
            ("beat", "relay"),
            tuple(WORKERS),
            (*self._webs, "grpc"),
            ("nursery",),
            ("redis", "kafka"),
            ("postgres",),
        ):
            group = [child for child in self._children if child.program.name in names]
            await asyncio.gather(*(child.stop(at_once=at_once) for child in group))
        if self._postgres:
            self._postgres.clean_up()
        self._home.forget_run_file()

    async def _start_servers(self) -> None:
        servers = []
        if self._postgres:
            servers.append(database_program(self._postgres))
            # Before the first start the folder is made; what goes wrong here is the user's to read, not a restart's.
            await asyncio.to_thread(self._postgres.prepare)
        if self._redis:
            servers.append(broker_program(self._redis))
            await asyncio.to_thread(self._redis.prepare)
        if self._kafka:
            if not is_fetched():
                self._output.say("Maven downloads Kafka (once)")
            await asyncio.to_thread(self._kafka.prepare)
            servers.append(kafka_program(self._kafka))
        self._environment = self._for_children()
        # Loading takes longer than the servers need: both at once.
        await asyncio.gather(
            self._start([nursery_program()], self._nursery.start, _PROCESS_SECONDS),
            self._start(servers, execute, _SERVER_SECONDS, _without_ours(self._environment)),
        )
        if self._postgres:
            await asyncio.to_thread(self._postgres.make_database)

    def _for_children(self) -> dict[str, str]:
        return {
            "DJANGO_SETTINGS_MODULE": "config.settings",
            **{name: value for name, value in os.environ.items() if name not in _FOR_FIRST_START},
            "HANDOFF_HOME": str(self._home.folder),
            "DATABASE_URL": self._postgres.url if self._postgres else os.environ["DATABASE_URL"],
            "REDIS_URL": self._redis.url if self._redis else os.environ.get("REDIS_URL", ""),
            dispatch_environment.VARIABLES[0]: self._mode,
            **self._kafka_of_ours(),
            "HANDOFF_BLOBS": environment.blobs(self._home.folder if self._postgres else None),
            # Each process counts in a file of its own there (`lib.process_metrics`).
            "PROMETHEUS_MULTIPROC_DIR": str(self._home.empty_counts()),
            "PYTHONUNBUFFERED": "1",
            "HANDOFF_SUPERVISED": "1",
        }

    def _kafka_of_ours(self) -> dict[str, str]:
        """For children it is one as any other."""
        return {"HANDOFF_KAFKA": "", kafka_environment.BROKERS: self._kafka.address} if self._kafka else {}

    async def _start(
        self,
        programs: list[Program],
        launch: Launch,
        seconds: float,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        variables = self._environment if environment is None else environment
        started = [
            Child(program, launch, variables, self._output, self._tell, self._lost) for program in programs
        ]
        self._children += started
        await asyncio.gather(*(child.start(seconds) for child in started))

    async def _prepare_database(self) -> None:
        """Self-check, migrations and first data, in a process of their own because they need Django."""
        launched = await launch_with_pipes(
            self._nursery.fork, prepare_program(_first_secrets(self._postgres)), self._environment
        )
        self._preparing = launched.process
        os.close(launched.ready_end)
        pump = Pump(self._output, "prepare", refusal=_REFUSAL)
        code: int | None = None
        with contextlib.suppress(TimeoutError):
            await pump.run(launched.output, _PREPARE_SILENT_SECONDS)
            patience = REFUSAL_SECONDS if pump.withheld else _PREPARE_SILENT_SECONDS
            code = await asyncio.wait_for(launched.process.wait(), patience)
        if code == 0:
            pump.print_withheld()
        elif pump.withheld:
            raise CannotStart(pump.withheld.removeprefix(_REFUSAL))
        elif code is None:
            raise CannotStart(
                f"The database is not prepared, and preparing it has shown no progress for {_PREPARE_SILENT_SECONDS} s."
            )
        else:
            raise CannotStart(f"The database could not be prepared (exit code {code}, see above).")

    async def _until_ready(self) -> None:
        deadline = time.monotonic() + _READY_SECONDS
        while wrong := await asyncio.to_thread(complaints, self.url):
            if time.monotonic() > deadline:
                raise CannotStart(
                    f"{self.url}/readyz was not ready within {_READY_SECONDS} s: {'; '.join(wrong)}."
                )
            await asyncio.sleep(0.1)

    async def _ask_on(self) -> None:
        readiness = Readiness(self._output.say)
        while True:
            await asyncio.sleep(_ASK_SECONDS)
            readiness.note(await asyncio.to_thread(complaints, self.url))

    def _tell(self) -> None:
        if self._is_ready:
            self._home.write_run_file(self._facts())

    def _facts(self) -> Mapping[str, object]:
        pids = {child.program.name: child.pid for child in self._children}
        return {
            "url": self.url,
            "database_url": self._environment["DATABASE_URL"],
            "blobs_url": self._environment["HANDOFF_BLOBS"],
            "redis_url": self._environment["REDIS_URL"],
            "dispatch": self._environment[dispatch_environment.VARIABLES[0]],
            "kafka_brokers": self._kafka.address if self._kafka else "",
            "observes": start_environment.observes(),
            "pids": {"supervisor": os.getpid(), **pids},
        }

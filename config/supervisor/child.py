"""One program kept alive: start, wait until it is ready, start again when it dies or hangs, stop."""

import asyncio
import contextlib
import dataclasses
import os
import secrets
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from config.embedded.processes import EmbeddedError
from config.limits import (
    FAILED_STARTS,
    READY_RESTART_PAUSE_SECONDS,
    RESTART_PAUSE_SECONDS,
    SLOW_START_SECONDS,
)
from config.supervisor.errors import CannotStart
from config.supervisor.launch import Launch, Launched, Process, launch_with_pipes
from config.supervisor.lost_workers import LostWorkers
from config.supervisor.output import Output, Pump
from config.supervisor.programs import Program
from config.supervisor.signs import Signs

_FIRST_PAUSE = 0.25
# Who lived that long and dies starts again without having to wait for earlier deaths.
_HEALTHY_SECONDS = 10.0
# How long one life may take to give a first sign; the next one twice as long, since the machine may be that slow.
_START_SECONDS = 20.0
# How often a process that is ready is asked for signs of progress.
_LOOK_SECONDS = 1.0


@dataclass(frozen=True)
class _Life:
    """How one life of the process went; `code`: None where it could not be started, or has not ended yet."""

    code: int | None
    seconds: float
    was_ready: bool = False
    hung: bool = False


class Child:
    """`on_change` is called whenever the child has a new pid, `workers` hears of each life of a worker."""

    def __init__(
        self,
        program: Program,
        launch: Launch,
        environment: Mapping[str, str],
        output: Output,
        on_change: Callable[[], None],
        workers: LostWorkers | None = None,
    ) -> None:
        self.program = program
        self.pid: int | None = None
        self._launch, self._environment = launch, environment
        self._output, self._on_change, self._workers = output, on_change, workers
        self._ready = asyncio.Event()
        self._stopping = False
        self._deaths = 0
        self._start_seconds = _START_SECONDS
        self._signs: Signs | None = None
        self._process: Process | None = None
        self._task: asyncio.Task[None] | None = None
        self._pump: Pump | None = None
        self._hanging: set[Process] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, seconds: float) -> None:
        """Start it and return when it is ready. Raises CannotStart after `seconds` without, or when it keeps dying.

        A server that answers and is not ready yet recovers from a crash: that takes as long as it takes.
        """
        self._task = asyncio.create_task(self._keep_alive())
        ready = asyncio.create_task(self._ready.wait())
        began = time.monotonic()
        try:
            done: set[asyncio.Task[Any]] = set()
            while not done and (left := seconds - self._silent_for(began)) > 0:
                done, _ = await asyncio.wait(
                    {ready, self._task}, timeout=left, return_when=asyncio.FIRST_COMPLETED
                )
        finally:
            ready.cancel()
        if self._task.done() and not self._ready.is_set():
            self._task.result()
        if not self._ready.is_set():
            raise CannotStart(
                f"{self.program.name} did not become ready within {seconds:g} s. {self._last_words()}"
            )

    def _silent_for(self, began: float) -> float:
        """Seconds since it was started, or since it answered."""
        last_sign = self._signs.last if self._signs and self._signs.has_answered else began
        return time.monotonic() - last_sign

    async def stop(self, *, at_once: bool = False) -> None:
        """Ask it to end, wait for its grace, then kill it with all that it started."""
        self._stopping = True
        process = self._process
        if process is not None and process.returncode is None:
            await self._end(process, at_once=at_once)
        for hanging in tuple(self._hanging):
            _kill(hanging)
            await hanging.wait()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _keep_alive(self) -> None:
        pause = _FIRST_PAUSE
        while not self._stopping:
            life = await self._live_once()
            if self._stopping:
                return
            if life.hung:
                continue
            self._deaths += 1
            if self._deaths >= FAILED_STARTS and not self._ready.is_set():
                raise CannotStart(
                    f"{self.program.name} does not start ({_meaning(life.code)}). {self._last_words()}"
                )
            if life.seconds > _HEALTHY_SECONDS:
                pause = _FIRST_PAUSE
            longest = READY_RESTART_PAUSE_SECONDS if life.was_ready else RESTART_PAUSE_SECONDS
            pause = min(pause, longest)
            self._output.say(
                f"{self.program.name} ended ({_meaning(life.code)}); starting it again in {pause:g} s"
            )
            await asyncio.sleep(pause)
            pause = min(pause * 2, longest)

    async def _live_once(self) -> "_Life":
        """One life of the process, until it has ended or hangs and another may take its place."""
        began = time.monotonic()
        try:
            await asyncio.to_thread(self.program.prepare)
            launched = await self._launched()
        except (OSError, EmbeddedError, subprocess.SubprocessError) as problem:
            self._output.say(f"cannot be started: {problem}", self.program.name)
            return _Life(None, time.monotonic() - began)
        self._process, self.pid = launched.process, launched.process.pid
        self._pump = Pump(self._output, self.program.name, self.program.log_file)
        # Not awaited: it ends by itself when the last holder of the pipe is gone.
        self._keep(asyncio.create_task(self._pump.run(launched.output)))
        self._on_change()
        signs = self._signs = Signs(self.program, launched.ready_end, self._start_seconds)
        watch = asyncio.create_task(self._until_it_hangs(signs))
        death = asyncio.create_task(launched.process.wait())
        try:
            await asyncio.wait({watch, death}, return_when=asyncio.FIRST_COMPLETED)
            hangs = not death.done()
            if signs.has_answered:
                self._start_seconds = _START_SECONDS
            elif hangs:
                self._start_seconds = min(2 * self._start_seconds, SLOW_START_SECONDS)
            if hangs:
                self._output.say(f"{self.program.name} (pid {self.pid}) {signs.complaint}; ending it")
                ending = asyncio.create_task(self._end_hanging(launched.process))
                self._keep(ending)
                if not self.program.has_twins:
                    await asyncio.shield(ending)
            code = None if hangs else death.result()
            return _Life(code, time.monotonic() - began, was_ready=signs.was_ready, hung=hangs)
        finally:
            for task in (watch, death):
                task.cancel()
            os.close(launched.ready_end)

    async def _launched(self) -> Launched:
        """A new life of the program; that of a worker has a name of its own."""
        if self._workers is None or not self.program.is_worker:
            return await launch_with_pipes(self._launch, self.program, self._environment)
        life = secrets.token_hex(6)
        environment = {**self.program.environment, "HANDOFF_WORKER_LIFE": life}
        program = dataclasses.replace(self.program, environment=environment)
        launched = await launch_with_pipes(self._launch, program, self._environment)
        # As the process names itself: `identity` of runs/workers/drain.py.
        name = f"{socket.gethostname()}:{launched.process.pid}:{life}"
        self._workers.begun(name)
        self._keep(asyncio.create_task(_report_end(launched.process, name, self._workers)))
        return launched

    async def _until_it_hangs(self, signs: Signs) -> None:
        """Set `_ready` once this life of the process is ready; come back when it gives no sign of progress any more."""
        while await signs.are_good():
            if signs.was_ready:
                self._ready.set()
            await asyncio.sleep(_LOOK_SECONDS if signs.was_ready else 0.02)

    async def _end_hanging(self, process: Process) -> None:
        self._hanging.add(process)
        try:
            await self._end(process, grace_seconds=self.program.frozen_grace_seconds)
        finally:
            self._hanging.discard(process)

    async def _end(
        self, process: Process, *, at_once: bool = False, grace_seconds: float | None = None
    ) -> None:
        """Ask it to end, wait for its grace, then kill it with all that it started."""
        grace_seconds = self.program.grace_seconds if grace_seconds is None else grace_seconds
        with contextlib.suppress(TimeoutError, ProcessLookupError):
            process.send_signal(signal.SIGKILL if at_once else self.program.stop_signal)
            await asyncio.wait_for(process.wait(), grace_seconds)
        _kill(process)
        await process.wait()

    def _keep(self, task: "asyncio.Task[None]") -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    def _last_words(self) -> str:
        lines = self._pump.last_lines if self._pump else ()
        return f"Its last words: {lines[-1]}" if lines else "It printed nothing."


async def _report_end(process: Process, name: str, workers: LostWorkers) -> None:
    await process.wait()
    workers.ended(name)


def _kill(process: Process) -> None:
    """It and all that it started."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _meaning(code: int | None) -> str:
    if code is None:
        return "it could not be started"
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"

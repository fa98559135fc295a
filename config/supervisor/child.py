"""One program kept alive: start, wait until it is ready, start again when it dies, stop."""

import asyncio
import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping

from config.embedded.processes import EmbeddedError
from config.supervisor.errors import CannotStart
from config.supervisor.launch import Launch, Process, launch_with_pipes
from config.supervisor.output import Output, Pump
from config.supervisor.programs import Program

_FIRST_PAUSE, _LONGEST_PAUSE = 0.25, 15.0
# Who lived that long and dies starts again without having to wait for earlier deaths.
_HEALTHY_SECONDS = 30.0
_MOST_DEATHS_BEFORE_READY = 5


class Child:
    """`on_change` is called whenever the child has a new pid."""

    def __init__(
        self,
        program: Program,
        launch: Launch,
        environment: Mapping[str, str],
        output: Output,
        on_change: Callable[[], None],
    ) -> None:
        self.program = program
        self.pid: int | None = None
        self._launch, self._environment = launch, environment
        self._output, self._on_change = output, on_change
        self._ready = asyncio.Event()
        self._stopping = False
        self._deaths = 0
        self._process: Process | None = None
        self._task: asyncio.Task[None] | None = None
        self._pump: Pump | None = None

    async def start(self, seconds: float) -> None:
        """Start it and return when it is ready. Raises CannotStart after `seconds`, or when it keeps dying."""
        self._task = asyncio.create_task(self._keep_alive())
        ready = asyncio.create_task(self._ready.wait())
        try:
            await asyncio.wait({ready, self._task}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            ready.cancel()
        if self._task.done() and not self._ready.is_set():
            self._task.result()
        if not self._ready.is_set():
            raise CannotStart(
                f"{self.program.name} did not become ready within {seconds:g} s. {self._last_words()}"
            )

    async def stop(self, *, at_once: bool = False) -> None:
        """Ask it to end, wait for its grace, then kill it with all that it started."""
        self._stopping = True
        process = self._process
        if process is not None and process.returncode is None:
            self._signal(signal.SIGKILL if at_once else self.program.stop_signal)
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(process.wait(), self.program.grace_seconds)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
        if self._task is not None:
            self._task.cancel()
            await asyncio.wait({self._task})

    async def _keep_alive(self) -> None:
        pause = _FIRST_PAUSE
        while not self._stopping:
            started = time.monotonic()
            code = await self._live_once()
            if self._stopping:
                return
            self._deaths += 1
            if self._deaths >= _MOST_DEATHS_BEFORE_READY and not self._ready.is_set():
                raise CannotStart(
                    f"{self.program.name} does not start ({_meaning(code)}). {self._last_words()}"
                )
            if time.monotonic() - started > _HEALTHY_SECONDS:
                pause = _FIRST_PAUSE
            self._output.say(
                f"{self.program.name} ended ({_meaning(code)}); starting it again in {pause:g} s"
            )
            await asyncio.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    async def _live_once(self) -> int | None:
        """One life of the process; gives its exit code (None where it could not even be started)."""
        try:
            await asyncio.to_thread(self.program.prepare)
            launched = await launch_with_pipes(self._launch, self.program, self._environment)
        except (OSError, EmbeddedError, subprocess.SubprocessError) as problem:
            self._output.say(f"cannot be started: {problem}", self.program.name)
            return None
        self._process, self.pid = launched.process, launched.process.pid
        self._pump = Pump(self._output, self.program.name, self.program.log_file)
        # Not awaited: it ends by itself when the last holder of the pipe is gone.
        self._reading = asyncio.create_task(self._pump.run(launched.output))
        self._on_change()
        watch = asyncio.create_task(self._watch(launched.told))
        try:
            return await launched.process.wait()
        finally:
            watch.cancel()
            os.close(launched.told)

    async def _watch(self, told: int) -> None:
        """Set `_ready` once this life of the process is ready."""
        while not await self._asks(told):
            await asyncio.sleep(0.02)
        self._ready.set()

    async def _asks(self, told: int) -> bool:
        if self.program.ready == "asked":
            return await asyncio.to_thread(self.program.is_ready)
        try:
            return bool(os.read(told, 1))
        except BlockingIOError:
            return False

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            if self._process is not None:
                self._process.send_signal(number)

    def _last_words(self) -> str:
        lines = self._pump.last_lines if self._pump else ()
        return f"Its last words: {lines[-1]}" if lines else "It said nothing."


def _meaning(code: int | None) -> str:
    if code is None:
        return "it could not be started"
    return f"signal {signal.Signals(-code).name}" if code < 0 else f"exit code {code}"

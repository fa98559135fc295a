"""Workers that have ended: what they held is taken back at once instead of when its leases run out.

A worker that the supervisor saw end is known by its host, process and life, so nobody else's leases are ended. The
names of those that live are kept in the home: after kill -9 of all, the next start knows whose leases are left.
"""

import asyncio
import contextlib
import os
import signal
import socket
from pathlib import Path

from config.embedded.private_files import write_private
from config.embedded.processes import is_alive
from config.limits import LOST_WORKER_SECONDS
from config.supervisor.launch import Launch, launch_with_pipes
from config.supervisor.output import Output, Pump
from config.supervisor.programs import lost_workers_program

# Those that end together, as after a crash of the machine's memory, are one call.
_TOGETHER_SECONDS = 0.05
# A database that is away is asked again until most leases have run out by themselves.
_PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0)


class LostWorkers:
    """Starts `manage.py lost_workers`, which needs Django, by `launch`; `file` has a line for each worker's name."""

    def __init__(self, launch: Launch, output: Output, file: Path) -> None:
        self._launch, self._output, self._file = launch, output, file
        self._living: set[str] = set()
        self._names: set[str] = set()
        self._task: asyncio.Task[None] | None = None
        self._stopped = False

    def recover(self) -> None:
        """Have what an earlier start left taken back, which nobody saw end; not that of another host, or of a process
        that lives.
        """
        with contextlib.suppress(OSError, ValueError):
            for name in self._file.read_text().split():
                host, pid, _ = name.rsplit(":", 2)
                if host == socket.gethostname() and not is_alive(int(pid)):
                    self.ended(name)

    def begun(self, name: str) -> None:
        """A worker of this name lives."""
        self._living.add(name)
        self._keep()

    def ended(self, name: str) -> None:
        """The worker of this name has ended."""
        self._names.add(name)
        if self._stopped:
            return
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._take_back())

    def stop(self) -> None:
        """Handoff stops: leases that are left run out by themselves."""
        self._stopped = True
        if self._task is not None:
            self._task.cancel()

    async def _take_back(self) -> None:
        while self._names:
            await asyncio.sleep(_TOGETHER_SECONDS)
            names, self._names = sorted(self._names), set()
            for pause in (*_PAUSES, None):
                if await self._is_done(names):
                    break
                if pause is None:
                    self._output.say(f"The leases of {', '.join(names)} run out by themselves")
                else:
                    await asyncio.sleep(pause)
            self._living.difference_update(names)
            self._keep()

    def _keep(self) -> None:
        # A full disk costs the next start its knowledge, and must not cost more.
        with contextlib.suppress(OSError):
            write_private(self._file, "\n".join(sorted(self._living)))

    async def _is_done(self, names: list[str]) -> bool:
        try:
            launched = await launch_with_pipes(self._launch, lost_workers_program(names), {})
        except OSError:
            return False
        os.close(launched.ready_end)
        pump = Pump(self._output, "lost-workers")
        try:
            async with asyncio.timeout(LOST_WORKER_SECONDS):
                await pump.run(launched.output)
                return await launched.process.wait() == 0
        except TimeoutError:
            return False
        finally:
            with contextlib.suppress(ProcessLookupError):
                launched.process.send_signal(signal.SIGKILL)

"""Workers that have ended: what they held is taken back at once instead of when its leases run out.

A worker that the supervisor saw end is known by its host, process and life, so nobody else's leases are ended.
"""

import asyncio
import os
import signal

from config.supervisor.launch import Launch, launch_with_pipes
from config.supervisor.output import Output, Pump
from config.supervisor.programs import lost_workers_program

# Those that end together, as after a crash of the machine's memory, are one call.
_TOGETHER_SECONDS = 0.05
# A database that is away is asked again until most leases have run out by themselves.
_PAUSES = (0.5, 1.0, 2.0, 4.0, 8.0)
_LONGEST_SECONDS = 20.0


class LostWorkers:
    """Starts `manage.py lost_workers`, which needs Django, by `launch`."""

    def __init__(self, launch: Launch, output: Output) -> None:
        self._launch, self._output = launch, output
        self._names: set[str] = set()
        self._task: asyncio.Task[None] | None = None
        self._stopped = False

    def add(self, name: str) -> None:
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

    async def _is_done(self, names: list[str]) -> bool:
        try:
            launched = await launch_with_pipes(self._launch, lost_workers_program(names), {})
        except OSError:
            return False
        os.close(launched.ready_end)
        pump = Pump(self._output, "lost-workers")
        try:
            async with asyncio.timeout(_LONGEST_SECONDS):
                await pump.run(launched.output)
                return await launched.process.wait() == 0
        except TimeoutError:
            return False
        finally:
            launched.process.send_signal(signal.SIGKILL)

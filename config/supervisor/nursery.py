"""The supervisor's side of `config.nursery`: a process that forks web, workers and beat."""

import asyncio
import dataclasses
import json
import os
import signal
import socket
from collections.abc import Mapping
from typing import Any

from config.supervisor.launch import Process, execute
from config.supervisor.programs import Program

_KILLED = -int(signal.SIGKILL)


class Forked:
    """A process that the nursery forked, as a `launch.Process`."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._ended = asyncio.Event()

    async def wait(self) -> int:
        """Its exit code, negative for a signal."""
        await self._ended.wait()
        return self.returncode or 0

    def send_signal(self, number: int, /) -> None:
        """Nothing happens to one that has ended."""
        if self.returncode is None:
            os.kill(self.pid, number)

    def ended(self, code: int) -> None:
        """What the nursery reports."""
        self.returncode = code
        self._ended.set()


class _Line:
    """The connection to one life of the nursery."""

    def __init__(self, control: socket.socket) -> None:
        self._control = control
        self._one_at_a_time = asyncio.Lock()
        self._births: asyncio.Queue[Forked | None] = asyncio.Queue()
        self._alive: dict[int, Forked] = {}

    async def order(self, order: Mapping[str, object], descriptors: list[int]) -> Forked:
        """Have a child born. Raises OSError where the nursery has ended."""
        async with self._one_at_a_time:
            socket.send_fds(self._control, [json.dumps(order).encode()], descriptors)
            child = await self._births.get()
        if child is None:
            raise OSError("the nursery ended")
        return child

    async def listen(self) -> None:
        """Take its reports until it ends; nobody outlives it, so all its children have ended then."""
        reader, writer = await asyncio.open_connection(sock=self._control)
        try:
            while line := await reader.readline():
                self._hear(json.loads(line))
        except ConnectionError:
            pass
        finally:
            writer.close()
            for forked in self._alive.values():
                forked.ended(_KILLED)
            self._births.put_nowait(None)

    def _hear(self, report: dict[str, Any]) -> None:
        if "born" in report:
            self._alive[report["born"]] = forked = Forked(report["born"])
            self._births.put_nowait(forked)
        else:
            self._alive.pop(report["died"]).ended(report["code"])


class Nursery:
    """`start` launches the nursery itself, `fork` lets it launch another program; both are a `launch.Launch`."""

    def __init__(self) -> None:
        self._line: asyncio.Future[_Line] | None = None
        self._listening: set[asyncio.Task[None]] = set()

    async def start(self, program: Program, environment: Mapping[str, str], say: int, tell: int) -> Process:
        """Start a nursery process. It takes orders at once, and carries them out as soon as it has loaded."""
        ours, theirs = socket.socketpair()
        with theirs:
            variables = {**environment, "HANDOFF_CONTROL_FD": str(theirs.fileno())}
            program = dataclasses.replace(program, descriptors=(theirs.fileno(),))
            process = await execute(program, variables, say, tell)
        line = _Line(ours)
        listening = asyncio.create_task(self._listen(line))
        self._listening.add(listening)
        listening.add_done_callback(self._listening.discard)
        self._set(line)
        return process

    async def _listen(self, line: _Line) -> None:
        """As long as it lives; whoever wants a fork then waits for the next life."""
        try:
            await line.listen()
        finally:
            self._forget(line)

    async def fork(self, program: Program, environment: Mapping[str, str], say: int, tell: int) -> Process:
        """Fork `program`; its command is an entry of `config.nursery` and arguments. Raises OSError if that ended."""
        line = await asyncio.shield(self._future())
        order = {"name": program.name, "command": program.command(), "environment": dict(program.environment)}
        try:
            return await line.order(order, [say, tell, *program.descriptors])
        except OSError:
            self._forget(line)
            raise

    def _forget(self, line: _Line) -> None:
        if self._future().done() and self._future().result() is line:
            self._line = None

    def _future(self) -> "asyncio.Future[_Line]":
        if self._line is None:
            self._line = asyncio.get_running_loop().create_future()
        return self._line

    def _set(self, line: _Line) -> None:
        if self._future().done():
            self._line = None
        self._future().set_result(line)

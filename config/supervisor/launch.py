"""How a process comes to be: its pipes, and the plain way of starting it."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from config.embedded.processes import child_setup
from config.supervisor.programs import Program


class Process(Protocol):
    """What we need of a process, however it was started."""

    @property
    def pid(self) -> int: ...
    @property
    def returncode(self) -> int | None: ...
    async def wait(self) -> int: ...
    def send_signal(self, number: int, /) -> None: ...


# Program, environment, where its output goes, through what it says that it is ready.
Launch = Callable[[Program, Mapping[str, str], int, int], Awaitable[Process]]


@dataclass(frozen=True)
class Launched:
    """A process with our ends of its pipes; who launched it closes `ready_end`."""

    process: Process
    output: asyncio.StreamReader
    ready_end: int


async def launch_with_pipes(launch: Launch, program: Program, environment: Mapping[str, str]) -> Launched:
    """Start `program` by `launch` and give it with its pipes. Raises what `launch` raises."""
    read_end, write_end = os.pipe()
    ready_end, tell = os.pipe()
    os.set_blocking(ready_end, False)
    try:
        process = await launch(program, {**environment, **program.environment}, write_end, tell)
    except BaseException:
        os.close(read_end)
        os.close(ready_end)
        raise
    finally:
        os.close(write_end)
        os.close(tell)
    reader = asyncio.StreamReader()
    pipe = os.fdopen(read_end, "rb", 0)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), pipe)
    return Launched(process, reader, ready_end)


async def execute(program: Program, environment: Mapping[str, str], say: int, tell: int) -> Process:
    """The plain way: a new program in a session of its own, which dies with us."""
    return await asyncio.create_subprocess_exec(
        *program.command(),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=say,
        stderr=say,
        cwd=program.folder,
        env={**environment, "HANDOFF_READY_FD": str(tell)},
        pass_fds=(tell, *program.descriptors),
        start_new_session=True,
        preexec_fn=child_setup(program.death_signal, leave_root=program.leave_root),
    )

"""Runs a program in Python again and again, each time in a process of its own that is forked from one which has loaded
what the program needs: to load it takes longer than to run it.
"""

import json
import os
import runpy
import select
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from config.embedded.processes import child_setup

ROOT = Path(__file__).resolve().parents[1]


class Forking:
    """Runs it for one case at a time; orders go by its stdin, pids and exit codes come by its stdout, a line each."""

    def __init__(self, program: Path, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.forking", str(program)],
            cwd=ROOT,
            env=environment,
            # Nothing waits in a buffer here: whoever asks whether there is a line would not see it.
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            preexec_fn=child_setup(signal.SIGTERM),
        )
        self._pid = 0

    def begin(
        self,
        words: Sequence[str],
        environment: Mapping[str, str],
        said: Path,
        trouble: Path,
        asked: Path = Path(os.devnull),
    ) -> None:
        """Play a case, which reads the file `asked`; what is printed is in the other files then."""
        files = [str(asked), str(said), str(trouble)]
        order = {"words": [*words], "environment": {**environment}, "files": files}
        if (code := self._process.poll()) is not None:
            raise ChildProcessError(f"Who forks has ended with {code}.")
        _pipe(self._process.stdin).write(json.dumps(order).encode() + b"\n")
        self._pid = self._number()

    def poll(self) -> int | None:
        """The exit code, once there is one."""
        if not select.select([_pipe(self._process.stdout)], [], [], 0)[0]:
            return None
        self._pid = 0
        return self._number()

    def kill(self) -> None:
        """Who plays is gone, if anybody does; the next case can begin."""
        if self._pid:
            with suppress(ProcessLookupError):  # it has just ended
                os.kill(self._pid, signal.SIGKILL)
            self._pid = 0
            self._number()

    def leave(self) -> None:
        """There are no more cases."""
        self._process.kill()
        self._process.communicate()

    def _number(self) -> int:
        line = _pipe(self._process.stdout).readline()
        if not line:
            raise ChildProcessError(f"Who forks has ended with {self._process.wait()}.")
        return int(line)


def _pipe(end: IO[bytes] | None) -> IO[bytes]:
    assert end is not None
    return end


def _fork(order: dict[str, Any]) -> int:
    """The pid of who plays it; 0 in there, where all is as the order says."""
    if pid := os.fork():
        return pid
    for descriptor, file in enumerate(order["files"]):
        os.dup2(os.open(file, os.O_WRONLY | os.O_CREAT if descriptor else os.O_RDONLY), descriptor)
    os.environ.clear()
    os.environ.update(order["environment"])
    sys.argv[1:] = order["words"]
    return 0


def main(program: str) -> None:
    """Fork for each order that comes by stdin. It ends as the program does in who plays."""
    runpy.run_path(program, run_name="loaded")
    for line in sys.stdin.buffer:
        if (pid := _fork(json.loads(line))) == 0:
            runpy.run_path(program, run_name="__main__")
            return
        print(pid, flush=True)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])

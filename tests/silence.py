"""Ends a process of tests in which nothing begins or ends for a long time; its test has failed, and says where it hung.

`timeout` ends a test that hangs, but not what hangs in C code, between two tests, or after `timeout` has ended a test.
A process first ends itself, by a thread of C code. Who distributes the tests ends what does not: a process that is
stopped, and one that is gone while a process forked from it keeps the pipe to here open, so that nobody noticed.
"""

import faulthandler
import os
import signal
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TextIO

import pytest
from xdist.workermanage import WorkerController

SECONDS = 600.0
"""Longer than `timeout` of pyproject.toml for a test, its fixtures and their end."""
_OF_PYTEST = ("/_pytest/", "/pluggy/", "/xdist/", "/execnet/", '"<string>"')


def plugin(config: pytest.Config, folder: Path, seconds: float = SECONDS) -> "Silence | Overseer":
    """What a session needs: one for a process that runs tests, another for the one that distributes them. What they
    tell one another is in `folder`.
    """
    if hasattr(config, "workerinput"):
        name = config.workerinput["workerid"]
        (folder / f"{name}.pid").write_text(str(os.getpid()))
        return Silence(seconds, (folder / f"{name}.threads").open("w"), folder / f"{name}.pid")
    if config.getoption("numprocesses", None):
        return Overseer(seconds, folder)
    # While a test runs, descriptor 2 is pytest's.
    return Silence(seconds, os.fdopen(os.dup(sys.__stderr__.fileno() if sys.__stderr__ else 2), "w"))


class Silence:
    """Ends this process, which runs tests, and writes to `said` where each of its threads is. Each sign of life touches
    `sign`.
    """

    def __init__(self, seconds: float, said: TextIO, sign: Path | None = None) -> None:
        self._seconds, self._said, self._sign = seconds, said, sign
        self._begin()

    def pytest_collection_finish(self) -> None:
        """Begin anew: the tests are collected."""
        self._begin()

    def pytest_runtest_logstart(self) -> None:
        """Begin anew: a test begins."""
        self._begin()

    def pytest_runtest_logreport(self) -> None:
        """Begin anew: a part of a test has ended."""
        self._begin()

    @pytest.hookimpl(trylast=True)
    def pytest_exception_interact(self) -> None:
        """Begin anew: where a test has failed, pytest cancels what would say where the threads are."""
        self._begin()

    def pytest_unconfigure(self) -> None:
        """Stop: nobody waits for this process any more."""
        faulthandler.cancel_dump_traceback_later()
        if self._sign:
            self._sign.unlink(missing_ok=True)

    def _begin(self) -> None:
        if self._sign:
            with suppress(FileNotFoundError):
                os.utime(self._sign)
        faulthandler.dump_traceback_later(self._seconds, exit=True, file=self._said)


class Overseer:
    """Ends processes of tests that give no sign of life and have not ended themselves, with all that keep their pipes
    open, and adds to the failure of the test what is known of its process.
    """

    def __init__(self, seconds: float, folder: Path) -> None:
        self._seconds, self._folder = seconds, folder
        self._pipes: dict[str, set[str]] = {}
        self._done = threading.Event()

    def pytest_sessionstart(self) -> None:
        """Begin to look after them."""
        threading.Thread(target=self._oversee, daemon=True, name="overseer").start()

    def pytest_testnodeready(self, node: WorkerController) -> None:
        """Remember by which pipes a process is heard."""
        name = node.gateway.id
        with suppress(FileNotFoundError):
            self._pipes[name] = _pipes(int(self._sign(name).read_text())) & (
                _pipes(os.getpid()) - _standard()
            )

    def pytest_testnodedown(self, node: WorkerController) -> None:
        """Look after it no longer."""
        self._sign(node.gateway.id).unlink(missing_ok=True)

    def pytest_handlecrashitem(self, report: pytest.TestReport) -> None:
        """Add where its process was."""
        name = report.node.gateway.id
        report.longrepr = "\n".join([str(report.longrepr), *self._known(name)])

    def pytest_unconfigure(self) -> None:
        """Stop."""
        self._done.set()

    def _sign(self, name: str) -> Path:
        return self._folder / f"{name}.pid"

    def _known(self, name: str) -> list[str]:
        state, threads = (self._folder / f"{name}.{what}" for what in ("state", "threads"))
        # faulthandler writes the main thread last: whoever cuts a long report off needs it first.
        blocks = threads.read_text().split("\n\n")[::-1] if threads.exists() else []
        lines = state.read_text().splitlines() if state.exists() else []
        lines += [line for block in blocks for line in [*block.splitlines(), ""]]
        return [line for line in lines if not any(part in line for part in _OF_PYTEST)]

    def _oversee(self) -> None:
        while not self._done.wait(self._seconds / 60):
            for sign in self._folder.glob("*.pid"):
                with suppress(OSError):
                    # The process itself has ended by then, if it could.
                    silence = time.time() - sign.stat().st_mtime
                    if silence > self._seconds * 1.1:
                        self._end(sign.stem, int(sign.read_text()), silence)

    def _end(self, name: str, pid: int, silence: float) -> None:
        keepers = [
            other
            for other in _processes()
            if other != os.getpid() and _pipes(other) & self._pipes.get(name, set())
        ]
        described = [f"{name} (process {pid}) gave no sign of life for {silence:.0f} s. Ended with it:"]
        described += [f"  {other} {_command(other)}: {_state(other)}" for other in {pid, *keepers}]
        self._sign(name).unlink()
        (self._folder / f"{name}.state").write_text("\n".join(described))
        for other in {pid, *keepers}:
            with suppress(ProcessLookupError):
                os.kill(other, signal.SIGKILL)


def is_bounded(config: pytest.Config) -> bool:
    """Whether tests of this session have a time at which they are ended: `make soak` gives none."""
    return config.getoption("timeout") != 0


def _processes() -> list[int]:
    return [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]


def _pipes(pid: int) -> set[str]:
    """The pipes that a process has open, by the names that the kernel gives them."""
    return {name for name in _open(f"/proc/{pid}/fd").values() if name.startswith("pipe:")}


def _standard() -> set[str]:
    """What all of them write to."""
    return {name for descriptor, name in _open("/proc/self/fd").items() if descriptor in ("0", "1", "2")}


def _open(folder: str) -> dict[str, str]:
    named = {}
    # It may end meanwhile, and those of others can't be seen.
    with suppress(OSError):
        for descriptor in os.listdir(folder):
            with suppress(OSError):
                named[descriptor] = os.readlink(f"{folder}/{descriptor}")
    return named


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text().replace("\0", " ")[:120]
    except OSError:
        return "(gone)"


def _state(pid: int) -> str:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
        waits_in = Path(f"/proc/{pid}/wchan").read_text()
    except OSError:
        return "unknown"
    return next(line for line in status.splitlines() if line.startswith("State:")) + f", in {waits_in or '?'}"

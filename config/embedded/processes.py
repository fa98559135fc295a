"""Starting children that die with their parent, and clearing away what an earlier life left behind."""

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

LINUX = sys.platform.startswith("linux")
_CLONE_NEWUSER = 0x10000000
_PR_SET_PDEATHSIG = 1
_PR_SET_NAME = 15
_LONGEST_PAUSE = 0.1
# Any id but 0 does: PostgreSQL only refuses to be root.
_INNER_ID = 1000
# Loaded before any fork: a child between fork and exec must not load libraries.
_libc = ctypes.CDLL(None, use_errno=True)


class EmbeddedError(Exception):
    """An embedded server cannot run here; the message says why and what to do, in one line."""


def child_setup(death_signal: signal.Signals, *, leave_root: bool = False) -> Callable[[], None]:
    """A `preexec_fn`: the child gets `death_signal` when its parent dies, and with `leave_root` it is not root.

    Start such children from the main thread only: the kernel sends the signal when the *thread* that forked ends.
    """
    parent = os.getpid()

    def setup() -> None:
        if leave_root and os.geteuid() == 0:
            _enter_user_namespace()
        if LINUX:
            _libc.prctl(_PR_SET_PDEATHSIG, int(death_signal))
            if os.getppid() != parent:
                os._exit(1)

    return setup


def _enter_user_namespace() -> None:
    """Root outside, an ordinary user inside: files stay root's, so no chown and no opened parent folders."""
    if _libc.unshare(_CLONE_NEWUSER):
        raise OSError(ctypes.get_errno(), "user namespaces are refused")
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{_INNER_ID} 0 1"),
        ("gid_map", f"{_INNER_ID} 0 1"),
    ):
        Path("/proc/self", name).write_text(text)


def name_process(name: str) -> None:
    """Give this process a name in `ps` and `top` (15 characters of it)."""
    if LINUX:
        _libc.prctl(_PR_SET_NAME, name.encode()[:15])


def can_leave_root() -> bool:
    """Whether a child may stop being root: true for ordinary users, and where the kernel gives user namespaces."""
    if os.geteuid() != 0:
        return True
    try:
        subprocess.run(
            [sys.executable, "-S", "-c", ""],
            preexec_fn=child_setup(signal.SIGKILL, leave_root=True),
            check=True,
            capture_output=True,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return True


def is_alive(pid: int) -> bool:
    """Whether this process runs; a zombie does not."""
    if not LINUX:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:
            return True
        return True
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


def living_in(folder: Path, program: str) -> list[int]:
    """Pids of the processes of `program` whose working directory is `folder` (Linux; elsewhere empty)."""
    pids, folder = [], folder.resolve()
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            executable = (entry / "exe").readlink().name.removesuffix(" (deleted)")
            if executable == program and (entry / "cwd").readlink() == folder:
                pids.append(int(entry.name))
    return pids


def clear_away(folder: Path, program: str, first_signal: signal.Signals, grace_seconds: float = 3.0) -> None:
    """End what an earlier life left running in `folder`: politely for `grace_seconds`, then by force."""
    for each in (first_signal, signal.SIGKILL):
        pids = living_in(folder, program)
        for pid in pids:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, each)
        deadline = time.monotonic() + grace_seconds
        while pids and time.monotonic() < deadline:
            time.sleep(0.02)
            pids = living_in(folder, program)


def wait_until(is_true: Callable[[], bool], seconds: float, what: str | Callable[[], str]) -> None:
    """Ask until `is_true`, at first after 10 ms, then less and less often: asking costs who is asked.

    Raises EmbeddedError after `seconds`, naming `what`, which is asked only then where it is a function.
    """
    deadline = time.monotonic() + seconds
    pause = 0.01
    while not is_true():
        if time.monotonic() > deadline:
            name = what if isinstance(what, str) else what()
            raise EmbeddedError(f"{name} did not become ready within {seconds:g} s.")
        time.sleep(pause)
        pause = min(pause * 1.5, _LONGEST_PAUSE)

"""What a process gives up for good before it evaluates what tenants wrote (docs/security.md, "Expression language").

No privileges are needed: limits can always be lowered, and a seccomp filter may be set by anybody who gives up gaining
privileges. What the filter doesn't name fails with EPERM: sockets, files, new processes, signals to others. Where the
kernel has no filters, the limits remain: without a descriptor to be had there is no file and no socket either.
"""

import ctypes
import errno
import os
import platform
import resource
import signal
import struct

MEMORY_BYTES = 256 * 1024 * 1024
NICENESS = 5
COMPUTING_MS = 200
COMPUTING_SECONDS = 1
# More than all evaluations of one child may take together: a bound for one that gets out of hand.
LIFE_SECONDS = 600

_PR_SET_SECCOMP, _PR_SET_NO_NEW_PRIVS, _FILTER = 22, 38, 2
_LOAD, _IF_EQUAL, _RETURN = 0x20, 0x15, 0x06
_KILL, _REFUSE, _ALLOW = 0x80000000, 0x00050000 | errno.EPERM, 0x7FFF0000
# The only machine for which the CEL library comes: its mark, and its numbers of system calls.
_MACHINE, _MARK = "x86_64", 0xC000003E
_CALLS = {
    "read": 0, "write": 1, "close": 3, "mmap": 9, "mprotect": 10, "munmap": 11, "brk": 12, "rt_sigaction": 13,
    "rt_sigprocmask": 14, "rt_sigreturn": 15, "sched_yield": 24, "mremap": 25, "madvise": 28, "setitimer": 38,
    "exit": 60, "getrusage": 98, "sigaltstack": 131, "futex": 202, "restart_syscall": 219, "clock_gettime": 228,
    "exit_group": 231, "getrandom": 318,
}  # fmt: skip
_PRLIMIT = 302
_NUMBER_AT, _MARK_AT, _FIRST_ARGUMENT_AT = 0, 4, 16


class _Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("filter", ctypes.c_char_p)]


def confine() -> None:
    """Give up files, sockets, processes and all but 256 MB of memory; whoever serves others goes first.

    Raises OSError where a limit can't be set.
    """
    os.nice(NICENESS)
    os.closerange(2, os.sysconf("SC_OPEN_MAX"))
    resource.setrlimit(resource.RLIMIT_CPU, (LIFE_SECONDS, LIFE_SECONDS))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    for forbidden in (
        resource.RLIMIT_NOFILE,
        resource.RLIMIT_NPROC,
        resource.RLIMIT_FSIZE,
        resource.RLIMIT_CORE,
    ):
        resource.setrlimit(forbidden, (0, 0))
    if platform.machine() == _MACHINE:
        _filter_calls()


def allow_computing() -> None:
    """From now on one evaluation's time counts: 200 ms by the timer, 1 s (in whole seconds) by RLIMIT_CPU."""
    usage = resource.getrusage(resource.RUSAGE_SELF)
    until = int(usage.ru_utime + usage.ru_stime) + 1 + COMPUTING_SECONDS
    resource.setrlimit(resource.RLIMIT_CPU, (until, LIFE_SECONDS))
    signal.setitimer(signal.ITIMER_PROF, COMPUTING_MS / 1000)


def stop_counting() -> int:
    """The evaluation is over: gives the milliseconds that it took, at least one."""
    left, _ = signal.setitimer(signal.ITIMER_PROF, 0)
    return min(max(1, round(COMPUTING_MS - left * 1000)), COMPUTING_MS)


def _filter_calls() -> None:
    code = b"".join(_instructions())
    program = _Program(len(code) // 8, code)
    prctl = ctypes.CDLL(None).prctl
    zero = ctypes.c_ulong(0)
    prctl(_PR_SET_NO_NEW_PRIVS, ctypes.c_ulong(1), zero, zero, zero)
    prctl(_PR_SET_SECCOMP, ctypes.c_ulong(_FILTER), ctypes.byref(program), zero, zero)


def _instructions() -> list[bytes]:
    allowed = [
        line
        for number in _CALLS.values()
        for line in (_line(_IF_EQUAL, number, 0, 1), _line(_RETURN, _ALLOW))
    ]
    return [
        _line(_LOAD, _MARK_AT),
        _line(_IF_EQUAL, _MARK, 1, 0),
        _line(_RETURN, _KILL),
        _line(_LOAD, _NUMBER_AT),
        *allowed,
        # Its own limits only: by the number of another process it would change those of that one.
        _line(_IF_EQUAL, _PRLIMIT, 0, 3),
        _line(_LOAD, _FIRST_ARGUMENT_AT),
        _line(_IF_EQUAL, 0, 0, 1),
        _line(_RETURN, _ALLOW),
        _line(_RETURN, _REFUSE),
    ]


def _line(code: int, operand: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """One instruction of the kernel's filter language (`struct sock_filter`)."""
    return struct.pack("=HBBI", code, if_true, if_false, operand)

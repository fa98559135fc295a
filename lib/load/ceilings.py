"""A ceiling for the CPU time of each request.

A thread that computes for longer gets an exception, whether its client still waits or not. A process in which that does
not end it is ended: others wait for the interpreter that it holds.
"""

import ctypes
import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeVar

from django.db import connections

from lib.refusals import TooMuchWork

log = logging.getLogger("handoff.load")

T = TypeVar("T")

LOOK_SECONDS = 0.25
AGAIN_SECONDS, END_SECONDS = 1.0, 5.0
"""CPU time behind the ceiling after which the exception is raised once more, and after which the process is ended."""
GRACE_SECONDS = 12.0
EXIT_CODE = 70
# Other systems do not tell the CPU time of another thread.
_IS_KNOWN = hasattr(time, "pthread_getcpuclockid")


class OverCeiling(BaseException):
    """A request has computed for longer than it may. No `except Exception` may go on behind it."""


@dataclass(slots=True)
class Request:
    """A request that a thread works on. `names`: who is charged for it; `charged`: CPU seconds so far.

    `thread`, `began`, `seconds`: the thread, its CPU time at the beginning, and the ceiling. `raised`: how much it had
    computed when it was interrupted last.
    """

    what: str
    seconds: float
    names: tuple[str, ...] = ()
    thread: int = 0
    began: float = 0.0
    clock: int | None = None
    charged: float = 0.0
    raised: float | None = None
    is_over: bool = False
    lock: threading.Lock = field(default_factory=threading.Lock)


_here = threading.local()


def current() -> Request | None:
    """The request that this thread works on."""
    return getattr(_here, "request", None)


def allow(seconds: float) -> None:
    """Raise the ceiling of the request of this thread, whose work is long by its nature, to so much CPU time."""
    if (request := current()) is not None:
        request.seconds = max(request.seconds, seconds)


def _forget_connections() -> None:
    """Close the connections to the database of this thread, which may be in the middle of anything."""
    for one in connections.all(initialized_only=True):
        with suppress(Exception):
            one.close()
        del connections[one.alias]


class Ceilings:
    """Watches the requests of a process. `charge` is told what they compute, `end` ends the process."""

    def __init__(
        self,
        charge: Callable[[tuple[str, ...], float], None] = lambda names, seconds: None,
        end: Callable[[], None] | None = None,
    ) -> None:
        self._charge, self._end = charge, end or _end_process
        self._requests: dict[int, Request] = {}
        self._watcher: threading.Thread | None = None

    def run(self, work: Callable[[], T], request: Request) -> T:
        """What `work` gives, done by this thread. Raises TooMuchWork where it computed for too long."""
        if self._watcher is None and _IS_KNOWN:
            self._begin()
        request.thread, request.began, request.clock = threading.get_ident(), time.thread_time(), _clock()
        _here.request = request
        self._requests[request.thread] = request
        try:
            try:
                return work()
            finally:
                self._leave(request)
        except OverCeiling:
            # It may have been raised while the request was left.
            self._leave(request)
            log.warning("%s was ended after %.1f s of computing", request.what, request.charged)
            _forget_connections()
            raise TooMuchWork("", f"{request.seconds:g} s of computing") from None

    def _begin(self) -> None:
        # After a fork there are no threads: it begins with the first request.
        self._watcher = threading.Thread(target=self._watch, name="ceilings", daemon=True)
        self._watcher.start()

    def _leave(self, request: Request) -> None:
        with request.lock:
            request.is_over = True
        if request.raised is not None:
            # One that was raised a moment ago and has not arrived would end what this thread does next.
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(request.thread), None)
        self._requests.pop(request.thread, None)
        _here.request = None
        self._charge_for(request, time.thread_time() - request.began)

    def _watch(self) -> None:
        while True:
            time.sleep(LOOK_SECONDS)
            for request in list(self._requests.values()):
                try:
                    self._look(request)
                except Exception:
                    log.exception("The CPU time of a request is not known")

    def _look(self, request: Request) -> None:
        with request.lock:
            if request.is_over or request.clock is None:
                return
            computed = time.clock_gettime(request.clock) - request.began
            self._charge_for(request, computed)
            if computed < request.seconds:
                return
            last = request.raised
            if last is None or computed - last >= AGAIN_SECONDS:
                request.raised = computed
                _interrupt(request.thread)
        if computed >= request.seconds + END_SECONDS:
            log.error("%s computes on after %.1f s: ending this process", request.what, computed)
            self._end()

    def _charge_for(self, request: Request, computed: float) -> None:
        self._charge(request.names, computed - request.charged)
        request.charged = computed


def _clock() -> int | None:
    """The clock of this thread's CPU time, for other threads."""
    if not _IS_KNOWN:
        return None
    if (clock := getattr(_here, "clock", None)) is None:
        clock = _here.clock = time.pthread_getcpuclockid(threading.get_ident())
    return int(clock)


def _interrupt(thread: int) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(OverCeiling))


def _end_process() -> None:
    """End this process: what others ask of it is answered where that is soon done."""
    os.kill(os.getpid(), signal.SIGTERM)
    time.sleep(GRACE_SECONDS)
    os._exit(EXIT_CODE)

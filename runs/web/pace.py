"""How soon pages are told of changes: at once while cores have nothing to do, else in turns that cost little in all.

A page that is told reads itself again, and says so. Each socket waits for its turn before it tells; what changes
meanwhile is told with the rest, so where much is watched pages come later instead of taking the engine's time.
"""

import threading
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from accounts.sessions import AUTOMATIC
from lib.idle_cores import CORES, IdleCores
from runs.limits import PAGE_COST_SECONDS

SHARE = 0.05
"""So much of a core may pages that follow take on a busy machine: of all web processes, and of the database."""
RESERVE = 0.75
"""So much of an idle machine is left to the others: only what is idle beside it goes to pages."""
CREDIT_SECONDS = 0.04
"""So much CPU may the turns of a process run ahead: two pages are told at once, also on a busy machine."""
LATEST_SECONDS = 60.0
"""So late at most is a run's page told to read: what becomes of its steps is told each second meanwhile."""
LATEST_OF_LISTS_SECONDS = 5.0
"""So late at most is any other page told: nothing is said to it meanwhile."""
SAMPLE_SECONDS = 0.25
"""So often is asked how idle the machine is, while anybody waits."""
FORGOTTEN_SECONDS = 1.0
"""What was idle so long ago says nothing of now: changes come where work begins."""
HALF_LIFE_SECONDS = 10.0
WHOLE = 3.0
"""So much does a page cost in all for what its thread takes in the view: a run's page measured 10 ms there, 24 of the
web process, and 6.5 to 9 of PostgreSQL (`benchmarks/watching.py`)."""
USUAL_SECONDS = 0.02
"""What a page is taken to cost in all as long as little is known."""
READ_SECONDS = 10.0
"""A page that was told so long ago and has not read reads nothing: it is in a hidden tab, and costs nothing."""
MOMENT_SECONDS = 0.001
NOTICE = "notice"
"""What the header of a request says that a page makes because it was told (`static/js/live.js`)."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A place in the row: when so much CPU has been given to those before it, at the latest at this moment."""

    behind: float
    latest_at: float


class Pace:
    """The turns of a process, of so many `processes` of this machine.

    `idle` gives how many cores had nothing to do since it was last asked. What pages take is known from what they took
    lately. CPU is given at a rate, all in seconds: who comes first has it first.
    """

    def __init__(
        self,
        processes: int,
        clock: Callable[[], float] = time.monotonic,
        idle: Callable[[], float] | None = None,
    ) -> None:
        self._clock, self._idle = clock, idle or IdleCores()
        self._processes = processes
        self._lock = threading.Lock()
        self._now = self._sampled_at = clock()
        self._rate = SHARE / processes
        # Given is what turns may have taken until now, asked what those who have one already take.
        self._given, self._asked = CREDIT_SECONDS, 0.0
        self._asked_until: deque[tuple[float, float]] = deque()
        self._idle_before, self._took = 0.0, 0.0
        self._told, self._reads, self._seconds = 1.0, 1.0, USUAL_SECONDS
        self._told_at: deque[float] = deque()

    def turn(self, latest: float = LATEST_SECONDS) -> Turn:
        """Take the next turn to tell a page, in so many seconds at most."""
        with self._lock:
            self._go_on()
            turn = Turn(self._asked, self._now + latest)
            # Of those told who have not read yet, most still will: where all is slow that makes no turn cheaper.
            self._asked += min(self._seconds / max(self._reads, self._told), PAGE_COST_SECONDS)
            self._asked_until.append((self._now, self._asked))
            return turn

    def left(self, turn: Turn) -> float:
        """In how many seconds the turn comes as things are; 0 where it has come."""
        with self._lock:
            self._go_on()
            left = min((turn.behind - self._given) / self._rate, turn.latest_at - self._now)
            return left if left >= MOMENT_SECONDS else 0.0

    def told(self) -> None:
        """A page was told, and is about to read itself again."""
        with self._lock:
            self._told_at.append(self._clock())

    def spent(self, seconds: float) -> None:
        """What a page asked for because it was told took so many seconds of CPU of its thread."""
        with self._lock:
            self._reads += 1
            self._seconds += WHOLE * seconds
            self._took += WHOLE * seconds

    def _go_on(self) -> None:
        """Give what the time since the last call gives."""
        now = self._clock()
        passed, self._now = now - self._now, now
        # Neither a quiet time nor a rush counts for longer than it may: credit isn't saved up, nor is debt, for whoever
        # came so long ago has been told.
        self._given = min(self._given + passed * self._rate, self._asked + CREDIT_SECONDS)
        while self._asked_until and self._asked_until[0][0] <= now - LATEST_SECONDS:
            self._given = max(self._given, self._asked_until.popleft()[1])
        left = 0.5 ** (passed / HALF_LIFE_SECONDS)
        # What is usual never fades wholly: a process that told nobody for long divides by something.
        self._reads = 1.0 + (self._reads - 1.0) * left
        self._told = 1.0 + (self._told - 1.0) * left
        while self._told_at and self._told_at[0] <= now - READ_SECONDS:
            self._told_at.popleft()
            self._told += 1
        self._seconds = USUAL_SECONDS + (self._seconds - USUAL_SECONDS) * left
        if now - self._sampled_at >= SAMPLE_SECONDS:
            self._sample(now - self._sampled_at)
            self._sampled_at = now

    def _sample(self, seconds: float) -> None:
        """What pages may take now: what they do and what is idle beside it, and their share in any case."""
        # At most what they were given: what is paid for within so short a time was not all done in it.
        idle, took = self._idle(), min(self._took / seconds, self._rate)
        self._took = 0.0
        # Twice in a row, for a moment in which everybody waits for a lock is no quiet time.
        before, self._idle_before = self._idle_before if seconds <= FORGOTTEN_SECONDS else 0.0, idle
        spare = took + (min(before, idle) - RESERVE * CORES) / self._processes
        self._rate = max(SHARE / self._processes, spare)


pace = Pace(settings.HANDOFF_WEB_PROCESSES)


class Measured:
    """Middleware: what a page costs that was told. After the last that may run on the event loop.

    What a page asks by the clock, or because it was shown again, no turn has caused: it would make them look dear.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.headers.get(AUTOMATIC) != NOTICE:
            return self.get_response(request)
        began = time.thread_time()
        try:
            return self.get_response(request)
        finally:
            pace.spent(time.thread_time() - began)

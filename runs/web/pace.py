"""How soon pages are told of changes: at once, unless what they read then costs more than a share of a core for long.

A page that is told reads itself again, and says so. Each socket waits for its turn before it tells; what changes
meanwhile is told with the rest, so where much is watched pages come later instead of taking the engine's time.
"""

import threading
import time
from collections.abc import Callable

from django.http import HttpRequest
from django.http.response import HttpResponseBase

from accounts.sessions import AUTOMATIC

SHARE = 0.1
"""So much of a core may pages that follow take in each web process; the server and the database take nearly as much."""
CREDIT_SECONDS = 0.5
"""So much CPU may turns run ahead: a few pages are told at once, and only what goes on is held to the share."""
LATEST_SECONDS = 15.0
"""So late at most is a run's page told to read: what becomes of its steps is told each second meanwhile."""
LATEST_OF_LISTS_SECONDS = 5.0
"""So late at most is any other page told: nothing is said to it meanwhile."""
HALF_LIFE_SECONDS = 10.0
USUAL_SECONDS = 0.01
"""What a page is taken to cost as long as little is known."""
MOST_SECONDS = 0.25
NOTICE = "notice"
"""What the header of a request says that a page makes because it was told (`static/js/live.js`)."""
_AHEAD = CREDIT_SECONDS / SHARE


class Pace:
    """The turns of a process, from what pages have cost it lately."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._free_at = 0.0
        self._told, self._seconds, self._decayed_at = 1.0, USUAL_SECONDS, 0.0

    def turn(self, latest: float = LATEST_SECONDS) -> float:
        """Take the next turn to tell a page: in so many seconds, at most `latest`."""
        with self._lock:
            now = self._clock()
            self._decay(now)
            cost = min(self._seconds / self._told, MOST_SECONDS)
            # Neither a quiet time nor a rush counts for longer than it may: credit isn't saved up, nor debt.
            free_at = min(max(self._free_at, now), now + _AHEAD + LATEST_SECONDS)
            self._free_at = free_at + cost / SHARE
            return min(max(0.0, free_at - now - _AHEAD), latest)

    def told(self) -> None:
        """A page was told, and is about to read itself again."""
        with self._lock:
            self._told += 1

    def spent(self, seconds: float) -> None:
        """What a page asked for because it was told took so many seconds of CPU."""
        with self._lock:
            self._seconds += seconds

    def _decay(self, now: float) -> None:
        left = 0.5 ** ((now - self._decayed_at) / HALF_LIFE_SECONDS)
        self._decayed_at = now
        # What is usual never fades wholly: a process that told nobody for long divides by something.
        self._told = 1.0 + (self._told - 1.0) * left
        self._seconds = USUAL_SECONDS + (self._seconds - USUAL_SECONDS) * left


pace = Pace()


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

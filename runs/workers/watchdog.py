"""What ends a process that exists and makes no progress: a thread of its own, which nothing else can hold up.

As long as all is well it beats (`lib.pulse`): whoever started this process hears of it when even this thread can't
run, because the process is stopped or code that never lets go of the interpreter has it.
"""

import logging
import os
import signal
import threading
import time
from collections.abc import Callable, Sequence

from lib import pulse

log = logging.getLogger("handoff.watchdog")

LOOK_SECONDS = 1.0
GRACE_SECONDS = 15.0
"""From SIGTERM to the end by force."""
EXIT_CODE = 70

Check = Callable[[], str | None]


class Progress:
    """What a thread says of itself: `note` it regularly, and `complaint` tells when it has been silent for too long."""

    def __init__(self, what: str, seconds: float) -> None:
        self._what, self._seconds = what, seconds
        self._noted = time.monotonic()

    def note(self) -> None:
        """This part makes progress."""
        self._noted = time.monotonic()

    def complaint(self) -> str | None:
        """What is wrong with this part, None while it makes progress."""
        silent = time.monotonic() - self._noted
        return f"{self._what} has made no progress for {silent:.0f} s" if silent > self._seconds else None


class Watchdog:
    """`checks` say what is wrong, or None."""

    def __init__(self, checks: Sequence[Check]) -> None:
        self._checks = checks

    def start(self) -> None:
        """Watch from now on, in a thread of its own."""
        threading.Thread(target=self._watch, name="watchdog", daemon=True).start()

    def _watch(self) -> None:
        while True:
            self.look()
            time.sleep(LOOK_SECONDS)

    def look(self) -> None:
        """Beat where all is well; otherwise end this process, by force where asking doesn't do."""
        if (wrong := self._complaint()) is None:
            pulse.beat()
            return
        log.error("Ending this worker so that it is started anew: %s", wrong)
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(GRACE_SECONDS)
        os._exit(EXIT_CODE)

    def _complaint(self) -> str | None:
        for check in self._checks:
            try:
                if wrong := check():
                    return wrong
            except Exception:
                # A check that fails must not be what leaves a process unwatched.
                log.exception("A check of the watchdog failed")
        return None

"""How much of the disk is free: asked beside what waits for the answer, since a disk may hang for ever."""

import shutil
import threading
from contextlib import suppress

from django.conf import settings

WAIT_SECONDS = 2.0


class _Question:
    """One that is answered in its own thread: a call that hangs in the kernel can't be ended."""

    def __init__(self) -> None:
        self.free: float | None = None
        self._thread = threading.Thread(target=self._ask, name="disk", daemon=True)
        self._thread.start()

    def _ask(self) -> None:
        with suppress(OSError):
            self.free = free_percent()

    def is_answered(self, seconds: float) -> bool:
        """Whether it is, after so many seconds at most."""
        self._thread.join(seconds)
        return not self._thread.is_alive()


_open: list[_Question] = []


def free_percent() -> float:
    """How much of the disk is free that Handoff keeps its files on."""
    place = settings.HANDOFF_HOME
    while not place.exists():
        place = place.parent
    usage = shutil.disk_usage(place)
    return 100 * usage.free / usage.total


def free_percent_in_time(seconds: float | None = None) -> float | None:
    """The same; None where nobody answers in time (in two seconds, if not told).

    What hangs is not asked a second time while it does.
    """
    hangs = bool(_open)
    question = _open.pop() if hangs else _Question()
    if question.is_answered(0 if hangs else WAIT_SECONDS if seconds is None else seconds):
        # Also that of a question of long ago: the next look asks anew.
        return question.free
    _open.append(question)
    return None

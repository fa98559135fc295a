"""How many cores of this machine have nothing to do: from `/proc/stat`, elsewhere guessed from the load average."""

import os
from pathlib import Path

CORES = os.cpu_count() or 1
STAT = Path("/proc/stat")
_IDLE, _COUNTED = 3, 8
"""Which of its ticks are idle ones, and how many kinds there are: guests' are counted among users'."""


class IdleCores:
    """Asked again and again, it gives how many cores were idle on average since it was asked before.

    A core that waits for a disk counts as busy: somebody is at work on it.
    """

    def __init__(self, stat: Path = STAT) -> None:
        self._stat = stat
        self._idle, self._all = self._ticks() or (0, 0)
        self._last = 0.0

    def __call__(self) -> float:
        """The idle cores since the last call; asked again within a tick, what it gave then."""
        ticks = self._ticks()
        if ticks is None:
            # Of the last minute: slow to learn, but there everywhere.
            return max(0.0, CORES - os.getloadavg()[0])
        idle, all_ = ticks
        if all_ > self._all:
            self._last = CORES * min(1.0, max(0.0, (idle - self._idle) / (all_ - self._all)))
            self._idle, self._all = idle, all_
        return self._last

    def _ticks(self) -> tuple[int, int] | None:
        """The ticks that all cores had nothing to do, and all of them; None where the system doesn't tell."""
        try:
            with self._stat.open("rb") as stat:
                ticks = [int(word) for word in stat.readline().split()[1 : 1 + _COUNTED]]
        except (OSError, ValueError):
            return None
        return (ticks[_IDLE], sum(ticks)) if len(ticks) > _IDLE else None

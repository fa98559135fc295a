"""Duties: what has to be done every so often, by whichever worker comes to it (SQL in `sql/duties.sql`).

The clock (beat) sends each through Redis to the worker of the ticks; where there is no beat, that worker is the clock.
The database knows when each was begun and done: where none was for seconds, because whoever should do it is dead, deaf
or stopped, any other worker does it.
"""

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from runs.store.hot import SQL

log = logging.getLogger(__name__)

TICKS = "ticks"
BLOCKING = "blocking"
SILENT_SECONDS = 5.0
"""After so long a silence (of a duty of every second) somebody else does it."""
LEASE_SECONDS = 5.0
"""How long a duty is left to who began it: all of them work in bounded batches for less than a second."""
STATEMENT_SECONDS = 5.0
"""How long a statement of a duty may take, or wait for a lock: what it can't do is left, and the others are done."""
_LATE = 1.5
# A look comes a little sooner or later than a second after the one before.
_EARLY_SECONDS = 0.3


@dataclass(frozen=True, slots=True)
class Duty:
    """`work` is done `every` so many seconds, bounded to about one; it gives how much it did.

    `is_slow`: it waits for others (a mail server), so it is done in a thread of its own, and its ticks go to the worker
    of blocking steps, as those of each duty that is `aside`.
    """

    name: str
    every: float
    work: Callable[[], int]
    is_slow: bool = False
    aside: bool = False

    @property
    def queue(self) -> str:
        """The queue whose worker gets its ticks."""
        return BLOCKING if self.is_slow or self.aside else TICKS


@dataclass(frozen=True, slots=True)
class Running:
    """A duty that this process is at, since a moment of the monotonic clock."""

    name: str
    since: float


_duties: dict[str, Duty] = {}
# By thread: the clock of a process and its consumer may both be at one.
_running: dict[int, Running] = {}


def register(*duties: Duty) -> None:
    """Say what there is to be done. The modules `duties` of apps do it when they are imported."""
    for duty in duties:
        _duties[duty.name] = duty


def all_duties() -> tuple[Duty, ...]:
    """What is registered."""
    return tuple(_duties.values())


def do(name: str, worker: str) -> int:
    """Do a duty now, unless somebody did so just before or is at it; gives what its work gave, and raises that.

    0 for a duty that this host does not know: the clock of another release, or with other features, sent the tick.
    """
    duty = _duties.get(name)
    if duty is None:
        log.warning("A tick for the duty %r is ignored: this host has no such duty", name)
        return 0
    claim = {"name": name, "worker": worker}
    if not SQL.value("take_duty", {**claim, "every": duty.every, "lease": LEASE_SECONDS}):
        return 0
    _running[threading.get_ident()] = Running(name, time.monotonic())
    try:
        usual = _limit_statements(f"{STATEMENT_SECONDS:g}s")
        try:
            result = duty.work()
        finally:
            _limit_statements(usual)
    finally:
        del _running[threading.get_ident()]
    SQL.execute("end_duty", claim)
    return result


def _limit_statements(limit: str) -> str:
    """Have the statements of this session take at most so long; gives what the limit was."""
    usual, _ = SQL.execute("limit_statements", {"limit": limit}).fetchone() or ("0", "")
    return str(usual)


def overdue(worker: str, lived: float, *, hears_ticks: bool = True) -> list[Duty]:
    """What nobody began for too long; what this process took over it goes on with, until somebody else does it again.

    `lived`: seconds since this process began, the silence of a duty that nobody ever did. Without `hears_ticks`
    nobody waits for a silence to be noticed.
    """
    last_begun = SQL.value("duties_begun", {})
    duties = []
    for duty in _duties.values():
        age, by = last_begun.get(duty.name, (lived, ""))
        is_ours = by == worker or not hears_ticks
        if age >= _LATE * duty.every and (is_ours or age >= SILENT_SECONDS):
            duties.append(duty)
    return duties


def due() -> list[Duty]:
    """What is to be begun now, for who is the clock and looks every second."""
    last_begun = SQL.value("duties_begun", {})
    return [
        duty
        for duty in _duties.values()
        if duty.name not in last_begun or last_begun[duty.name][0] >= duty.every - _EARLY_SECONDS
    ]


def at_it(seconds: float) -> str | None:
    """The duty that this process has been at for longer than so many seconds, if there is one."""
    now = time.monotonic()
    return next((one.name for one in tuple(_running.values()) if now - one.since > seconds), None)

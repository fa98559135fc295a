"""The stuck check: every minute, open runs in turn, and timers that can't fire. What it finds is repaired (`repair`).

It reads without locks, one snapshot a batch, and asks again under the run's lock: what is under way is none of it.
"""

import logging
import time
from collections.abc import Sequence
from itertools import groupby

from lib.apart import in_batches, one_by_one
from runs.integrity import repair
from runs.limits import STUCK_RUNS, STUCK_TIMERS
from runs.store import findings, jobs
from runs.store.findings import Finding

log = logging.getLogger("handoff.stuck")

BATCH = 1000
TICK_SECONDS = 0.8
_FIRST = "00000000-0000-0000-0000-000000000000"


def check(seconds: float = TICK_SECONDS) -> int:
    """Look at the open runs behind the last ones for at most `seconds`, repair what is stuck; gives how much was."""
    stuck = _looked(seconds)
    findings.forget_polls()
    jobs.forget_workers()
    earlier = findings.known_repairs({one.run_id for one in stuck}) if stuck else {}
    stuck = [one for one in stuck if (one.key, False) not in earlier]
    runs = [list(group) for _, group in groupby(sorted(stuck, key=_run_of), key=_run_of)]
    return sum(one_by_one(runs[:STUCK_RUNS], repair.repair, log, _not_repaired))


def _not_repaired(group: Sequence[Finding]) -> str:
    return f"Run {group[0].run_id} can't be repaired"


def _run_of(one: Finding) -> str:
    return one.run_id


def _looked(seconds: float) -> list[Finding]:
    until = time.monotonic() + seconds
    stuck = findings.overdue_timers(STUCK_TIMERS)
    while runs := findings.open_runs(BATCH):
        stuck += in_batches(runs, repair.look, log, lambda run: f"Run {run} can't be looked at")
        findings.move_cursor(runs[-1])
        if len(runs) < BATCH or time.monotonic() >= until:
            break
    if len(runs) < BATCH:
        # The last ones: the next time begins from the first.
        findings.move_cursor(_FIRST)
    return stuck

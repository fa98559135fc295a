"""Deadlines of runs: told once when 80 % of the time are over and once when all of it is; never a cancel (C-16)."""

import logging

from runs.kernel import live
from runs.store import waits

log = logging.getLogger(__name__)

BATCH = 500


def look() -> int:
    """Say of the runs that near or pass their deadline that they do; gives how many were looked at."""
    rows = waits.sla_due(BATCH)
    for run, _, breached in rows:
        if breached:
            log.warning("The run %s is open past its deadline, %s", run, breached)
    live.tell(live.Change(tenant, run) for run, tenant, _ in rows)
    return len(rows)

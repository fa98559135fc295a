"""Deadlines of runs: told once when 80 % of the time are over and once when all of it is; never a cancel (C-16)."""

from runs import live, waiting_store

BATCH = 500


def look() -> int:
    """Say of the runs that near or pass their deadline that they do; gives how many were looked at."""
    found = waiting_store.sla_due(BATCH)
    for run, tenant in found:
        live.tell_runs(tenant, [run])
    return len(found)

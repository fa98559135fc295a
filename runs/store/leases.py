"""Leases as typed functions: how long they last, and which were lost (SQL in `sql/leases.sql`)."""

from collections.abc import Collection, Sequence

from lib.clock import now_or_none
from runs.store.attempts import ClaimedStep
from runs.store.hot import SQL, document
from runs.store.rows import LeaseRow


def set_leases(steps: Sequence[ClaimedStep], seconds: int) -> dict[str, str]:
    """Have the leases of these steps last so long from now on; by step until when."""
    held: list[LeaseRow] = [{"id": step.id, "epoch": step.epoch} for step in steps]
    params = {"held": document(held), "seconds": seconds, "now": now_or_none()}
    leases: dict[str, str] = SQL.value("set_leases", params)
    return leases


def lost_leases(steps: Collection[str]) -> dict[str, dict[int, bool]]:
    """By step the epochs whose lease was lost, each with whether that used up an attempt."""
    lost: dict[str, dict[int, bool]] = {}
    for step, epoch, is_counted in SQL.value("lost_leases", {"ids": sorted(steps)}) if steps else ():
        lost.setdefault(step, {})[epoch] = is_counted
    return lost

"""How far the check of ended runs is (`runs.maintenance.histories`), for operators and `manage.py doctor`."""

from dataclasses import dataclass
from datetime import datetime

from lib.uuid7 import moment_of
from runs.models import Duty, HistoryCheck, HistoryDifference


@dataclass(frozen=True, slots=True)
class HistoryStanding:
    """Since `began_at` so many ended `runs` were checked, and `left_out` are too long for it. `ended_at`: all of them;
    until then it has come to runs that were started at `reached`. `last_at`: when a pass ended last.
    """

    began_at: datetime
    ended_at: datetime | None
    last_at: datetime | None
    reached: datetime | None
    runs: int
    left_out: int


def history_standing() -> HistoryStanding | None:
    """None before the first pass; two statements."""
    row = HistoryCheck.objects.first()
    if row is None:
        return None
    last = Duty.objects.filter(name="history").values_list("done_at", flat=True).first()
    reached = moment_of(row.after) if row.ended_at is None and row.after.int else None
    return HistoryStanding(row.began_at, row.ended_at, last, reached, row.runs, row.left_out)


def differing() -> int:
    """How many runs of all tenants were not as their history says when they were checked last."""
    return HistoryDifference.unsafe_all_tenants.count()

"""The statements of schedules as typed functions (SQL in `sql/schedules.sql`)."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any

from accounts.roles import RUNS_START, roles_with
from engine.catalogue import Json
from lib.clock import now_or_none
from lib.named_sql import Statements
from runs.store.hot import SQL_FOLDER as SQL_OF_RUNS
from runs.store.hot import document

SQL = Statements(Path(__file__).parent / "sql", SQL_OF_RUNS)


@dataclass(frozen=True, slots=True)
class FoundSchedule:
    """A schedule that is locked, with all that decides on what it does at `now`; `calendar`: the columns of one.

    `folder`: that of its workflow. `acts_for`: the username of a member.
    """

    id: str
    tenant_id: int
    name: str
    workflow: str
    folder: int
    input: Json
    cron: str | None
    every_seconds: int | None
    at: datetime | None
    anchor_at: datetime
    timezone: str
    overlap: str
    catchup_seconds: int
    jitter_seconds: int
    acts_for: str
    next_due_at: datetime | None
    buffered_due_at: datetime | None
    now: datetime
    calendar: Mapping[str, Json] | None


@dataclass(frozen=True, slots=True)
class Entry:
    """What was done about a due time, or about several that were skipped for one reason: a row of the history."""

    due_at: datetime
    status: str
    reason: str = ""
    message: str = ""
    run_id: str | None = None
    cancelled: Sequence[str] = field(default_factory=list)
    last_due_at: datetime | None = None
    due_count: int = 1
    is_manual: bool = False
    by: str = ""


_MOMENTS = ("at", "anchor_at", "next_due_at", "buffered_due_at", "now")


def due_schedule(exclude: Sequence[str]) -> FoundSchedule | None:
    """The schedule that has been due for longest, but for those to `exclude`; it is locked."""
    return _found(SQL.value("due_schedule", {"tried": list(exclude), "now": now_or_none()}))


def buffered_schedule(exclude: Sequence[str]) -> FoundSchedule | None:
    """A schedule whose buffered due time needs to wait no longer, but for those to `exclude`; it is locked."""
    return _found(SQL.value("buffered_schedule", {"tried": list(exclude), "now": now_or_none()}))


def orphaned_schedule(
    exclude: Sequence[str], tenant: int | None = None, acts_for: str = ""
) -> FoundSchedule | None:
    """A schedule that would fire again for somebody who may not start its workflow, but for those to `exclude`; of one
    person of a `tenant`, where one is given. It is locked.
    """
    params = {
        "tried": list(exclude),
        "tenant": tenant,
        "acts_for": acts_for,
        "starters": roles_with(RUNS_START),
    }
    return _found(SQL.value("orphaned_schedule", params | {"now": now_or_none()}))


def stop_schedule(schedule: str, why: str) -> None:
    """Keep that a schedule fires no more, and why."""
    SQL.execute("stop_schedule", {"schedule": schedule, "why": why, "now": now_or_none()})


def open_runs(schedule: str) -> list[str]:
    """The runs of a schedule that are open."""
    return SQL.column("open_runs_of_schedule", {"schedule": schedule})


def dealt_with(schedule: str, dues: Sequence[datetime]) -> set[datetime]:
    """Of these due times those about which something was done already."""
    return set(SQL.column("dealt_with", {"schedule": schedule, "dues": list(dues)}))


def insert_entries(tenant: int, schedule: str, entries: Sequence[Entry]) -> None:
    """Keep what was done. Raises UniqueViolation for a due time about which something was done already."""
    rows = [asdict(one) | {"last_due_at": one.last_due_at or one.due_at} for one in entries]
    params = {"tenant": tenant, "schedule": schedule, "entries": document(rows), "now": now_or_none()}
    SQL.execute("insert_entries", params)


def settle_entry(schedule: str, entry: Entry) -> None:
    """Keep what became of a due time that was buffered."""
    params = {
        "schedule": schedule,
        "due": entry.due_at,
        "status": entry.status,
        "reason": entry.reason,
        "message": entry.message,
        "run": entry.run_id,
        "now": now_or_none(),
    }
    SQL.execute("settle_entry", params)


def move_schedule(
    schedule: str, *, next_due: datetime | None, fire_at: datetime | None, buffered: datetime | None
) -> None:
    """Keep when a schedule is due next, when that is done, and which due time is buffered."""
    params = {"schedule": schedule, "next": next_due, "fire": fire_at, "buffered": buffered}
    SQL.execute("move_schedule", params)


def forget_entries(limit: int, days: int) -> int:
    """Remove up to `limit` entries that are older than this, but for the last of each schedule; gives how many."""
    return int(SQL.value("forget_entries", {"limit": limit, "days": days, "now": now_or_none()}))


def _found(row: dict[str, Any] | None) -> FoundSchedule | None:
    if row is None:
        return None
    moments = {name: row[name] and datetime.fromisoformat(row[name]) for name in _MOMENTS}
    return FoundSchedule(**(row | moments))

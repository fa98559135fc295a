"""The statements of working calendars as typed functions (SQL in `sql/calendars.sql`)."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Final, NamedTuple, TypedDict
from uuid import UUID

from engine.catalogue import Json
from engine.statuses import RUN_ENDED, RunStatus
from lib.clock import now_or_none
from runs.store.hot import SQL, document

_OPEN: Final = sorted(status for status in RunStatus if status not in RUN_ENDED)


class KeyRow(TypedDict):
    """Which calendar is asked for (`work_calendars`); `pinned`: its id, where the version has one under the name."""

    tenant: int
    version: int
    name: str | None
    pinned: int | None


class UsingVersion(NamedTuple):
    """A version that has pinned a calendar; `folder`: of its workflow. `is_newest`: new runs start with it."""

    workflow_id: int
    workflow: str
    title: str
    folder: int
    number: int
    is_newest: bool
    open_runs: int


class DueDate(NamedTuple):
    """An open time that was counted by a revision of a calendar; `node` is None of the deadline of a run."""

    run_id: UUID
    workflow_id: int
    node: str | None
    kind: str
    due_at: datetime
    revision: int


def work_calendars(keys: Sequence[KeyRow]) -> list[tuple[int, int, str | None, Mapping[str, Json] | None]]:
    """For each key the columns of its calendar, or None."""
    return [
        (tenant, version, name, columns)
        for tenant, version, name, columns in SQL.value("work_calendars", {"keys": document(keys)})
    ]


def hold_calendars(tenant: int, folder: int, names: Collection[str]) -> dict[str, int]:
    """The ids of the calendars of these names that workflows of a folder may use; they stay so until the transaction
    ends.
    """
    params = {"tenant": tenant, "folder": folder, "names": sorted(names)}
    return dict(SQL.value("hold_calendars", params))


def using_versions(tenant: int, calendar: int, most: int) -> list[UsingVersion]:
    """The versions in use that have pinned a calendar; up to `most` open runs of them all are counted."""
    params = {"tenant": tenant, "calendar": calendar, "open": _OPEN, "most": most}
    return [UsingVersion(*row) for row in SQL.value("calendar_versions", params)]


def due_dates(
    tenant: int, calendar: int, workflows: Sequence[int] | None, most: int
) -> tuple[list[UUID], list[DueDate]]:
    """Of the newest `most` open runs, of these workflows (None: of all): their ids, and what a calendar counted."""
    params = {"tenant": tenant, "calendar": calendar, "open": _OPEN, "most": most}
    workflow_ids = None if workflows is None else list(workflows)
    runs, rows = SQL.value("calendar_due_dates", params | {"workflows": workflow_ids, "now": now_or_none()})
    dates = [
        DueDate(UUID(run), workflow, node, kind, datetime.fromisoformat(due_at), revision)
        for run, workflow, node, kind, due_at, revision in rows
    ]
    return [UUID(run) for run in runs], dates


def moment() -> datetime:
    """The database's time, by which schedules are due."""
    now: datetime = SQL.value("moment", {"now": now_or_none()})
    return now

"""What happened to a run, but to containers' children, as typed functions (SQL in `sql/events.sql`)."""

from datetime import datetime
from typing import NamedTuple

from engine.catalogue import Json
from lib.stored_json import stored_loads
from runs.store.hot import SQL


class EventsRead(NamedTuple):
    """The version of a run, its `mark` (see `mark_run`), and its events: id, type, node, attempt, `started_at`, time
    and `taken` of each.
    """

    version_id: int
    mark: str
    events: list[list[Json]]


class ExtentRead(NamedTuple):
    """The version of a run, its `mark`; how many events there are, the id of the last of them and when it was."""

    version_id: int
    mark: str
    events: int
    last: int | None
    at: datetime | None


def read_events(tenant: int, run: str, most: int, *, is_marked: bool) -> EventsRead | None:
    """The first `most` events of a run, with its mark if it `is_marked`; None where the tenant has no such run."""
    row = SQL.execute(
        "read_events", {"tenant": tenant, "run": run, "most": most, "is_marked": is_marked}
    ).fetchone()
    return None if row is None else EventsRead(row[0], row[1], stored_loads(row[2]))


def measure_events(tenant: int, run: str, most: int) -> ExtentRead | None:
    """How far what `read_events` gives goes; None where the tenant has no such run."""
    row = SQL.execute("measure_events", {"tenant": tenant, "run": run, "most": most}).fetchone()
    return None if row is None else ExtentRead(*row)


def mark_run(tenant: int, run: str) -> str:
    """What is another text once a run stands otherwise; empty where that can't be told, or there is no such run."""
    row = SQL.execute("mark_run", {"tenant": tenant, "run": run}).fetchone()
    return "" if row is None else str(row[0])

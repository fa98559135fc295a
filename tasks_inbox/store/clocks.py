"""The clocks of open tasks as typed functions (SQL in `sql/clock.sql`)."""

from collections.abc import Sequence
from datetime import datetime

from engine.catalogue import Json
from runs.store.hot import Row, document
from tasks_inbox.store.statements import SQL


def clock_of(step: str) -> tuple[datetime, datetime | None, list[Row] | None, list[Row]] | None:
    """From when the clock of a step's open task counts, when it is due, its moments to come, and what it tells."""
    row = SQL.value("clock_of", {"step": step})
    if row is None:
        return None
    start, due_at, clock, facts = row
    return datetime.fromisoformat(start), due_at and datetime.fromisoformat(due_at), clock, facts


def set_clock(step: str, *, clock: Sequence[Row], due_seconds: Json, facts: Sequence[Row]) -> None:
    """Give a step's open task, whose run is held FOR UPDATE, other times."""
    params = {"step": step, "clock": document(clock), "due_seconds": due_seconds, "facts": document(facts)}
    SQL.execute("set_clock", params)

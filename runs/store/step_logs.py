"""The statement about what attempts at steps say (SQL in `sql/step_logs.sql`)."""

from collections.abc import Sequence
from typing import TypedDict

from lib.clock import now_or_none
from runs.store.hot import SQL, document
from steps.limits import LOG_LINES


class LogRow(TypedDict):
    """A line of an attempt at a step, the `place`-th of the statement; without a `seq` it takes the next one."""

    place: int
    step_id: str
    epoch: int
    attempt: int
    seq: int | None
    at: str | None
    level: str
    text: str


def keep_log(lines: Sequence[LogRow]) -> None:
    """Keep lines, each once."""
    SQL.execute("keep_log", {"lines": document(lines), "most": LOG_LINES, "now": now_or_none()})

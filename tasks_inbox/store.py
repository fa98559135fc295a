"""The statements of tasks as typed functions (SQL in `sql/`). No decisions here."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any
from uuid import UUID

from lib.clock import now_or_none
from lib.named_sql import Statements
from runs.store import Row, document

Json = Any

SQL = Statements(Path(__file__).parent / "sql")


def open_tasks(tasks: Sequence[Row]) -> None:
    """Open tasks for steps that have just begun to wait, in one statement."""
    SQL.execute("open_tasks", {"tasks": document(tasks), "now": now_or_none()})


def cancel_tasks(runs: Iterable[str]) -> None:
    """Cancel the open tasks of these runs whose step waits no more."""
    SQL.execute("cancel_tasks", {"runs": sorted(runs)})


def complete_task(task: UUID, *, by: str, outcome: str, data: str | None, comment: str) -> str | None:
    """Decide an OPEN task that nobody else has claimed; `data` is JSON. Gives when, or None where it isn't."""
    params = {"task": task, "by": by, "outcome": outcome, "data": data, "comment": comment}
    done = SQL.value("complete_task", {**params, "now": now_or_none()})
    return None if done is None else str(done["at"])


def give_task(task: UUID, *, assignee: str | None, before: str | None) -> bool:
    """Give an OPEN task that is `before`'s to `assignee` (None: nobody); False where it is no longer so."""
    return bool(SQL.value("give_task", {"task": task, "assignee": assignee, "before": before}))

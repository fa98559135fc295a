"""An outbox: rows of a table that say what is to be sent, written with their cause (SQL in `sql/outbox.sql`).

The table has the columns `id`, `created_at`, `next_at` (null: never again), `attempts`, `error` and `sent_at`.
"""

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar
from uuid import UUID

from lib.clock import now_or_none
from lib.named_sql import Statements

D = TypeVar("D")

FIRST_PAUSE_SECONDS = 60
"""Until the second attempt, doubled each time; more than a slow server can hold up one that is being sent."""
LONGEST_PAUSE_SECONDS = 3_600
MOST_ATTEMPTS = 10
KEPT_DAYS = 30
GIVEN_UP = "Given up"
_BATCH = 1_000


class Outbox(Generic[D]):
    """What waits in `table`; `read` makes of a row (its columns, `age` in seconds and `made` as seconds since 1970)
    what is to be sent.
    """

    def __init__(self, table: str, read: Callable[[Mapping[str, Any]], D]) -> None:
        self._sql = Statements(Path(__file__).parent / "sql", table=table)
        self._read = read

    def next_due(self) -> D | None:
        """What is to be sent now, put off until its next attempt; None where there is nothing."""
        params = {"now": now_or_none(), "first": FIRST_PAUSE_SECONDS, "longest": LONGEST_PAUSE_SECONDS}
        row: dict[str, Any] | None = self._sql.value("next_due", params)
        return self._read(row) if row else None

    def send_due(self, send: Callable[[D], bool], seconds: float) -> int:
        """Send what is due, for about so many seconds; gives how many rows were looked at.

        It ends where `send` gives False: what befell this one most likely befalls the next.
        """
        until, count, goes_on = time.monotonic() + seconds, 0, True
        while goes_on and time.monotonic() < until and (due := self.next_due()):
            count += 1
            goes_on = send(due)
        return count

    def note_sent(self, id: UUID) -> None:
        """The server has taken it."""
        self._sql.execute("note_sent", {"id": id, "now": now_or_none()})

    def note_skipped(self, id: UUID, why: str) -> None:
        """It is not to be sent: nobody wants it, or nobody can be reached. That is no failure."""
        self._sql.execute("note_skipped", {"id": id, "why": why})

    def note_failed(self, id: UUID, error: str, attempts: int) -> bool:
        """The server has not taken it; gives whether this was the last of its attempts."""
        is_over = attempts >= MOST_ATTEMPTS
        reason = f"{GIVEN_UP} after {attempts} attempts. {error}" if is_over else error
        self._sql.execute("note_not_sent", {"id": id, "error": reason, "for_good": is_over})
        return is_over

    def drop_all(self, error: str) -> int:
        """Send nothing of what waits, for this reason; gives how many, of which there may be more."""
        return self._sql.execute("drop_due", {"error": error, "limit": _BATCH}).rowcount

    def forget(self) -> int:
        """Delete what was done with long ago; gives how many."""
        params = {"now": now_or_none(), "days": KEPT_DAYS, "limit": _BATCH}
        return self._sql.execute("forget_done", params).rowcount

"""The statements of notifications as typed functions (SQL in `sql/notifications.sql`). No decisions here."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from lib.clock import now_or_none
from tasks_inbox.store.statements import SQL

FIRST_PAUSE_SECONDS = 60
"""Until the second attempt, doubled each time; more than a slow mail server can hold up one that is being sent."""
LONGEST_PAUSE_SECONDS = 3_600
KEPT_DAYS = 30
LINK_DAYS = 14
"""How long the link of a mail is good."""
GIVEN_UP = "Given up"
_BATCH = 1_000


@dataclass(frozen=True, slots=True)
class Due:
    """A notification whose time has come; `made` is when its cause was, in seconds since 1970."""

    id: UUID
    tenant: int
    task: UUID
    kind: str
    username: str | None
    audience: Sequence[str] | None
    attempts: int
    made: float


def tell(task: UUID, kind: str, names: Sequence[str]) -> None:
    """Have these people told of a task; call it in the transaction of the cause."""
    if names:
        SQL.execute("tell", {"task": task, "kind": kind, "names": list(names), "now": now_or_none()})


def next_due() -> Due | None:
    """The notification that is to be sent now, put off until its next attempt; None where there is none."""
    params = {"now": now_or_none(), "first": FIRST_PAUSE_SECONDS, "longest": LONGEST_PAUSE_SECONDS}
    row: dict[str, Any] | None = SQL.value("next_notification", params)
    if row is None:
        return None
    return Due(**{**row, "id": UUID(row["id"]), "task": UUID(row["task"])})


def address(id: UUID, names: Sequence[str]) -> None:
    """Replace one that is for all by one for each of these."""
    SQL.execute("address_notification", {"id": id, "names": list(names)})


def note_sent(id: UUID) -> None:
    """The mail server has taken it."""
    SQL.execute("note_sent", {"id": id, "now": now_or_none()})


def note_not_sent(id: UUID, error: str, *, for_good: bool) -> None:
    """It was not sent, and why; `for_good`: nor will it be."""
    SQL.execute("note_not_sent", {"id": id, "error": error, "for_good": for_good})


def drop_all(error: str) -> int:
    """Send nothing of what waits, for this reason; gives how many, of which there may be more."""
    return SQL.execute("drop_notifications", {"error": error, "limit": _BATCH}).rowcount


def forget() -> int:
    """Delete what was done with long ago; gives how many."""
    params = {"now": now_or_none(), "days": KEPT_DAYS, "limit": _BATCH}
    return SQL.execute("forget_notifications", params).rowcount


def link_state(*, id: UUID, tenant: int, task: UUID, username: str) -> str | None:
    """Whether the link of a mail is `good`, `used` or `old`; None where there is no such mail."""
    params = {"id": id, "tenant": tenant, "task": task, "username": username}
    rows = SQL.column("link_state", {**params, "days": LINK_DAYS, "now": now_or_none()})
    return rows[0] if rows else None


def use_link(*, id: UUID, tenant: int, task: UUID, username: str) -> bool:
    """Use the link of a mail up; False where it is no good any more."""
    params = {"id": id, "tenant": tenant, "task": task, "username": username}
    return bool(SQL.column("use_link", {**params, "days": LINK_DAYS, "now": now_or_none()}))


def lost() -> int:
    """How many notifications of the last month no mail server would take."""
    return int(SQL.column("lost_notifications", {"said": GIVEN_UP})[0])

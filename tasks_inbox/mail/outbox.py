"""The statements of notifications as typed functions (SQL in `sql/notifications.sql`). No decisions here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final
from uuid import UUID

from lib.clock import now_or_none
from lib.outbox import FIRST_PAUSE_SECONDS, GIVEN_UP, LONGEST_PAUSE_SECONDS, Outbox
from tasks_inbox.limits import COLLECTED_MAILS, COLLECTED_WAIT_MINUTES, DIGEST_MINUTES, MAILS_BEFORE_DIGEST
from tasks_inbox.store.statements import SQL

LINK_DAYS = 14
"""How long the link of a mail is good."""


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


def _read(row: Mapping[str, Any]) -> Due:
    return Due(
        UUID(row["id"]),
        row["tenant_id"],
        UUID(row["task_id"]),
        row["kind"],
        row["username"],
        row["audience"],
        row["attempts"],
        row["made"],
    )


OUTBOX: Final = Outbox("tasks_inbox_notification", _read)


def tell(task: UUID, kind: str, names: Sequence[str]) -> None:
    """Have these people told of a task; call it in the transaction of the cause."""
    if names:
        SQL.execute("tell", {"task": task, "kind": kind, "names": list(names), "now": now_or_none()})


def address(id: UUID, names: Sequence[str]) -> None:
    """Replace one that is for all by one for each of these."""
    SQL.execute("address_notification", {"id": id, "names": list(names)})


def mails_lately(due: Due) -> tuple[int, datetime | None]:
    """How many mails about tasks the person of a mail got lately, and until when it waits to be collected with others;
    None where it need not wait.
    """
    params = {"tenant": due.tenant, "username": due.username, "made": due.made, "now": now_or_none()}
    limits = {"minutes": DIGEST_MINUTES, "longest": COLLECTED_WAIT_MINUTES}
    row = SQL.value("mails_lately", params | limits)
    return row["count"], datetime.fromisoformat(row["until"]) if row["until"] else None


def put_off(id: UUID, until: datetime) -> None:
    """Send a mail later, without counting an attempt."""
    SQL.execute("put_off_notification", {"id": id, "until": until})


def take_collected(due: Due, kinds: Sequence[str], *, whole: bool) -> list[Due]:
    """The other mails of these kinds that the person of a mail is to get by now, taken as `OUTBOX.next_due` does; none
    where there are few. `whole`: with all that were put off, however few.
    """
    params = {"tenant": due.tenant, "username": due.username, "kinds": list(kinds), "id": due.id}
    more = {
        "whole": whole,
        "limit": COLLECTED_MAILS,
        "least": 1 if whole else MAILS_BEFORE_DIGEST,
        "first": FIRST_PAUSE_SECONDS,
        "longest": LONGEST_PAUSE_SECONDS,
        "now": now_or_none(),
    }
    return [_read(row) for row in SQL.value("take_collected", params | more)]


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

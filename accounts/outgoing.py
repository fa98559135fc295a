"""Mails about accounts as rows of an outbox (SQL in `sql/mails.sql`), written with their cause; a tick elsewhere sends
them.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

from django.db.models import Max

from accounts.models import DIGEST, AccountMail, User
from lib.clock import now_or_none, now_there
from lib.named_sql import Statements
from lib.uuid7 import uuid7

FIRST_PAUSE_SECONDS = 60
"""Until the second attempt, doubled each time; more than a slow mail server can hold up one that is being sent."""
LONGEST_PAUSE_SECONDS = 3_600
KEPT_DAYS = 30
_BATCH = 1_000
_SQL = Statements(Path(__file__).parent / "sql")


@dataclass(frozen=True, slots=True)
class DueMail:
    """A mail whose time has come; `age` is how many seconds ago its cause was."""

    id: UUID
    tenant: int
    user: int
    kind: str
    to: str
    by: str
    attempts: int
    age: float


def write(tenant_id: int, user: User, kind: str, *, by: str = "", to: str = "") -> str:
    """Have this person mailed; call it in the transaction of the cause. Gives the id of the mail."""
    mail_id, now = uuid7(), now_there()
    AccountMail.objects.create(
        id=mail_id, tenant_id=tenant_id, user=user, kind=kind, by=by, to=to, created_at=now, next_at=now
    )
    return mail_id


def was_written(tenant_id: int, user: User, kind: str, *, within: timedelta) -> bool:
    """Whether this person was to be sent such a mail just before."""
    mails = AccountMail.objects.for_tenant(tenant_id).filter(user=user, kind=kind)
    return mails.filter(created_at__gt=now_there() - within).exists()


def last_written(tenant_id: int, user_id: int, kinds: tuple[str, ...]) -> AccountMail | None:
    """The newest mail of these kinds to somebody, if it is still kept."""
    mails = AccountMail.objects.for_tenant(tenant_id).filter(user_id=user_id, kind__in=kinds)
    return mails.order_by("-created_at").first()


def next_due() -> DueMail | None:
    """The mail that is to be sent now, put off until its next attempt; None where there is none."""
    params = {"now": now_or_none(), "first": FIRST_PAUSE_SECONDS, "longest": LONGEST_PAUSE_SECONDS}
    row: dict[str, Any] | None = _SQL.value("next_account_mail", params)
    return DueMail(**{**row, "id": UUID(row["id"])}) if row else None


def note_sent(id: UUID) -> None:
    """The mail server has taken it."""
    _SQL.execute("note_account_mail_sent", {"id": id, "now": now_or_none()})


def note_not_sent(id: UUID, error: str, *, for_good: bool) -> None:
    """It was not sent, and why; `for_good`: nor will it be."""
    _SQL.execute("note_account_mail_not_sent", {"id": id, "error": error, "for_good": for_good})


def drop_all(error: str) -> int:
    """Send nothing of what waits, for this reason; gives how many, of which there may be more."""
    return _SQL.execute("drop_account_mails", {"error": error, "limit": _BATCH}).rowcount


def forget() -> int:
    """Delete what was done with long ago; gives how many."""
    return _SQL.execute(
        "forget_account_mails", {"now": now_or_none(), "days": KEPT_DAYS, "limit": _BATCH}
    ).rowcount


def digest_zones() -> list[str]:
    """The time zones, as they are set, of those who want a mail of the day."""
    return _SQL.column("digest_zones", {})


def write_digests(at: Sequence[tuple[str, date, int]]) -> int:
    """Write the mail of the day for whom its hour has come: `at` says of each zone which day and hour it is there.

    Gives how many were written; of more than some the others come with the next call.
    """
    zones, days, hours = [list(column) for column in zip(*at, strict=True)] or [[], [], []]
    params = {"zones": zones, "days": days, "hours": hours, "kind": DIGEST, "limit": _BATCH}
    return _SQL.execute("write_digests", {**params, "now": now_or_none()}).rowcount


def digest_before(tenant_id: int, user_id: int, mail_id: UUID) -> datetime | None:
    """When the last mail of the day before this one was sent to somebody."""
    mails = AccountMail.objects.for_tenant(tenant_id).filter(user_id=user_id, kind=DIGEST)
    before: datetime | None = mails.exclude(pk=mail_id).aggregate(at=Max("sent_at"))["at"]
    return before

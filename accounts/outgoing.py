"""Mails about accounts as rows of an outbox, written with their cause; a tick elsewhere sends them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, Final
from uuid import UUID

from django.db.models import Max

from accounts.models import DIGEST, AccountMail, User
from lib.clock import now_or_none, now_there
from lib.named_sql import Statements
from lib.outbox import Outbox
from lib.uuid7 import uuid7

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


def _read(row: Mapping[str, Any]) -> DueMail:
    return DueMail(
        UUID(row["id"]),
        row["tenant_id"],
        row["user_id"],
        row["kind"],
        row["to"],
        row["by"],
        row["attempts"],
        row["age"],
    )


OUTBOX: Final = Outbox("accounts_accountmail", _read)


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

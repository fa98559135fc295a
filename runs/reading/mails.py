"""Mails that were tried in vain: an app above tells of its own, those about accounts are found here."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple, TypedDict
from uuid import UUID

from django.db.models import QuerySet

from accounts.models import (
    DIGEST,
    FORGOTTEN,
    INVITED,
    MENTIONED,
    MOVED,
    SENT,
    TOKEN_ENDS,
    WEBHOOK_OFF,
    AccountMail,
)
from accounts.principal import Principal
from lib.clock import now_here
from lib.ports import Port
from runs.access import of_readable_runs

GIVEN_UP = timedelta(days=1)
"""What was given up is shown for so long."""
_OF_ACCOUNTS = {
    FORGOTTEN: "A new password",
    INVITED: "An invitation",
    SENT: "A link to set a password",
    MOVED: "A new address",
    DIGEST: "Their tasks of the day",
    MENTIONED: "A mention",
    WEBHOOK_OFF: "A webhook that was switched off",
    TOKEN_ENDS: "A token that ends soon",
}


class MailsRow(TypedDict):
    """How many mails of a tenant were tried in vain, and why the newest was not sent."""

    tenant_id: int
    many: int
    error: str


class UnsentMail(NamedTuple):
    """To whom it is, what it is about, why it was not sent, and when it is tried again; None: never.

    `run`: the run whose task it is about.
    """

    to: str
    about: str
    error: str
    created_at: datetime
    next_at: datetime | None
    run: UUID | None = None


class MailSource(NamedTuple):
    """A table of mails, with the columns that `AccountMail` has, and one of its rows as it is shown."""

    model: Any
    shown: Callable[[Any], UnsentMail]
    related: Sequence[str] = ()
    """What is read with them to show them."""
    of_runs: bool = False
    """Whether each is about a run: `run_id`."""


def of_account(mail: AccountMail) -> UnsentMail:
    """A mail about an account as it is shown."""
    about = _OF_ACCOUNTS.get(mail.kind, "Their account")
    return UnsentMail(mail.user.get_username(), about, mail.error, mail.created_at, mail.next_at)


MAILS: Final = Port(MailSource(AccountMail, of_account, related=("user",)))
"""The mails that are sent: those about accounts, and those of apps above."""


def unsent_mails(who: Principal, most: int) -> list[UnsentMail]:
    """The newest mails that wait for another attempt or were given up lately, at most so many; of those about runs the
    ones of runs that they may read.
    """
    mails: list[UnsentMail] = []
    for source in MAILS:
        rows = source.model.objects.for_tenant(who.tenant_id).prefetch_related(*source.related)
        if source.of_runs:
            rows = of_readable_runs(rows, who)
        for part in _tried_in_vain(rows, GIVEN_UP):
            mails += [source.shown(mail) for mail in part.reverse()[:most]]
    return sorted(mails, key=lambda mail: mail.created_at, reverse=True)[:most]


def failing(span: timedelta, most: int) -> tuple[list[MailsRow], bool]:
    """How many mails of each tenant wait for another attempt or were given up within `span`, and why the newest was not
    sent; and whether there may be more, since at most so many of a kind are read.
    """
    errors: dict[int, list[tuple[datetime, str]]] = defaultdict(list)
    is_cut = False
    for source in MAILS:
        for part in _tried_in_vain(source.model.unsafe_all_tenants.all(), span):
            rows = list(part.values_list("tenant_id", "created_at", "error")[:most])
            is_cut = is_cut or len(rows) == most
            for tenant, created_at, error in rows:
                errors[tenant].append((created_at, error))
    failures: list[MailsRow] = [
        {"tenant_id": tenant, "many": len(some), "error": max(some)[1]} for tenant, some in errors.items()
    ]
    return failures, is_cut


def _tried_in_vain(mails: QuerySet[Any], span: timedelta) -> tuple[QuerySet[Any], QuerySet[Any]]:
    """Those that wait for another attempt, the next first, and those given up within the span, the oldest first: as
    their indexes have them.
    """
    failures = mails.filter(sent_at=None, attempts__gt=0).exclude(error="")
    waiting = failures.filter(next_at__isnull=False).order_by("next_at", "id")
    return waiting, failures.filter(next_at=None, created_at__gte=now_here() - span).order_by("created_at")

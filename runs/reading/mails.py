"""Mails that were tried in vain; an app above tells of its own, those about accounts are found here."""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from accounts.models import AccountMail
from lib.clock import now_here

GIVEN_UP = timedelta(days=1)
"""What was given up is told for so long."""


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


Find = Callable[[int, int], Sequence[UnsentMail]]
_FINDERS: list[Find] = []


def tell_unsent(finder: Find) -> None:
    """Registers who finds others: `finder(tenant, most)`."""
    if finder not in _FINDERS:
        _FINDERS.append(finder)


def unsent_mails(tenant: int, most: int) -> list[UnsentMail]:
    """The newest mails of a tenant, at most so many, that wait for another attempt or were given up lately."""
    found = [mail for finder in (_of_accounts, *_FINDERS) for mail in finder(tenant, most)]
    return sorted(found, key=lambda mail: mail.created_at, reverse=True)[:most]


def _of_accounts(tenant: int, most: int) -> list[UnsentMail]:
    tried = AccountMail.objects.for_tenant(tenant).filter(sent_at=None, attempts__gt=0).select_related("user")
    waiting = tried.filter(next_at__isnull=False)
    given_up = tried.filter(next_at=None, created_at__gte=now_here() - GIVEN_UP)
    rows = [*waiting.order_by("-id")[:most], *given_up.order_by("-created_at")[:most]]
    return [
        UnsentMail(
            row.user.get_username(), f"their account: {row.kind}", row.error, row.created_at, row.next_at
        )
        for row in rows
    ]

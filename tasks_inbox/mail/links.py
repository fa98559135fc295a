"""Links of mails: they open a task for one person, once, and decide nothing (docs/security.md, "Links in mails").

A link is signed by a key of its own (derived from the secret key), and names its purpose, tenant, task, person, end and
mail. The row of the mail is its nonce: it knows whether the link was used.
"""

import time
from dataclasses import dataclass
from typing import Literal
from uuid import UUID

from django.conf import settings
from django.core import signing
from django.urls import reverse

from tasks_inbox.mail import outbox

_SALT = "handoff.inbox.link"
_PURPOSE = "open"
_DAY = 86_400
State = Literal["good", "used", "old"]


@dataclass(frozen=True, slots=True)
class Link:
    """What a link says; `id` is the mail's."""

    id: UUID
    tenant: int
    task: UUID
    username: str

    def state(self) -> str | None:
        """Whether it is `good`, `used` or `old`; None where there is no such mail any more. Changes nothing."""
        return outbox.link_state(id=self.id, tenant=self.tenant, task=self.task, username=self.username)

    def use(self) -> bool:
        """Use it up. False where somebody did before, or its time is over."""
        return outbox.use_link(id=self.id, tenant=self.tenant, task=self.task, username=self.username)


def written(link: Link, caused_at: float) -> str:
    """The whole address of a link in a mail whose cause was at `caused_at`, in seconds since 1970."""
    ends = int(caused_at) + outbox.LINK_DAYS * _DAY
    fields = [_PURPOSE, link.id.hex, link.tenant, link.task.hex, link.username, ends]
    return settings.HANDOFF_URL + reverse("inbox-open", args=[signing.dumps(fields, salt=_SALT)])


def read(token: str) -> Link | None:
    """What a token says; None where it is none of ours, was changed, or its time is over."""
    try:
        purpose, id, tenant, task, username, ends = signing.loads(token, salt=_SALT)
        link = Link(UUID(id), tenant, UUID(task), username)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return link if purpose == _PURPOSE and ends > time.time() else None

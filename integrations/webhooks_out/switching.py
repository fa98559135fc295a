"""A webhook is switched off because of what its receiver does, and whoever has to know is told."""

import logging
from urllib.parse import urlsplit
from uuid import UUID

from django.db import transaction

from accounts import audit
from accounts import outgoing as mails
from accounts.models import WEBHOOK_OFF
from accounts.queries import members_of_roles
from accounts.roles import ADMIN
from integrations.webhooks_out import store
from integrations.webhooks_out.limits import CALLED_CHARACTERS, PENDING_MESSAGES
from lib.batches import in_bounded_batches

log = logging.getLogger("handoff.webhooks")

WORDS = {
    "by hand": "Somebody switched it off.",
    "gone": "Its receiver answered 410: it wants no more messages.",
    "failing": "No message has arrived for three days.",
    "backlog": f"More than {PENDING_MESSAGES:,} messages waited for it.",
}
"""Why a webhook is off, in a sentence for people, by its `off_reason`."""
_BATCH, _SECONDS = 1_000, 1.0


def switch_off(webhook: UUID, reason: str, error: str = "") -> bool:
    """Switch a webhook off, alert, and have the admins of its tenant mailed; False where it was off already."""
    with transaction.atomic():
        off = store.switch_off(webhook, reason, error)
        if off is None:
            return False
        audit.change_by_server(
            off.tenant,
            "webhook_out.switch_off",
            f"{webhook} {urlsplit(off.url).netloc}",
            before={"enabled": True},
            after={"enabled": False},
            reason=reason,
        )
        called = off.description or urlsplit(off.url).netloc
        for admin in members_of_roles(off.tenant, [ADMIN]).select_related("user"):
            mails.write(off.tenant, admin.user, WEBHOOK_OFF, by=called[:CALLED_CHARACTERS])
    log.error(
        "alert webhook_off tenant=%r webhook=%r host=%r: %s %s",
        off.tenant,
        str(webhook),
        # Path and query may be secrets.
        urlsplit(off.url).netloc,
        WORDS[reason],
        error,
        extra={"alert": "webhook_off", "tenant": off.tenant, "webhook": str(webhook)},
    )
    return True


def keep_bounds() -> int:
    """Switch off what has fallen too far behind, and give up some of what waits for what is deleted; gives how much."""
    count = sum(switch_off(webhook, "backlog") for webhook in store.overfull())
    return count + in_bounded_batches(store.drop, _BATCH, _SECONDS)

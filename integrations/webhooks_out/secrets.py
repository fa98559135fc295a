"""What signs the messages of a webhook, as it is kept."""

from uuid import UUID

from accounts.sealed import ring_of
from integrations.webhooks_out import store
from integrations.webhooks_out.models import OutgoingSecret
from lib.sealing import Hidden, Place
from lib.standard_webhooks import new_secret, written


def add(tenant_id: int, webhook: UUID | str, number: int) -> str:
    """A new secret, sealed into its row; gives it as receivers are given it. Raises CannotOpen without a master key."""
    secret = new_secret()
    OutgoingSecret.objects.create(
        tenant_id=tenant_id,
        webhook_id=webhook,
        number=number,
        sealed=ring_of(tenant_id).seal(Hidden(secret), _place(tenant_id, webhook, number)),
    )
    return written(secret)


def valid(tenant_id: int, webhook: UUID) -> list[bytes]:
    """The secrets that count now, the newest first. Raises CannotOpen where the key that sealed one is not here."""
    ring = ring_of(tenant_id)
    return [
        ring.open(sealed, _place(tenant_id, webhook, number)).reveal()
        for number, sealed in store.secrets_of(webhook)
    ]


def _place(tenant_id: int, webhook: UUID | str, number: int) -> Place:
    return Place(tenant_id, f"outgoing/{webhook}", "secret", number)

"""A form that starts a run carries a ticket: the id that its run will have. Sent twice, it starts one run."""

from django.core import signing

from accounts.principal import Principal
from lib.uuid7 import uuid7

_SALT = "runs.once"
_SECONDS = 7 * 86_400


def ticket(principal: Principal) -> str:
    """A new ticket; only who got it can use it."""
    return signing.dumps([uuid7(), principal.tenant_id, principal.user_id], salt=_SALT)


def run_id_of(principal: Principal, text: str) -> str | None:
    """The id that a ticket stands for; None for none, an old one or somebody else's."""
    try:
        run_id, *whose = signing.loads(text, salt=_SALT, max_age=_SECONDS)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return run_id if whose == [principal.tenant_id, principal.user_id] else None

"""A form that makes something carries a ticket: the id of what it will make. Sent twice, it makes one."""

from django.core import signing

from accounts.principal import Principal
from lib.uuid7 import uuid7

_SALT = "accounts.once"
_SECONDS = 7 * 86_400


def ticket(principal: Principal) -> str:
    """A new ticket; only who got it can use it."""
    return signing.dumps([uuid7(), principal.tenant_id, principal.user_id], salt=_SALT)


def id_of(principal: Principal, text: str) -> str | None:
    """The id that a ticket stands for; None for none, an old one or somebody else's."""
    try:
        id_, *whose = signing.loads(text, salt=_SALT, max_age=_SECONDS)
    except (signing.BadSignature, ValueError, TypeError):
        return None
    return id_ if whose == [principal.tenant_id, principal.user_id] else None

"""Who is asking, in which tenant, and what they may do."""

from dataclasses import dataclass
from typing import Literal

from lib.refusals import NotAllowed


class Forbidden(NotAllowed):
    """You are not allowed to do this."""


@dataclass(frozen=True, slots=True)
class Principal:
    """The one source of the tenant and of permissions in every service: never a field of the request."""

    tenant_id: int
    tenant_slug: str
    user_id: int
    username: str
    role: str
    scopes: frozenset[str]
    via: Literal["token", "session", "command"]
    token: str | None = None
    """The public id of the token that was shown."""

    def require(self, scope: str) -> None:
        """Raises Forbidden unless this principal holds the scope."""
        if scope not in self.scopes:
            raise Forbidden(f"This needs the scope {scope}.", details={"scope": scope})

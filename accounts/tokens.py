"""API tokens as people handle them: one's own, and for who manages them those of the tenant."""

from collections.abc import Iterable
from datetime import UTC, datetime

from django.db import transaction
from django.db.models import QuerySet

from accounts import audit, services
from accounts.models import ApiToken, Tenant, User
from accounts.principal import Principal
from accounts.roles import SCOPES, SCOPES_OF_ROLE, TOKENS_MANAGE, TOKENS_OWN
from lib.refusals import Conflict, Invalid, Missing

MOST_TOKENS = 200


def visible(principal: Principal, *, user: str = "", revoked: bool = False) -> QuerySet[ApiToken]:
    """The tokens that they may see and revoke: their own, by `tokens:manage` the tenant's; those of `user` alone.

    Revoked ones only where they are asked for. Raises Forbidden.
    """
    principal.require(TOKENS_OWN)
    tokens = ApiToken.objects.for_tenant(principal.tenant_id).select_related("user")
    if TOKENS_MANAGE not in principal.scopes:
        tokens = tokens.filter(user_id=principal.user_id)
    if user:
        tokens = tokens.filter(user__username__iexact=user)
    return tokens if revoked else tokens.filter(revoked_at=None)


def find(principal: Principal, public_id: str) -> ApiToken:
    """One of those, a revoked one, too. Raises Missing."""
    token = visible(principal, revoked=True).filter(public_id=public_id).first()
    if token is None:
        raise Missing("There is no such token.")
    return token


@transaction.atomic
def make(
    principal: Principal,
    *,
    name: str,
    role: str | None = None,
    scopes: Iterable[str] | None = None,
    days: int | None = None,
    reason: str | None = None,
) -> tuple[ApiToken, str]:
    """A token that acts for who asks, never for more than they may do now; and its text, shown only here.

    One that is made with a token ends with that. Raises Invalid, Forbidden, and Conflict where there are many.
    """
    principal.require(TOKENS_OWN)
    if not name.strip():
        raise Invalid("Say what it is for.", code="required", field="name")
    mine = ApiToken.objects.for_tenant(principal.tenant_id).filter(user_id=principal.user_id)
    User.objects.select_for_update(no_key=True).get(pk=principal.user_id)
    if mine.filter(revoked_at=None).count() >= MOST_TOKENS:
        raise Conflict(f"There are {MOST_TOKENS} tokens of yours: revoke some.", code="too_many_tokens")
    token, text = services.create_token(
        user=User.objects.get(pk=principal.user_id),
        tenant=Tenant.objects.get(pk=principal.tenant_id),
        role=role or principal.role,
        scopes=_narrowed(principal, role or principal.role, scopes),
        days=days,
        name=name.strip(),
        made_with=mine.filter(public_id=principal.token).first() if principal.token else None,
    )
    token.refresh_from_db()
    audit.record(principal, f"create as {token.role}", f"token {token.public_id}", reason=reason)
    return token, text


@transaction.atomic
def revoke(principal: Principal, public_id: str, *, reason: str | None = None) -> None:
    """End a token at once, with those that were made with it. Raises Missing."""
    token = find(principal, public_id)
    services.revoke_token(principal.tenant_id, public_id)
    audit.record(principal, "revoke", f"token {public_id} of {token.user.username}", reason=reason)


def rows(tokens: Iterable[ApiToken]) -> list[dict[str, object]]:
    """Tokens as they are shown."""
    now = datetime.now(UTC)
    return [
        {
            "id": token.public_id,
            "name": token.name,
            "prefix": token.prefix,
            "user": token.user.username,
            "role": token.role,
            "scopes": token.scopes,
            "status": _status(token, now),
            "created_at": token.created_at,
            "last_used_at": token.last_used_at,
            "expires_at": token.expires_at,
            "revoked_at": token.revoked_at,
        }
        for token in tokens
    ]


def _status(token: ApiToken, now: datetime) -> str:
    if token.revoked_at is not None:
        return "revoked"
    return "expired" if token.expires_at is not None and token.expires_at <= now else "active"


def _narrowed(principal: Principal, role: str, scopes: Iterable[str] | None) -> frozenset[str] | None:
    """The scopes that are asked for as far as they hold them; None, all of the role's, where they hold all."""
    of_role = SCOPES_OF_ROLE.get(role, frozenset())
    if scopes is not None:
        for scope in (names := frozenset(scopes)) & SCOPES:
            principal.require(scope)
        return names
    return None if of_role <= principal.scopes else of_role & principal.scopes

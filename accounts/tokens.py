"""API tokens as people handle them: one's own, and for who manages them those of the tenant."""

import secrets
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from django.contrib.auth.hashers import make_password
from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now
from django.utils.text import slugify

from accounts import audit, networks, outgoing, services, token_reach, token_store
from accounts.limits import TOKEN_MAIL_CHARACTERS, USER_TOKENS
from accounts.models import TOKEN_ENDS, ApiToken, Tenant, User
from accounts.principal import SERVICE, Forbidden, JobReach, Principal
from accounts.queries import members_of_roles
from accounts.roles import ADMIN, NEVER_A_SERVICES, SCOPES, SCOPES_OF_ROLE, TOKENS_MANAGE, TOKENS_OWN
from lib.refusals import Conflict, Invalid, Missing

WARNED_DAYS = (14, 1)
"""So many days before a token ends its user is told."""
_BATCH = 500


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
    allowed_ips: Iterable[str] = (),
    queues: Iterable[str] | None = None,
    folders: Iterable[str] | None = None,
    service: bool = False,
    reason: str | None = None,
) -> tuple[ApiToken, str]:
    """A token that acts for who asks, never for more than they may do now; and its text, shown only here.

    One that takes jobs is limited to `queues` and `folders` (names; `*` is all of them): one of the two is chosen.
    One that is made with a token ends with that, may be used from nowhere else, and has its limits. With `service`, by
    `tokens:manage`, it acts for no person: it outlives its maker's membership, keeps its role, and does nothing of
    what only people do. Raises Invalid, Forbidden, and Conflict where there are many.
    """
    principal.require(TOKENS_MANAGE if service else TOKENS_OWN)
    if not name.strip():
        raise Invalid("Enter what it is for.", code="required", field="name")
    role = role or principal.role
    narrowed = _narrowed(principal, role, scopes, but=NEVER_A_SERVICES if service else frozenset())
    jobs = token_reach.chosen(principal, queues, folders, takes_jobs=token_reach.takes_jobs(role, narrowed))
    token, text = _add(
        principal,
        user_id=_new_service(principal, name.strip()).pk if service else principal.user_id,
        name=name.strip(),
        role=role,
        scopes=narrowed,
        days=days,
        allowed_ips=networks.written(allowed_ips),
        jobs=jobs,
        most=USER_TOKENS,
    )
    audit.change(principal, "token.create", token.public_id, after=facts_of(token), reason=reason)
    return token, text


@transaction.atomic
def rotate(
    principal: Principal, public_id: str, *, overlap_seconds: int = 0, reason: str | None = None
) -> tuple[ApiToken, str]:
    """Another token of one's own in place of this one, with its name, role, scopes, networks, queues, folders and
    length of life; and its text.

    The old one is valid for `overlap_seconds` more at most. As one that is made, it is never for more than who asks may
    do now, and where a token asks it ends with that. Raises Missing, Forbidden, and Conflict for one that is valid no
    more, or where there are many.
    """
    old = find(principal, public_id)
    if old.user_id != principal.user_id and not old.user.is_service:
        raise Forbidden("Only the token's owner can rotate it. Revoke it instead.")
    old = ApiToken.objects.for_tenant(principal.tenant_id).select_for_update().get(pk=old.pk)
    if (status := _status(old, datetime.now(UTC))) != "active":
        raise Conflict(f"It is {status}: make another one.", code="not_active")
    for scope in sorted(old.scopes if old.scopes is not None else SCOPES_OF_ROLE[old.role]):
        principal.require(scope)
    new, text = _add(
        principal,
        user_id=old.user_id,
        name=old.name,
        role=old.role,
        scopes=None if old.scopes is None else frozenset(old.scopes),
        days=None if old.expires_at is None else max(1, (old.expires_at - old.created_at).days),
        allowed_ips=old.allowed_ips or [],
        jobs=token_reach.within(principal, _jobs_of(old)),
        made_with=old.made_with,
        # The old one makes room where it ends at once.
        most=USER_TOKENS if overlap_seconds else USER_TOKENS + 1,
    )
    services.end_token(old, overlap_seconds)
    after = {"id": new.public_id, "overlap_seconds": overlap_seconds, **facts_of(new)}
    audit.change(principal, "token.rotate", public_id, after=after, reason=reason)
    return new, text


@transaction.atomic
def change(
    principal: Principal,
    public_id: str,
    *,
    queues: Iterable[str] | None = None,
    folders: Iterable[str] | None = None,
    reason: str | None = None,
) -> ApiToken:
    """Limit a token to other queues and folders (names; `*` is all of them) from its next call on; None: as they are.

    Raises Missing, Invalid, Conflict for one that is valid no more, and Forbidden for more than who asks has.
    """
    find(principal, public_id)
    mine = ApiToken.objects.for_tenant(principal.tenant_id).select_related("user")
    token = mine.select_for_update(of=("self",)).get(public_id=public_id)
    if (status := _status(token, datetime.now(UTC))) != "active":
        raise Conflict(f"It is {status}: make another one.", code="not_active")
    before, jobs = facts_of(token), _jobs_of(token)
    jobs = token_reach.within(
        principal,
        JobReach(
            jobs.queues if queues is None else token_reach.queues_written(queues),
            jobs.folders if folders is None else token_reach.folders_named(principal, folders),
        ),
    )
    token.queues = None if jobs.queues is None else [*jobs.queues]
    token.folders = None if jobs.folders is None else [*jobs.folders]
    token.save(update_fields=["queues", "folders"])
    audit.change(principal, "token.change", public_id, before=before, after=facts_of(token), reason=reason)
    return token


def _jobs_of(token: ApiToken) -> JobReach:
    queues, folders = token.queues, token.folders
    return JobReach(None if queues is None else (*queues,), None if folders is None else (*folders,))


@transaction.atomic
def revoke(principal: Principal, public_id: str, *, reason: str | None = None) -> None:
    """End a token at once, with those that were made with it. Raises Missing."""
    token = find(principal, public_id)
    services.revoke_token(principal.tenant_id, public_id)
    if token.revoked_at is None:
        audit.change(principal, "token.revoke", public_id, before=facts_of(token), reason=reason)


@transaction.atomic
def warn_of_ends() -> int:
    """Have users mailed whose tokens end soon, of a service's the admins; once for each of WARNED_DAYS.

    Gives how many mails that made.
    """
    endings = token_store.warn_of_ends(WARNED_DAYS, _BATCH)
    users, count = User.objects.in_bulk({user for _, user, _ in endings}), 0
    for tenant, user, name in endings:
        recipients = [users[user]]
        if users[user].is_service:
            recipients = [one.user for one in members_of_roles(tenant, [ADMIN]).select_related("user")]
        for each in recipients:
            outgoing.write(tenant, each, TOKEN_ENDS, by=name[:TOKEN_MAIL_CHARACTERS])
        count += len(recipients)
    return count


def rows(tokens: Iterable[ApiToken]) -> list[dict[str, object]]:
    """Tokens as they are shown."""
    now, all_tokens = datetime.now(UTC), list(tokens)
    return [
        {
            "id": token.public_id,
            "name": token.name,
            "prefix": token.prefix,
            "user": token.user.username,
            "service": token.user.is_service,
            "role": token.role,
            "scopes": token.scopes,
            "allowed_ips": token.allowed_ips or [],
            "status": _status(token, now),
            "ends_soon": _ends_soon(token, now),
            "created_at": token.created_at,
            "last_used_at": token.last_used_at,
            "expires_at": token.expires_at,
            "revoked_at": token.revoked_at,
            **limits,
        }
        for token, limits in zip(all_tokens, token_reach.shown(all_tokens), strict=True)
    ]


def facts_of(token: ApiToken) -> dict[str, object]:
    """What the audit log says of a token."""
    facts = audit.fields_of(token, "name", "role", "scopes", "allowed_ips", "queues", "folders", "expires_at")
    return facts | {"user": token.user.username, "service": token.user.is_service}


def _status(token: ApiToken, now: datetime) -> str:
    if token.revoked_at is not None:
        return "revoked"
    return "expired" if token.expires_at is not None and token.expires_at <= now else "active"


def _ends_soon(token: ApiToken, now: datetime) -> bool:
    is_near = token.expires_at is not None and token.expires_at <= now + timedelta(days=WARNED_DAYS[0])
    return is_near and _status(token, now) == "active"


def _add(
    principal: Principal,
    *,
    user_id: int,
    name: str,
    role: str,
    scopes: frozenset[str] | None,
    days: int | None,
    allowed_ips: list[str],
    jobs: JobReach,
    most: int,
    made_with: ApiToken | None = None,
) -> tuple[ApiToken, str]:
    """Another one of a user, which ends with the token that is asked with, else with `made_with`. One by one, so that
    there are `most` of them at most.
    """
    user = User.objects.select_for_update(no_key=True).get(pk=user_id)
    everybodys = ApiToken.objects.for_tenant(principal.tenant_id)
    if (
        everybodys.filter(user_id=user.pk).filter(revoked_at=None).exclude(expires_at__lte=Now()).count()
        >= most
    ):
        raise Conflict(f"You have {USER_TOKENS} tokens: revoke some.", code="too_many_tokens")
    asked_with = everybodys.filter(public_id=principal.token).first() if principal.token else None
    if asked_with and asked_with.allowed_ips:
        allowed_ips = allowed_ips or asked_with.allowed_ips
        if not networks.within(allowed_ips, asked_with.allowed_ips):
            message = "The new token may not allow addresses that yours does not allow."
            raise Forbidden(message, field="allowed_ips")
    token, text = services.create_token(
        user=user,
        tenant=Tenant.objects.get(pk=principal.tenant_id),
        role=role,
        scopes=scopes,
        days=days,
        name=name,
        made_with=asked_with or made_with,
        allowed_ips=allowed_ips,
        jobs=jobs,
    )
    token.refresh_from_db()
    return token, text


def _new_service(principal: Principal, name: str) -> User:
    """What a service's token acts as: a user without a login and without a seat."""
    services_ = ApiToken.objects.for_tenant(principal.tenant_id).filter(
        user__is_service=True, revoked_at=None
    )
    if services_.exclude(expires_at__lte=Now()).count() >= USER_TOKENS:
        raise Conflict(f"There are {USER_TOKENS} service tokens: revoke some.", code="too_many_tokens")
    called = f"{SERVICE}{principal.tenant_slug}:{slugify(name)[:40] or 'token'}-{secrets.token_hex(3)}"
    return User.objects.create(
        username=called, name=name[:TOKEN_MAIL_CHARACTERS], is_service=True, password=make_password(None)
    )


def _narrowed(
    principal: Principal, role: str, scopes: Iterable[str] | None, *, but: frozenset[str]
) -> frozenset[str] | None:
    """The scopes that are asked for as far as they hold them; None, all of the role's, where they hold all. Without
    those in `but`, for which nobody may ask.
    """
    of_role = SCOPES_OF_ROLE.get(role, frozenset())
    if scopes is not None:
        names = frozenset(scopes)
        for scope in names & SCOPES:
            principal.require(scope)
        if denied := sorted(names & but):
            raise Invalid(f"Only people have the scope {denied[0]}.", field="scopes")
        return names
    if not of_role <= principal.scopes or of_role & but:
        return (of_role & principal.scopes) - but
    return None

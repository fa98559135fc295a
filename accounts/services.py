"""Changing who there is: tenants, the admin, groups, tokens, logins."""

import hmac
import logging
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

import orjson
from django.conf import settings
from django.contrib.auth import authenticate
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import DateTimeField, F, Value
from django.db.models.expressions import Combinable
from django.db.models.functions import Least, Now

from accounts import audit, networks, queries, throttle, token_format, token_store
from accounts.audit import origin, refusals
from accounts.folders import default_folder, grants_to_groups
from accounts.limits import GROUP_NAME_CHARACTERS, PASSWORD_CHARACTERS, TOKEN_NAME_CHARACTERS
from accounts.models import ApiToken, Group, GroupMember, Membership, Tenant, User
from accounts.names import key_of
from accounts.picking import require_member
from accounts.principal import EVERY_JOB, SERVICE, Forbidden, JobReach, Principal
from accounts.roles import ADMIN, MEMBERS_MANAGE, OF_THE_TENANT, SCOPES, SCOPES_OF_ROLE
from accounts.token_store import FoundToken
from lib.load.admission import name_caller
from lib.refusals import Conflict, Invalid, Missing, NotAllowed

log = logging.getLogger("handoff.accounts")

_NEWEST = 10
_ELSEWHERE = "use of a token from an address that it does not allow"


class BadToken(NotAllowed):
    """This token is not valid."""

    code = "bad_token"


class WrongPassword(NotAllowed):
    """The name or the password is wrong."""

    code = "wrong_password"


def ensure_default_tenant() -> Tenant:
    """The tenant `default` with the folder in which its workflows lie, made if they aren't there yet."""
    tenant, _created = Tenant.objects.get_or_create(slug="default", defaults={"name": "Default"})
    default_folder(tenant.pk)
    return tenant


@transaction.atomic
def ensure_admin(password: str, *, username: str = "admin") -> tuple[User, bool]:
    """The user `admin` with the role admin in the default tenant; the password is for a new one.

    Returns the user and whether it was made now.
    """
    tenant = ensure_default_tenant()
    user = User.objects.filter(username=username).first()
    created = user is None
    if user is None:
        user = User.objects.create_user(username, password, home=tenant)
    Membership.unsafe_all_tenants.update_or_create(tenant=tenant, user=user, defaults={"role": ADMIN})
    return user, created


def check_new_password(user: User, password: str) -> None:
    """Raises Invalid at `new` for a password that is too long or too weak for this user."""
    if len(password) > PASSWORD_CHARACTERS:
        message = f"A password has at most {PASSWORD_CHARACTERS:,} characters."
        raise Invalid(message, code="max_length", field="new")
    try:
        validate_password(password, user)
    except ValidationError as weak:
        raise Invalid(" ".join(weak.messages), code="weak_password", field="new") from None


@transaction.atomic
def set_password(user: User, password: str) -> None:
    """Gives the user this password; sessions opened with the old one end."""
    user.set_password(password)
    User.objects.filter(pk=user.pk).update(password=user.password)


def change_own_password(
    principal: Principal, user: User, password: str, act: str, *, revoke_tokens: bool
) -> None:
    """As `set_password`, by its user; tokens end where that is wished, in every tenant."""
    with transaction.atomic():
        set_password(user, password)
        audit.change(principal, act, user.username, after={"password": audit.CHANGED})
        revoked = revoke_tokens_of(user.pk) if revoke_tokens else {}
        for tenant_id, ids in revoked.items():
            there = replace(principal, tenant_id=tenant_id)
            audit.change(there, "token.revoke_all", user.username, before={"ids": ids})


def create_token(
    *,
    user: User,
    tenant: Tenant,
    role: str | None = None,
    scopes: frozenset[str] | None = None,
    days: int | None = None,
    name: str = "",
    made_with: ApiToken | None = None,
    allowed_ips: Iterable[str] = (),
    jobs: JobReach = EVERY_JOB,
) -> tuple[ApiToken, str]:
    """A new token that acts for `user` in `tenant`, with at most that user's scopes; and its text, shown only here.

    What acts for a service has the role that it is given. `allowed_ips`: addresses and networks from where alone it
    may be used; none: from everywhere. `jobs`: the queues and folders that it is limited to.
    Raises Invalid for an unknown role or scope, what is no network, or too long a name, Missing for a non-member,
    Forbidden for more than the user's role.
    """
    own_role = role if user.is_service and role else queries.role_in(user, tenant)
    role = role or own_role
    _check_grant(own_role, role, scopes)
    if len(name) > TOKEN_NAME_CHARACTERS:
        raise Invalid(f"A token's name has at most {TOKEN_NAME_CHARACTERS} characters.", field="name")
    if days is not None and not 1 <= days <= 3650:
        raise Invalid("A token lives for 1 to 3650 days.", field="days")
    new = token_format.new_token(settings.HANDOFF_TOKEN_ENVIRONMENT)
    token = ApiToken.objects.create(
        tenant=tenant,
        user=user,
        made_with=made_with,
        name=name,
        public_id=new.public_id,
        prefix=new.prefix,
        secret_sha256=token_format.digest(new.text),
        role=role,
        scopes=sorted(scopes) if scopes is not None else None,
        allowed_ips=networks.written(allowed_ips) or None,
        queues=None if jobs.queues is None else [*jobs.queues],
        folders=None if jobs.folders is None else [*jobs.folders],
        expires_at=_end(days, made_with),
    )
    return token, new.text


def _end(days: int | None, made_with: ApiToken | None) -> Combinable | datetime | None:
    """When a token ends: Least leaves out what is NULL."""
    own = Now() + timedelta(days=days) if days else None
    limit = made_with.expires_at if made_with else None
    return Least(own, Value(limit, DateTimeField())) if own and limit else own or limit


def _check_grant(own_role: str, role: str, scopes: frozenset[str] | None) -> None:
    if role not in SCOPES_OF_ROLE:
        raise Invalid(f"There is no role {role}; there are {', '.join(SCOPES_OF_ROLE)}.", field="role")
    if unknown := sorted((scopes or frozenset()) - SCOPES):
        raise Invalid(f"There is no scope {unknown[0]}.", field="scopes")
    if not SCOPES_OF_ROLE[role] <= SCOPES_OF_ROLE[own_role]:
        raise Forbidden(
            f"A token with the role {role} would have more rights than its user, whose role is {own_role}.",
            field="role",
        )
    if beyond := sorted((scopes or frozenset()) - SCOPES_OF_ROLE[role]):
        raise Invalid(f"The role {role} does not have the scope {beyond[0]}.", field="scopes")


def revoke_token(tenant_id: int, public_id: str) -> None:
    """Ends a token at once, with those that were made with it; a second time changes nothing. Raises Missing."""
    if not ApiToken.objects.for_tenant(tenant_id).filter(public_id=public_id).exists():
        raise Missing("There is no such token.")
    token_store.revoke(tenant_id, public_id)


def end_token(token: ApiToken, seconds: int) -> None:
    """Has a token expire so many seconds from now, unless it does before; those that were made with it stay."""
    end = Least(Now() + timedelta(seconds=seconds), F("expires_at"))
    ApiToken.objects.for_tenant(token.tenant_id).filter(pk=token.pk).update(expires_at=end)


def revoke_tokens_of(user_id: int) -> dict[int, list[str]]:
    """Ends every token that acts for this user, in whichever tenant; gives their ids by tenant."""
    tokens = ApiToken.unsafe_all_tenants.filter(user_id=user_id, revoked_at=None)
    ids: dict[int, list[str]] = {}
    for pk, tenant_id, public_id in list(tokens.order_by("pk").values_list("pk", "tenant_id", "public_id")):
        if tokens.filter(pk=pk).update(revoked_at=Now()):
            ids.setdefault(tenant_id, []).append(public_id)
    return ids


def authenticate_token(text: str, address: str = "") -> Principal:
    """Who shows this token, from this address. Raises BadToken: unknown, expired, revoked, or its user is gone; and
    Forbidden for one that may not be used from there.
    """
    public_id = token_format.public_id_of(text)
    if public_id is None:
        raise BadToken
    token = token_store.find_token(public_id)
    # The hash is compared also where there is no token, so that an answer's time tells nothing of the ids.
    digest = token.secret_sha256 if token else bytes(32)
    if not hmac.compare_digest(digest, token_format.digest(text)) or token is None or not token.is_valid:
        raise BadToken
    if token.is_expired:
        raise BadToken("This token has expired.", code="token_expired")
    if token.allowed_ips and not networks.holds(token.allowed_ips, address):
        log.warning("The token %s of %s was shown from %s", public_id, token.username, address or "nowhere")
        message = f"This token can't be used from {address or 'an unknown address'}."
        # Who asks is known, though nobody is let in.
        refusals.here.note(_principal_of(token, public_id), _ELSEWHERE, partial(origin.current, "token"))
        raise Forbidden(message, code="address_not_allowed")
    name_caller(public_id, token.user_id)
    if token.is_use_to_note:
        token_store.note_use(public_id)
    return _principal_of(token, public_id)


def acting_principal(tenant_id: int, username: str) -> Principal:
    """Who a member acts as now, or a service by its newest token that is valid, for what they have begun before.

    Raises Missing.
    """
    if not username.startswith(SERVICE):
        return queries.member_principal(tenant_id, username, "session")
    rows = ApiToken.objects.for_tenant(tenant_id).filter(user__username=username, revoked_at=None)
    ids = list(rows.order_by("-pk").values_list("public_id", flat=True)[:_NEWEST])
    tokens = token_store.find_tokens(ids)
    for public_id in ids:
        token = tokens.get(public_id)
        if token is not None and token.is_valid and not token.is_expired:
            return _principal_of(token, public_id)
    raise Missing(f"{username} no longer has a valid token.")


def _principal_of(token: FoundToken, public_id: str) -> Principal:
    reach = queries.reach_of(token.member_role or token.role, orjson.loads(token.granted or "[]"))
    queues, folders = token.queues, token.folders
    if queues is not None and "*" in queues:
        queues = None
    return Principal(
        token.tenant_id,
        token.tenant_slug,
        token.user_id,
        token.username,
        token.role,
        _scopes_of(token),
        "token",
        public_id,
        reach if folders is None else reach.within(folders),
        JobReach(None if queues is None else (*queues,), None if folders is None else (*folders,)),
    )


def tokens_shut_out(public_ids: Collection[str], scope: str) -> set[str]:
    """Those of these tokens that are not valid any more, or don't hold the scope any more: in one statement."""
    tokens = token_store.find_tokens(public_ids)
    good = {
        name
        for name, token in tokens.items()
        if token.is_valid and not token.is_expired and scope in _scopes_of(token)
    }
    return set(public_ids) - good


def _scopes_of(token: FoundToken) -> frozenset[str]:
    scopes = SCOPES_OF_ROLE[token.role] & SCOPES_OF_ROLE[token.member_role or token.role]
    if token.folders is not None:
        scopes -= OF_THE_TENANT
    return scopes if token.scopes is None else scopes & frozenset(token.scopes)


@transaction.atomic
def create_group(
    principal: Principal, name: str, members: Sequence[str], *, reason: str | None = None
) -> Group:
    """A new group of the tenant with these members. Raises Invalid for an unknown member, Conflict for a taken name."""
    principal.require(MEMBERS_MANAGE)
    group = Group(tenant_id=principal.tenant_id, name=name.strip(), key=key_of(name))
    _save_group(group)
    _seat(group, members)
    audit.change(principal, "group.create", group.name, after=_facts_of(group), reason=reason)
    return group


@transaction.atomic
def change_group(
    principal: Principal,
    group_id: int,
    *,
    name: str | None = None,
    members: Sequence[str] | None = None,
    reason: str | None = None,
) -> Group:
    """Give a group another name, or other active members instead of those it has; deactivated ones keep their seats.

    Raises as `create_group`, and Missing.
    """
    principal.require(MEMBERS_MANAGE)
    group = queries.find_group(principal.tenant_id, group_id)
    before = _facts_of(group)
    if name is not None:
        group.name, group.key = name.strip(), key_of(name)
        _save_group(group)
    if members is not None:
        seats = GroupMember.objects.for_tenant(principal.tenant_id).filter(group=group)
        seats.filter(membership__user__is_active=True).delete()
        _seat(group, members)
    after = _facts_of(group)
    audit.change(principal, "group.change", group.name, before=before, after=after, reason=reason)
    return group


@transaction.atomic
def delete_group(principal: Principal, group_id: int, *, reason: str | None = None) -> None:
    """Delete a group, and what folders grant it; tasks that ask it ask nobody in its place. Raises Missing."""
    principal.require(MEMBERS_MANAGE)
    group = queries.find_group(principal.tenant_id, group_id)
    before = _facts_of(group) | {"granted": grants_to_groups(principal.tenant_id, [group.pk])[group.pk]}
    audit.change(principal, "group.delete", group.name, before=before, reason=reason)
    group.delete()


@transaction.atomic
def change_groups_of(
    principal: Principal, username: str, group_ids: Collection[int], *, reason: str | None = None
) -> None:
    """Have a member in these groups and in no others. Raises Missing for a member or a group that there isn't."""
    principal.require(MEMBERS_MANAGE)
    member = queries.find_seat(principal.tenant_id, username)
    groups = {group.pk: group for group in queries.groups_of(principal.tenant_id).filter(pk__in=group_ids)}
    if member is None or len(groups) < len(set(group_ids)):
        raise Missing("There is no such member." if member is None else "There is no such group.")
    seats = GroupMember.objects.for_tenant(principal.tenant_id).filter(membership=member)
    before = dict(seats.values_list("group_id", "group__name"))
    current_ids = set(before)
    seats.exclude(group_id__in=groups).delete()
    GroupMember.objects.bulk_create(
        [
            GroupMember(tenant_id=principal.tenant_id, group=group, membership=member)
            for pk, group in groups.items()
            if pk not in current_ids
        ],
        ignore_conflicts=True,
    )
    if current_ids != groups.keys():
        was, now = sorted(before.values()), sorted(group.name for group in groups.values())
        changed = {"before": {"groups": was}, "after": {"groups": now}}
        audit.change(principal, "member.groups", member.user.username, reason=reason, **changed)


def _facts_of(group: Group) -> dict[str, object]:
    """What the audit log says of a group."""
    seats = GroupMember.objects.for_tenant(group.tenant_id).filter(group=group)
    members = seats.order_by("membership__user__username").values_list(
        "membership__user__username", flat=True
    )
    return {"name": group.name, "members": list(members)}


def _save_group(group: Group) -> None:
    if not group.key:
        raise Invalid("A group needs a name.", field="name")
    if len(group.name) > GROUP_NAME_CHARACTERS:
        raise Invalid(f"A group's name has at most {GROUP_NAME_CHARACTERS} characters.", field="name")
    try:
        with transaction.atomic():
            group.save()
    except IntegrityError:
        raise Conflict("A group of this name already exists.", code="name_taken", field="name") from None


def _seat(group: Group, usernames: Sequence[str]) -> None:
    members = dict(queries.members_named(group.tenant_id, usernames))
    for place, username in enumerate(usernames):
        if key_of(username) not in members:
            member = require_member(group.tenant_id, username, field=f"members[{place}]")
            members[key_of(username)] = member
    seats = {member.pk: member for member in members.values()}
    GroupMember.objects.bulk_create(
        GroupMember(tenant_id=group.tenant_id, group=group, membership=member) for member in seats.values()
    )


def check_login(*, username: str, password: str, place: str) -> User:
    """The user with this name and password. Raises WrongPassword, or TooMany while guesses from this place must pause.

    A name that nobody has takes as long and is slowed down as any other: no answer tells who there is.
    """
    username = username[:150]
    name = key_of(username)[:150]
    with transaction.atomic():
        throttle.begin(name, place[:64])
    user = authenticate(username=username, password=password)
    if not isinstance(user, User):
        throttle.failed()
        raise WrongPassword
    throttle.succeeded(name, place[:64])
    return user

"""Changing who belongs to a tenant. Nobody is deleted with what they decided: what ends is the membership (R-162).

All changes of one tenant's members come one after another: of two admins who remove each other, one stays.
"""

import secrets

from django.core.exceptions import ValidationError
from django.db import transaction

from accounts import audit, outgoing, ports, queries, sessions
from accounts.models import INVITED, MOVED, Membership, Tenant, User
from accounts.names import key_of
from accounts.picking import require_member
from accounts.principal import Forbidden, Principal
from accounts.roles import ADMIN, MEMBER_ROLES, MEMBERS_MANAGE, SCOPES_OF_ROLE
from lib.refusals import Conflict, Invalid, Missing

NOBODY = ""
"""Given as a manager: there is none."""


@transaction.atomic
def add_member(
    principal: Principal,
    username: str,
    role: str,
    *,
    name: str = "",
    email: str = "",
    manager: str = NOBODY,
    reason: str | None = None,
) -> tuple[Membership, str | None]:
    """Make somebody a member: a new user, or one who left, or one of another tenant of which the principal is an admin,
    too.

    A new user with an address is mailed a link to set a password, where there is a mail server; any other new user
    has the password that is shown only here. None stands for no password to show.

    Raises Invalid at the field that is wrong, Forbidden for a role beyond one's own, Conflict for who is a member.

    Usernames are the whole Handoff's. Where it has several tenants new ones end in `@` and the tenant's slug: so that
    nobody learns from a refusal which names another tenant has.
    """
    _begin(principal)
    _check_role(principal, role)
    user, password = _user(principal, username, name, email)
    member = Membership(tenant_id=principal.tenant_id, user=user, role=role)
    member.manager = _manager(member, manager)
    member.save()
    if is_invited(member, password):
        outgoing.write(principal.tenant_id, user, INVITED, by=principal.username)
    audit.change(principal, "member.add", user.username, after=_facts_of(member), reason=reason)
    return member, password


def is_invited(member: Membership, password: str | None) -> bool:
    """Whether somebody who was just added with this password, or without, is mailed a link instead."""
    return password is None and not member.user.has_usable_password()


@transaction.atomic
def change_member(
    principal: Principal,
    username: str,
    *,
    role: str | None = None,
    manager: str | None = None,
    name: str | None = None,
    email: str | None = None,
    reason: str | None = None,
) -> Membership:
    """Change what is given of a member. Raises as `add_member`, Missing, and Conflict for the last admin.

    Who is a member of another tenant, too, has their name and e-mail changed by nobody else; nor has an admin their
    e-mail, to which links are sent that set a password.
    """
    _begin(principal)
    member = find(principal.tenant_id, username)
    before = _facts_of(member)
    if role is not None and role != member.role:
        _check_role(principal, role)
        _check_admins(member, "give somebody else the role admin first")
        member.role = role
    if manager is not None:
        member.manager = _manager(member, manager)
    member.save()
    _rename(principal, member, name, email)
    if role is not None:
        ports.member_changed(member.tenant_id, member.user.username)
    after = _facts_of(member)
    audit.change(principal, "member.change", member.user.username, before=before, after=after, reason=reason)
    return member


@transaction.atomic
def remove_member(principal: Principal, username: str, *, reason: str | None = None) -> None:
    """End a membership. The user stays with all they did; what they had claimed goes back to all whom it asks.

    Raises Missing, and Conflict for the last admin.
    """
    _begin(principal)
    member = find(principal.tenant_id, username)
    _check_admins(member, "make somebody else an admin first")
    before = _facts_of(member)
    member.delete()
    ports.member_changed(principal.tenant_id, member.user.username)
    audit.change(principal, "member.remove", member.user.username, before=before, reason=reason)


@transaction.atomic
def set_active(principal: Principal, username: str, active: bool, *, reason: str | None = None) -> Membership:
    """Let a member log in no more, or again. Who is deactivated has no sessions, and their tokens open nothing.

    Raises Missing, and Conflict for the last admin, oneself, and who is a member of another tenant, too.
    """
    _begin(principal)
    member = find_any(principal.tenant_id, username)
    user = member.user
    if user.is_active == active:
        return member
    if queries.is_elsewhere(member):
        message = f"{user.username} is a member of another tenant, too: remove them here instead."
        raise Conflict(message, code="shared_user")
    if not active:
        if user.pk == principal.user_id:
            raise Conflict("You would lock yourself out.", code="yourself")
        _check_admins(member, "make somebody else an admin first")
        sessions.end_all(user.pk)
    user.is_active = active
    user.save(update_fields=["is_active"])
    ports.member_changed(principal.tenant_id, user.username)
    act = "member.activate" if active else "member.deactivate"
    audit.change(principal, act, user.username, reason=reason)
    return member


@transaction.atomic
def end_sessions(principal: Principal, username: str, *, reason: str | None = None) -> int:
    """Log a member out wherever they are logged in; gives how many sessions there were.

    Raises Missing, and Conflict for who is a member of another tenant, too.
    """
    principal.require(MEMBERS_MANAGE)
    member = find_any(principal.tenant_id, username)
    if queries.is_elsewhere(member) and member.user_id != principal.user_id:
        message = f"{member.user.username} is a member of another tenant, too: only they end their sessions."
        raise Conflict(message, code="shared_user")
    count = sessions.end_all(member.user_id)
    before, after = {"sessions": count}, {"sessions": 0}
    audit.change(
        principal, "member.end_sessions", member.user.username, before=before, after=after, reason=reason
    )
    return count


@transaction.atomic
def change_or_end(
    principal: Principal,
    username: str,
    *,
    active: bool | None = None,
    reason: str | None = None,
    **fields: str,
) -> Membership:
    """As `change_member`, and `active` as `set_active`: all of it or nothing. Raises as both."""
    if active:
        set_active(principal, username, True, reason=reason)
    if fields or active is None:
        change_member(principal, username, reason=reason, **fields)
    if active is False:
        set_active(principal, username, False, reason=reason)
    return find_any(principal.tenant_id, username)


def find_any(tenant_id: int, username: str) -> Membership:
    """The tenant's member of that name, who may be deactivated. Raises Missing."""
    member = queries.find_seat(tenant_id, username)
    if member is None:
        raise Missing("There is no such member.")
    return member


def find(tenant_id: int, username: str) -> Membership:
    """The tenant's member of that name. Raises Missing."""
    member = queries.find_member(tenant_id, username)
    if member is None:
        raise Missing("There is no such member.")
    return member


def _facts_of(member: Membership) -> dict[str, object]:
    """What the audit log says of a member."""
    manager = member.manager.user.username if member.manager else None
    return {"role": member.role, "manager": manager, **audit.fields_of(member.user, "name", "email")}


def _begin(principal: Principal) -> None:
    principal.require(MEMBERS_MANAGE)
    # Rows that point to the tenant are still made meanwhile.
    Tenant.objects.select_for_update(no_key=True).get(pk=principal.tenant_id)


def _check_role(principal: Principal, role: str) -> None:
    if role not in MEMBER_ROLES:
        raise Invalid(f"There is no role {role}; there are {', '.join(MEMBER_ROLES)}.", field="role")
    if not SCOPES_OF_ROLE[role] <= principal.scopes:
        raise Forbidden(f"The role {role} may do more than yours: you can't grant it.", field="role")


def _check_admins(member: Membership, instead: str) -> None:
    """Raises Conflict where nobody would be left who can manage members."""
    others = queries.members_of_roles(member.tenant_id, [ADMIN]).exclude(pk=member.pk)
    if member.role == ADMIN and not others.exists():
        raise Conflict(
            f"{member.user.username} is the last admin: {instead}.", code="last_admin", field="role"
        )


def _user(principal: Principal, username: str, name: str, email: str) -> tuple[User, str | None]:
    username = User.normalize_username(username.strip())
    user = User.objects.filter(username__iexact=username).first()
    if user is None or not _is_ours(principal, user):
        # Whoever they are: nobody is made a member, or shown with their name and e-mail, by whom they don't know.
        _check_suffix(principal, username)
    if user is None:
        user = User(username=username, name=name.strip(), email=email.strip(), home_id=principal.tenant_id)
        password = None if user.email and ports.has_mail() else secrets.token_urlsafe(12)
        user.set_password(password)
        _check(user)
        user.save()
        return user, password
    if Membership.objects.for_tenant(principal.tenant_id).filter(user=user).exists():
        raise Conflict(f"{user.username} is already a member.", code="member_already", field="username")
    if not _is_ours(principal, user):
        raise Conflict(
            f"The username {username} is taken: choose another.", code="name_taken", field="username"
        )
    if not user.is_active:
        raise Invalid(f"{user.username} may no longer log in.", field="username")
    for field, value in (("name", name), ("email", email)):
        if value.strip():
            message = f"{user.username} already has a login, which stays as it is: leave this empty."
            raise Invalid(message, field=field)
    return user, None


def _is_ours(principal: Principal, user: User) -> bool:
    """Whether a user who exists may become a member: one who was made here, or is of a tenant that the principal
    administers, or was made nowhere and is of no tenant.
    """
    if user.home_id == principal.tenant_id:
        return True
    theirs = Membership.unsafe_all_tenants.filter(user=user).values("tenant")
    administered = Membership.unsafe_all_tenants.filter(user=principal.user_id, role=ADMIN, tenant__in=theirs)
    return administered.exists() or (user.home_id is None and not theirs.exists())


def suffix_of(principal: Principal) -> str:
    """How new usernames end; empty where there is one tenant only."""
    return f"@{principal.tenant_slug}" if Tenant.objects.exclude(pk=principal.tenant_id).exists() else ""


def _check_suffix(principal: Principal, username: str) -> None:
    suffix = suffix_of(principal)
    if not key_of(username).endswith(key_of(suffix)) or key_of(username) == key_of(suffix):
        message = f"New usernames end in {suffix} here: {username}{suffix}."
        raise Invalid(message, code="username_suffix", field="username")


def _rename(principal: Principal, member: Membership, name: str | None, email: str | None) -> None:
    user, former = member.user, member.user.email
    changes = {"name": name, "email": email}
    values = {field: text.strip() for field, text in changes.items() if text is not None}
    changed = [field for field, text in values.items() if getattr(user, field) != text]
    if not changed:
        return
    is_me = user.pk == principal.user_id
    if not is_me and queries.is_elsewhere(member):
        message = f"{user.username} is a member of another tenant, too: only they change this."
        raise Conflict(message, code="shared_user", field=changed[0])
    if not is_me and member.role == ADMIN and "email" in changed:
        message = (
            f"{user.username} is an admin: only they change their address, since password links go there."
        )
        raise Conflict(message, code="admins_address", field="email")
    for field in changed:
        setattr(user, field, values[field])
    _check(user)
    user.save(update_fields=changed)
    if "email" in changed and former and not is_me:
        outgoing.write(member.tenant_id, user, MOVED, by=principal.username, to=former)


def _check(user: User) -> None:
    """Raises Invalid at the first field that is wrong."""
    try:
        user.clean_fields()
    except ValidationError as error:
        field, texts = next(iter(error.message_dict.items()))
        raise Invalid(texts[0], field=field) from None


def _manager(member: Membership, username: str) -> Membership | None:
    """The member of that name, as a manager. Raises Invalid: no member, oneself, or somebody below."""
    if not username.strip():
        return None
    boss = require_member(member.tenant_id, username, field="manager")
    if key_of(boss.user.username) == key_of(member.user.username):
        raise Invalid("Nobody can be their own manager.", field="manager")
    above = dict(Membership.objects.for_tenant(member.tenant_id).values_list("pk", "manager_id"))
    step: int | None = boss.pk
    while step is not None:
        if step == member.pk:
            message = f"{boss.user.username} is below {member.user.username}: this would be a cycle."
            raise Invalid(message, code="circle", field="manager")
        step = above.get(step)
    return boss

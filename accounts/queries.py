"""Reading who there is."""

from collections.abc import Iterable, Mapping
from functools import reduce
from typing import Any, Literal, cast

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.db.models.functions import JSONObject, Lower

from accounts import people
from accounts.models import FolderGrant, Group, GroupMember, Membership, Tenant, User
from accounts.names import key_of
from accounts.principal import EVERYWHERE, Principal, Reach
from accounts.roles import (
    ADMIN,
    DECIDE,
    MEMBERS_MANAGE,
    READ,
    SCOPES_OF_ROLE,
    START,
    VERB_OF_SCOPE,
    VERBS,
    WORKFLOWS_READ,
    roles_with,
)
from accounts.seats import Seat, seat_of
from lib.refusals import Missing


def get_user(username: str) -> User:
    """The active user of that name; raises Missing."""
    user = User.objects.filter(username__iexact=username, is_active=True).first()
    if user is None:
        raise Missing(f"There is no user {username}.", field="user")
    return user


def get_tenant(slug: str) -> Tenant:
    """The tenant of that slug; raises Missing."""
    tenant = Tenant.objects.filter(slug=slug).first()
    if tenant is None:
        raise Missing(f"There is no tenant {slug}.", field="tenant")
    return tenant


def role_in(user: User, tenant: Tenant) -> str:
    """The user's role in the tenant; raises Missing where they are no member."""
    member = Membership.objects.for_tenant(tenant.pk).filter(user=user).first()
    if member is None:
        raise Missing(f"{user.username} is not a member of {tenant.slug}.", field="user")
    return member.role


def find_member(tenant_id: int, username: str) -> Membership | None:
    """The tenant's active member of that name, with their user; None where there is none."""
    members = Membership.objects.for_tenant(tenant_id).select_related("user", "tenant")
    return members.filter(user__username__iexact=username, user__is_active=True).first()


def find_seat(tenant_id: int, username: str) -> Membership | None:
    """The tenant's member of that name, who may be deactivated, with their user and manager; None: there is none."""
    seats = Membership.objects.for_tenant(tenant_id).select_related("user", "tenant", "manager__user")
    return seats.filter(user__username__iexact=username).first()


def is_elsewhere(member: Membership) -> bool:
    """Whether a member's user is a member of another tenant, too."""
    theirs = Membership.unsafe_all_tenants.filter(user=member.user_id)
    return theirs.exclude(tenant_id=member.tenant_id).exists()


def manager_of(tenant_id: int, username: str) -> str | None:
    """The username of a member's manager; None for who has none, or is no member."""
    member = find_member(tenant_id, username)
    if member is None or member.manager_id is None:
        return None
    boss = (
        Membership.objects.for_tenant(tenant_id).select_related("user").filter(pk=member.manager_id).first()
    )
    return boss.user.username if boss and boss.user.is_active else None


def members_of(
    tenant_id: int, q: str = "", *, active: bool = True, by_address: bool = False
) -> QuerySet[Membership]:
    """The tenant's active members, or those who are deactivated, with their users and managers; those with `q` in a
    name, or in the e-mail where it is asked for `by_address`, as only whoever may see addresses does.
    """
    members = Membership.objects.for_tenant(tenant_id).filter(user__is_active=active)
    if q:
        texts = (
            Q(**{f"user__{field}__icontains": q})
            for field in ("username", "name", *(["email"] if by_address else []))
        )
        members = members.filter(reduce(Q.__or__, texts))
    return members.select_related("user", "manager__user")


def readers_of(tenant_id: int, folder_id: int, q: str = "") -> QuerySet[Membership]:
    """The tenant's active members whom a folder lets read its workflows, as `members_of`."""
    return holders_of(tenant_id, WORKFLOWS_READ, folder_id, q)


def holders_of(tenant_id: int, scope: str, folder_id: int, q: str = "") -> QuerySet[Membership]:
    """The tenant's active members who may do what a scope is about: with the workflows of a folder, or, where no folder
    grants it, in the tenant; as `members_of`.
    """
    members = members_of(tenant_id, q).filter(role__in=roles_with(scope))
    if scope not in VERB_OF_SCOPE:
        return members
    verb = VERB_OF_SCOPE[scope]
    # Whoever may do more than start and decide may read, too (`Reach.of`).
    verbs = [each for each in VERBS if each not in (START, DECIDE)] if verb == READ else [verb]
    grants = FolderGrant.objects.for_tenant(tenant_id).filter(folder=folder_id, verbs__overlap=verbs)
    seats = GroupMember.objects.for_tenant(tenant_id).filter(group__in=grants.values("group"))
    let_in = Q(role=ADMIN) | Q(role__in=grants.values("role")) | Q(pk__in=seats.values("membership"))
    return members.filter(let_in)


def member_rows(principal: Principal, members: Iterable[Membership]) -> list[dict[str, object]]:
    """Members as the API shows them, with the names of their groups, in one statement more; with their addresses for
    who manages members.
    """
    tenant_id, sees_addresses = principal.tenant_id, MEMBERS_MANAGE in principal.scopes
    all_members = list(members)
    seats = GroupMember.objects.for_tenant(tenant_id).filter(membership__in=all_members)
    groups: dict[int, list[str]] = {}
    for member, name in seats.order_by("group__key").values_list("membership_id", "group__name"):
        groups.setdefault(member, []).append(name)
    return [
        {
            "username": member.user.username,
            "name": member.user.name,
            "email": member.user.email if sees_addresses else None,
            "role": member.role,
            "active": member.user.is_active,
            "manager": member.manager.user.username if member.manager else None,
            "groups": groups.get(member.pk, []),
            "created_at": member.created_at,
        }
        for member in all_members
    ]


def members_of_roles(tenant_id: int, roles: Iterable[str]) -> QuerySet[Membership]:
    """The tenant's active members of these roles, by name."""
    members = Membership.objects.for_tenant(tenant_id).filter(user__is_active=True, role__in=list(roles))
    return members.order_by("user__username")


def usernames_called(tenant_id: int, name: str) -> list[str]:
    """The usernames of members of this full name, also of those who are deactivated; case makes no difference."""
    members = Membership.objects.for_tenant(tenant_id).filter(user__name__iexact=name)
    return list(members.values_list("user__username", flat=True))


def members_named(tenant_id: int, usernames: Iterable[str]) -> dict[str, Membership]:
    """The tenant's active members of these names, by the key of each name."""
    names = {key_of(name) for name in usernames}
    members = Membership.objects.for_tenant(tenant_id).select_related("user").filter(user__is_active=True)
    rows = members.annotate(lowered=Lower("user__username")).filter(lowered__in=names)
    return {key_of(member.user.username): member for member in rows}


def group_keys_of(tenant_id: int, user_id: int) -> list[str]:
    """The keys of the groups that a user is in."""
    seats = GroupMember.objects.for_tenant(tenant_id).filter(membership__user_id=user_id)
    return list(seats.order_by("group__key").values_list("group__key", flat=True))


def groups_of(tenant_id: int) -> QuerySet[Group]:
    """The tenant's groups."""
    return Group.objects.for_tenant(tenant_id)


def find_group(tenant_id: int, group_id: int) -> Group:
    """The tenant's group. Raises Missing."""
    group = groups_of(tenant_id).filter(pk=group_id).first()
    if group is None:
        raise Missing("There is no such group.")
    return group


def group_rows(tenant_id: int, groups: Iterable[Group]) -> list[dict[str, object]]:
    """Groups as the API shows them, with the usernames of their active members, in two statements at most; a page's
    reader learns their names.
    """
    all_groups = list(groups)
    seats = GroupMember.objects.for_tenant(tenant_id).filter(
        group__in=all_groups, membership__user__is_active=True
    )
    names: dict[int, list[str]] = {}
    columns = ("group_id", "membership__user__username", "membership__user__name")
    rows = list(seats.order_by("membership__user__username").values_list(*columns))
    for group, username, _ in rows:
        names.setdefault(group, []).append(username)
    people.learn_names((username, name) for _, username, name in rows)
    return [
        {
            "id": group.pk,
            "name": group.name,
            "members": names.get(group.pk, []),
            "created_at": group.created_at,
        }
        for group in all_groups
    ]


def session_principal(user: User) -> Principal | None:
    """Who a logged-in user acts as: in their first tenant; None for a user without any."""
    return principal_in(user, seat_of(user.pk))


def principal_in(user: User, seat: Seat | None) -> Principal | None:
    """Who a logged-in user acts as in this seat of theirs, if they have one."""
    if seat is None:
        return None
    reach, scopes = reach_of(seat.role, seat.granted), SCOPES_OF_ROLE[seat.role]
    return Principal(
        seat.tenant_id, seat.tenant_slug, user.pk, user.username, seat.role, scopes, "session", reach=reach
    )


def principals_of(users: Iterable[User]) -> dict[int, Principal]:
    """Who these active users act as when they are logged in, by their keys; in one statement."""
    by_id = {user.pk: user for user in users}
    principals: dict[int, Principal] = {}
    for member in _seats().filter(user__in=by_id).order_by("pk"):
        user = by_id[member.user_id]
        principals.setdefault(user.pk, _principal(user, member, "session"))
    return principals


def command_principal(username: str, tenant_slug: str) -> Principal:
    """Who a management command acts as; raises Missing."""
    user, tenant = get_user(username), get_tenant(tenant_slug)
    member = _seats().filter(tenant=tenant, user=user).first()
    if member is None:
        raise Missing(f"{user.username} is not a member of {tenant.slug}.", field="user")
    return _principal(user, member, "command")


def member_principal(tenant_id: int, username: str, via: str) -> Principal:
    """Who somebody acts as now, for what they did before by that way; raises Missing."""
    members = _seats().select_related("user").filter(tenant_id=tenant_id, user__is_active=True)
    member = members.filter(user__username__iexact=username).first()
    if member is None:
        raise Missing(f"{username} is no longer a member of this tenant.")
    return _principal(member.user, member, cast(Any, via))


def _seats() -> QuerySet[Membership, Any]:
    """Memberships with their tenants and with what folders grant them."""
    return with_grants(Membership.unsafe_all_tenants.select_related("tenant"))


def with_grants(members: QuerySet[Membership]) -> QuerySet[Membership, Any]:
    """Members with what folders grant them (`granted`), for `reach_of`."""
    grants = FolderGrant.unsafe_all_tenants.filter(
        Q(role=OuterRef("role")) | Q(group__in=_groups_of(OuterRef("pk"))), tenant=OuterRef("tenant")
    )
    granted = ArraySubquery(grants.values(grant=JSONObject(folder="folder_id", verbs="verbs")))
    return members.annotate(granted=granted)


def _groups_of(membership: OuterRef) -> QuerySet[GroupMember, Any]:
    return GroupMember.unsafe_all_tenants.filter(membership=OuterRef(membership)).values("group")


def reach_of(role: str, grants: Iterable[Mapping[str, Any]]) -> Reach:
    """Where a member of this role may do what: admins everywhere, others where folders grant it."""
    return EVERYWHERE if role == ADMIN else Reach.of((one["folder"], one["verbs"]) for one in grants)


def reach_of_member(member: Membership) -> Reach:
    """Where a member may do what; one statement, but for an admin."""
    if member.role == ADMIN:
        return EVERYWHERE
    seats = GroupMember.objects.for_tenant(member.tenant_id).filter(membership=member)
    grants = FolderGrant.objects.for_tenant(member.tenant_id)
    mine = grants.filter(Q(role=member.role) | Q(group__in=seats.values("group")))
    return Reach.of(mine.values_list("folder_id", "verbs"))


def _principal(user: User, member: Any, via: Literal["token", "session", "command"]) -> Principal:
    tenant, role = member.tenant, member.role
    reach = reach_of(role, member.granted)
    scopes = SCOPES_OF_ROLE[role]
    return Principal(tenant.pk, tenant.slug, user.pk, user.username, role, scopes, via, reach=reach)


def grants_to(member: Membership) -> list[tuple[str, str, list[str]]]:
    """What folders grant to a member: the name of each folder, that of the group it is through (empty: their role),
    and the verbs.
    """
    seats = GroupMember.objects.for_tenant(member.tenant_id).filter(membership=member)
    grants = FolderGrant.objects.for_tenant(member.tenant_id)
    mine = grants.filter(Q(role=member.role) | Q(group__in=seats.values("group")))
    rows = mine.order_by("folder__key", "group__key").values_list("folder__name", "group__name", "verbs")
    return [(folder, group or "", verbs) for folder, group, verbs in rows]


def groups_with(member: Membership) -> list[tuple[int, str, bool]]:
    """The tenant's groups by name, each with its key and whether a member is in it."""
    seats = GroupMember.objects.for_tenant(member.tenant_id).filter(membership=member, group=OuterRef("pk"))
    groups = groups_of(member.tenant_id).annotate(holds=Exists(seats)).order_by("key")
    return list(groups.values_list("pk", "name", "holds"))

"""Who may decide a task as things are now, for counting: the members of its tenant and their groups."""

from dataclasses import dataclass

from accounts import queries as people
from accounts.models import GroupMember
from accounts.names import key_of
from accounts.queries import members_of_roles
from tasks_inbox import policies
from tasks_inbox.models import ManualTask
from tasks_inbox.queries import DECIDING_ROLES
from tasks_inbox.quorum import Elector


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody whose role decides tasks: as an elector, by name and role, and what they answer to."""

    elector: Elector
    username: str
    role: str
    marks: frozenset[str]


def members_of(tenant: int) -> list[Member]:
    """Everybody of a tenant whose role decides tasks; two statements, however many there are."""
    members = members_of_roles(tenant, DECIDING_ROLES).select_related("user")
    groups: dict[int, set[str]] = {}
    seats = GroupMember.objects.for_tenant(tenant).values_list("membership_id", "group__key")
    for membership, key in seats:
        groups.setdefault(membership, set()).add(key)
    found = []
    for member in members:
        keys, name = groups.get(member.pk, set()), member.user.username
        marks = frozenset(policies.marks_of(name, member.role, keys))
        found.append(Member(Elector(key_of(name), frozenset(keys)), name, member.role, marks))
    return found


def electors_of(task: ManualTask) -> list[Elector]:
    """Everybody whom the task asks and nothing excludes."""
    asked = (one for one in members_of(task.tenant_id) if policies.is_asked(task, one.username, one.marks))
    return [one.elector for one in asked]


def elector_named(task: ManualTask, username: str) -> Elector:
    """Somebody who has decided, with the groups that they are in now."""
    member = people.find_member(task.tenant_id, username)
    keys = people.group_keys_of(task.tenant_id, member.user_id) if member else ()
    return Elector(key_of(username), frozenset(keys))

"""Who may decide a task as things are now, for counting: the members of its tenant and their groups."""

from accounts import queries as people
from accounts.models import GroupMember
from accounts.names import key_of
from accounts.queries import members_of_roles
from tasks_inbox import policies
from tasks_inbox.models import ManualTask
from tasks_inbox.queries import DECIDING_ROLES
from tasks_inbox.quorum import Elector


def electors_of(task: ManualTask) -> list[Elector]:
    """Everybody whom the task asks and nothing excludes; two statements, however many there are."""
    members = members_of_roles(task.tenant_id, DECIDING_ROLES).select_related("user")
    groups: dict[int, set[str]] = {}
    seats = GroupMember.objects.for_tenant(task.tenant_id).values_list("membership_id", "group__key")
    for membership, key in seats:
        groups.setdefault(membership, set()).add(key)
    found = []
    for member in members:
        keys = groups.get(member.pk, set())
        marks = policies.marks_of(member.user.username, member.role, keys)
        if policies.is_asked(task, member.user.username, marks):
            found.append(Elector(key_of(member.user.username), frozenset(keys)))
    return found


def elector_named(task: ManualTask, username: str) -> Elector:
    """Somebody who has decided, with the groups that they are in now."""
    member = people.find_member(task.tenant_id, username)
    keys = people.group_keys_of(task.tenant_id, member.user_id) if member else ()
    return Elector(key_of(username), frozenset(keys))

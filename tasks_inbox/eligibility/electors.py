"""Who may decide a task as things are now, for counting: members of its tenant and their groups; and who was asked."""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from accounts import queries as people
from accounts.models import GroupMember
from accounts.names import key_of
from accounts.queries import members_of_roles
from accounts.roles import DECIDE
from engine.catalogue import Json
from tasks_inbox.eligibility import policies
from tasks_inbox.eligibility.identity import DECIDING_ROLES
from tasks_inbox.eligibility.quorum import Elector
from tasks_inbox.models import ManualTask


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody whose role decides tasks: as an elector, by name and role, and what they answer to (as
    `policies.answers`).
    """

    elector: Elector
    username: str
    role: str
    marks: frozenset[str]
    decides_in: frozenset[int] | None = frozenset()

    def answers(self, audience: Collection[str], folder: int | None) -> bool:
        """Whether these marks ask them about a workflow in this folder."""
        return policies.answers(audience, folder, self.marks, self.decides_in)


Names = dict[str, str]
"""Names by their keys."""


@dataclass(frozen=True, slots=True)
class Directory:
    """Who may decide in a folder where nobody is named, and who is in a group or has a role."""

    everybody: Callable[[], Names]
    of_group: Callable[[str], Names]
    of_role: Callable[[str], Names]


def members_of(tenant: int) -> list[Member]:
    """Everybody of a tenant whose role decides tasks; two statements, however many there are."""
    memberships = people.with_grants(members_of_roles(tenant, DECIDING_ROLES).select_related("user"))
    groups: dict[int, set[str]] = {}
    seats = GroupMember.objects.for_tenant(tenant).values_list("membership_id", "group__key")
    for membership_id, key in seats:
        groups.setdefault(membership_id, set()).add(key)
    members = []
    for membership in memberships:
        keys, name = groups.get(membership.pk, set()), membership.user.username
        marks = frozenset(policies.marks_of(name, membership.role, keys))
        folders = people.reach_of(membership.role, membership.granted).folders(DECIDE)
        decides_in = None if folders is None else frozenset(folders)
        elector = Elector(key_of(name), frozenset(keys))
        members.append(Member(elector, name, membership.role, marks, decides_in))
    return members


def electors_of(task: ManualTask) -> list[Elector]:
    """Everybody whom the task asks and nothing excludes."""
    return electors_among(task, members_of(task.tenant_id))


def electors_among(task: ManualTask, members: Iterable[Member]) -> list[Elector]:
    """Those of the members of its tenant whom the task asks and nothing excludes, and whose form it is."""
    electors = [
        one.elector for one in members if policies.is_asked(task, one.username, one.marks, one.decides_in)
    ]
    keys = {one.key for one in electors}
    starter_keys = (key for key in policies.starters_of(task) if key not in keys and key not in task.exclude)
    return electors + [Elector(key) for key in starter_keys if people.find_member(task.tenant_id, key)]


def elector_named(task: ManualTask, username: str) -> Elector:
    """Somebody who has decided, with the groups that they are in now."""
    member = people.find_member(task.tenant_id, username)
    keys = people.group_keys_of(task.tenant_id, member.user_id) if member else ()
    return Elector(key_of(username), frozenset(keys))


def named_by(
    tenant: int, candidates: Mapping[str, Json], exclude: Iterable[str], folder: Callable[[], int | None]
) -> list[Json]:
    """Everybody whom candidates name as things are now, `{key, name}`, but for whom the task excludes. `folder` gives
    that of the workflow, of which it is asked where they name nobody.

    Also who can't decide: no member, a role that decides nothing, a deactivated user of a group. A group or a role of
    which there is nobody stands for itself, so that it isn't as if it had agreed. Four statements at most.
    """

    def everybody() -> Names:
        place = folder()
        return names_of(one for one in members_of(tenant) if one.answers([policies.EVERYBODY], place))

    def of_group(group: str) -> Names:
        return names_in_groups(tenant, [group]).get(key_of(group), {})

    def of_role(role: str) -> Names:
        users = members_of_roles(tenant, [role]).values_list("user__username", flat=True)
        return {key_of(name): name for name in users}

    return named_among(candidates, exclude, Directory(everybody, of_group, of_role))


def named_among(candidates: Mapping[str, Json], exclude: Iterable[str], known: Directory) -> list[Json]:
    """As `named_by`, from what is known already."""
    names: Names = {}
    if not any(candidates.get(kind) for kind in ("users", "groups", "roles")):
        names = known.everybody()
    for name in candidates.get("users") or ():
        is_username = name != policies.NOBODY
        names[key_of(name) if is_username else name] = name if is_username else "somebody's manager"
    for group in candidates.get("groups") or ():
        names |= known.of_group(group) or {f"group:{key_of(group)}": f"the group {group}"}
    for role in candidates.get("roles") or ():
        names |= known.of_role(role) or {f"role:{role}": f"the role {role}"}
    excluded_keys = set(exclude)
    return [{"key": key, "name": name} for key, name in names.items() if key not in excluded_keys]


def names_of(members: Iterable[Member]) -> Names:
    """The usernames of members."""
    return {one.elector.key: one.username for one in members}


def names_in_groups(tenant: int, groups: Iterable[str]) -> dict[str, Names]:
    """The usernames in each of these groups, by its key, also of those who are deactivated; one statement."""
    seats = GroupMember.objects.for_tenant(tenant).filter(group__key__in={key_of(group) for group in groups})
    rows = seats.order_by("membership__user__username")
    names_by_group: dict[str, Names] = {}
    for group, name in rows.values_list("group__key", "membership__user__username"):
        names_by_group.setdefault(group, {})[key_of(name)] = name
    return names_by_group


def unable(rows: Iterable[Json], members: Iterable[Member]) -> list[str]:
    """The names of those among these, as `named_by` gives them, who decide no tasks."""
    able = {one.elector.key for one in members}
    return [one["name"] for one in rows if one["key"] not in able]

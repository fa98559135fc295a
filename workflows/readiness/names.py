"""People and groups that steps name: whether they exist, are active and may decide."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from django.db.models import Count, Q
from django.db.models.functions import Lower
from django.urls import reverse

from accounts.models import Group, Membership
from accounts.names import key_of
from accounts.roles import MEMBERS_MANAGE, TASKS_DECIDE, WORKFLOWS_WRITE, roles_with
from engine.holes import has_holes
from lib.json import Json
from workflows.checking.drafted import Draft, near_one
from workflows.limits import KNOWN_NAMES, NEAR_NAMES, PATH_KEYS
from workflows.readiness.findings import Finding
from workflows.readiness.rights import Rights
from workflows.readiness.steps import DraftStep


class Mention(NamedTuple):
    """A name in the params of a step; `decides`: the step asks whoever has it."""

    name: str
    field: str
    step: DraftStep
    is_group: bool
    decides: bool = True


def mentions_in(steps: Iterable[DraftStep]) -> Iterator[Mention]:
    """The people and groups that steps name; what only a run knows (an expression) is left out."""
    for step in steps:
        if step.type.asks_people:
            yield from (one for one in _mentions(step) if not has_holes(one.name))


def _mentions(step: DraftStep) -> Iterator[Mention]:
    levels = step.params.get("escalation")
    audiences = [("candidates", step.params.get("candidates"))]
    audiences += [
        (f"escalation[{at}]", level) for at, level in enumerate(levels if isinstance(levels, list) else ())
    ]
    for place, whom in audiences:
        if isinstance(whom, Mapping):
            yield from _listed(step, f"{place}.users", whom.get("users"), is_group=False)
            yield from _listed(step, f"{place}.groups", whom.get("groups"), is_group=True)
            if isinstance(person := whom.get("manager_of"), str):
                yield Mention(person, f"{step.field}.{place}.manager_of", step, is_group=False, decides=False)
    yield from (
        one._replace(decides=False)
        for one in _listed(step, "exclude", step.params.get("exclude"), is_group=False)
    )
    quorum = step.params.get("quorum")
    counted = quorum.get("groups") if isinstance(quorum, Mapping) else None
    candidates = step.params.get("candidates")
    asked_groups = candidates.get("groups") if isinstance(candidates, Mapping) else None
    for name in counted if isinstance(counted, Mapping) else ():
        if not isinstance(asked_groups, list) or name not in asked_groups:
            yield Mention(name, f"{step.field}.quorum.groups", step, is_group=True)


def _listed(step: DraftStep, place: str, names: Json, *, is_group: bool) -> Iterator[Mention]:
    for at, name in enumerate(names if isinstance(names, list) else ()):
        if isinstance(name, str) and name.strip():
            yield Mention(name.strip(), f"{step.field}.{place}[{at}]", step, is_group)


class _Group(NamedTuple):
    id: int
    active: int
    deciding: int


@dataclass(frozen=True, slots=True)
class Directory:
    """What a tenant knows of the names that a draft mentions: by their keys, and the names that there are."""

    groups: Mapping[str, _Group]
    members: Mapping[str, tuple[bool, str]]
    """Whether each is active, and their role."""
    group_names: Sequence[str] = ()
    usernames: Sequence[str] = ()
    near: dict[tuple[str, bool], str | None] = field(default_factory=dict)
    """For names that are not known, of groups or of people: the known one that is near."""

    def near_to(self, one: Mention) -> str | None:
        """The known name that is near; of more than so many different ones (`NEAR_NAMES`) of the first ones alone."""
        key = (one.name, one.is_group)
        if key not in self.near and len(self.near) < NEAR_NAMES:
            self.near[key] = near_one(one.name, self.group_names if one.is_group else self.usernames)
        return self.near.get(key)


def directory_of(tenant: int, mentions: Sequence[Mention]) -> Directory:
    """Four statements at most, however many names there are; none where there is no name."""
    keys = {key_of(one.name) for one in mentions if one.is_group}
    people = {key_of(one.name) for one in mentions if not one.is_group}
    groups = _groups(tenant, keys) if keys else {}
    members = _members(tenant, people) if people else {}
    names = Group.objects.for_tenant(tenant).order_by("key").values_list("name", flat=True)
    users = Membership.objects.for_tenant(tenant).filter(user__is_active=True).order_by("user__username")
    return Directory(
        groups,
        members,
        list(names[:KNOWN_NAMES]) if keys - groups.keys() else (),
        list(users.values_list("user__username", flat=True)[:KNOWN_NAMES]) if people - members.keys() else (),
    )


def _groups(tenant: int, keys: Iterable[str]) -> dict[str, _Group]:
    is_active = Q(members__user__is_active=True)
    may_decide = Q(members__role__in=roles_with(TASKS_DECIDE))
    rows = Group.objects.for_tenant(tenant).filter(key__in=keys)
    counted = rows.annotate(
        active=Count("members", filter=is_active), deciding=Count("members", filter=is_active & may_decide)
    )
    return {
        key: _Group(id_, active, deciding)
        for key, id_, active, deciding in counted.values_list("key", "pk", "active", "deciding")
    }


def _members(tenant: int, keys: Iterable[str]) -> dict[str, tuple[bool, str]]:
    members = Membership.objects.for_tenant(tenant).annotate(lowered=Lower("user__username"))
    rows = members.filter(lowered__in=keys).values_list("user__username", "user__is_active", "role")
    return {key_of(name): (is_active, role) for name, is_active, role in rows}


def name_findings(
    rights: Rights, draft: Draft | None, mentions: Iterable[Mention], known: Directory
) -> list[Finding]:
    """What is wrong with the names, each at its field. `draft`: for fixes; None where it takes none."""
    judges = (
        (_group_finding if one.is_group else _person_finding)(rights, draft, one, known) for one in mentions
    )
    return [finding for finding in judges if finding is not None]


def _group_finding(rights: Rights, draft: Draft | None, one: Mention, known: Directory) -> Finding | None:
    group = known.groups.get(key_of(one.name))
    if group is None:
        message = f"There is no group “{one.name}” here."
        return _misspelt(rights, draft, one, "unknown_group", message, known)
    if group.deciding:
        return None
    lacks = "no active member" if not group.active else "no active member whose role decides tasks"
    path = reverse("settings-group", args=[group.id])
    mend = rights.mend("page", "Add members", MEMBERS_MANAGE, path=path)
    message = f"The group “{one.name}” has {lacks}."
    return Finding(code="empty_group", message=message, node=one.step.node, field=one.field, mend=mend)


def _person_finding(rights: Rights, draft: Draft | None, one: Mention, known: Directory) -> Finding | None:
    member = known.members.get(key_of(one.name))
    if member is None:
        message = f"There is no member “{one.name}” here."
        return _misspelt(rights, draft, one, "unknown_person", message, known)
    is_active, role = member
    if not one.decides or (is_active and role in roles_with(TASKS_DECIDE)):
        return None
    code, words = (
        ("person_may_not_decide", f"{one.name} has the role {role}, which decides no tasks.")
        if is_active
        else ("inactive_person", f"{one.name} is deactivated and gets no tasks.")
    )
    mend = rights.mend("field", "Choose somebody else", WORKFLOWS_WRITE)
    return Finding(code=code, message=words, node=one.step.node, field=one.field, mend=mend)


def _misspelt(
    rights: Rights, draft: Draft | None, one: Mention, code: str, message: str, known: Directory
) -> Finding:
    near = known.near_to(one)
    path = draft.fields.path(one.field) if draft is not None and near is not None else None
    fix: dict[str, Json] | None = None
    if draft is not None and path is not None and one.field.endswith("]"):
        change = draft.put(path, near)
        if len(change.path) <= PATH_KEYS:
            fix = {"title": f"Use {near}", "changes": [change.as_dict()]}
    choose = "Choose a group" if one.is_group else "Choose a person"
    mend = (
        rights.mend("fix", f"Use {near}", WORKFLOWS_WRITE)
        if fix
        else rights.mend("field", choose, WORKFLOWS_WRITE)
    )
    return Finding(code=code, message=message, node=one.step.node, field=one.field, fix=fix, mend=mend)

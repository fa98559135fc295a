"""Who is asking, in the terms in which tasks name people; always within one tenant."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Q
from django.db.models.functions import Lower

from accounts import queries as people
from accounts.models import Membership
from accounts.names import key_of
from accounts.principal import Principal, Reach
from accounts.roles import DECIDE, OPERATE, READ, SCOPES_OF_ROLE, TASKS_ASSIGN, TASKS_DECIDE
from engine.catalogue import Json
from lib.clock import now_there
from tasks_inbox.eligibility import policies
from tasks_inbox.eligibility.policies import Absent
from tasks_inbox.models import FOR_OPERATORS, AwayRule, ManualTask
from tasks_inbox.store import statements
from workflows.models import Workflow

DECIDING_ROLES = tuple(role for role, scopes in SCOPES_OF_ROLE.items() if TASKS_DECIDE in scopes)


@dataclass(frozen=True, slots=True)
class Who:
    """Who is asking, as tasks know people."""

    tenant_id: int
    username: str
    marks: tuple[str, ...]
    decides: bool
    absent: tuple[Absent, ...] = ()
    folders: tuple[int, ...] | None = ()
    """The folders whose workflows they may read, and the tasks of these therefore; None: all."""
    operates: tuple[int, ...] | None = None
    """The folders whose runs they may operate; None: all."""
    assigns: bool = False
    """Whether they may say whom tasks ask."""
    decides_in: tuple[int, ...] | None = ()
    """The folders where they are asked by what asks everybody; None: all."""

    def may_operate(self, folder: int | None) -> bool:
        """Whether they may operate runs of a folder's workflows."""
        return self.operates is None or folder in self.operates

    def is_asked(self, task: ManualTask) -> bool:
        """Whether the task itself asks them. Who decides no tasks has the marks of forms of their own alone."""
        return policies.is_asked(task, self.username, self.marks, self.decides_in)


def who_is(principal: Principal) -> Who:
    """The one who asks."""
    row = statements.who(principal.tenant_id, principal.user_id, principal.username)
    decides = TASKS_DECIDE in principal.scopes
    marks = policies.marks_of(principal.username, principal.role, row["groups"], decides=decides)
    absent = tuple(_absent(one) for one in row["absent"] if one["role"] in DECIDING_ROLES and decides)
    reads, operates, decides_in = (_folders(principal.reach, verb) for verb in (READ, OPERATE, DECIDE))
    assigns = TASKS_ASSIGN in principal.scopes
    return Who(
        principal.tenant_id,
        principal.username,
        tuple(marks),
        decides,
        absent,
        reads,
        operates,
        assigns,
        decides_in,
    )


def _folders(reach: Reach, verb: str) -> tuple[int, ...] | None:
    folders = reach.folders(verb)
    return None if folders is None else tuple(folders)


def _absent(one: Json) -> Absent:
    marks = policies.marks_of(one["username"], one["role"], one["groups"])
    workflows = None if one["workflows"] is None else frozenset(one["workflows"])
    reach = people.reach_of(one["role"], one["granted"])
    return Absent(one["username"], tuple(marks), workflows, _folders(reach, DECIDE))


def who_is_member(member: Membership) -> Who:
    """A member of a tenant, as somebody who may be given a task."""
    decides = TASKS_DECIDE in SCOPES_OF_ROLE[member.role]
    groups = people.group_keys_of(member.tenant_id, member.user_id)
    marks = policies.marks_of(member.user.username, member.role, groups, decides=decides)
    decides_in = _folders(people.reach_of_member(member), DECIDE) if decides else ()
    return Who(member.tenant_id, member.user.username, tuple(marks), decides, decides_in=decides_in)


def substitutes_of(task: ManualTask, names: Iterable[str]) -> list[str]:
    """The keys of those who may decide it now in the place of one of these people who is away."""
    if task.kind in FOR_OPERATORS:
        return []
    now, person_keys = now_there(), [key_of(name) for name in names]
    if task.delegated_by is not None:
        person_keys = [key for key in person_keys if key == key_of(task.assignee or "")]
    rules = AwayRule.objects.for_tenant(task.tenant_id).filter(starts_at__lte=now, ends_at__gt=now)
    rules = rules.annotate(person=Lower("username")).filter(person__in=person_keys)
    workflow = Workflow.objects.for_tenant(task.tenant_id).filter(pk=task.workflow_id).values("name")[:1]
    rules = rules.filter(Q(workflows=[]) | Q(workflows__contains=ArraySubquery(workflow)))
    keys = [key_of(name) for name in rules.order_by("pk").values_list("substitute", flat=True)]
    return [key for key in dict.fromkeys(keys) if key not in task.exclude and key not in task.voted]

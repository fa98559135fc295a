"""One task, as it is shown, and who is asking in the terms in which tasks name people; always within one tenant."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Literal, NamedTuple
from uuid import UUID

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import Q, QuerySet
from django.db.models.functions import Lower

from accounts import queries as people
from accounts.models import Membership
from accounts.names import key_of
from accounts.principal import Principal
from accounts.roles import SCOPES_OF_ROLE, TASKS_DECIDE
from lib.clock import now_there
from lib.refusals import Missing
from runs.models import Run
from tasks_inbox import policies, shown, store
from tasks_inbox.changes import changed_since
from tasks_inbox.models import (
    FOR_OPERATORS,
    INCIDENT,
    OPEN,
    AwayRule,
    HeldDecision,
    ManualTask,
    TaskComment,
    TaskNote,
)
from tasks_inbox.papers import TaskFile
from tasks_inbox.policies import Absent
from tasks_inbox.quorum import ONE, needs_several
from workflows.models import Workflow

Json = Any
View = Literal["mine", "teams", "due", "snoozed", "delegated", "done", "watching", "open"]
VIEWS: tuple[View, ...] = ("mine", "teams", "due", "snoozed", "delegated", "done", "watching", "open")
DUE_SOON = timedelta(hours=24)
COUNTED = 100
"""Of more than so many tasks that wait for somebody it is said that they are more."""

DECIDING_ROLES = tuple(role for role, scopes in SCOPES_OF_ROLE.items() if TASKS_DECIDE in scopes)

LARGE = ("instructions", "facts", "earlier", "form", "data", "comment")


@dataclass(frozen=True, slots=True)
class Who:
    """Who is asking, as tasks know people."""

    tenant_id: int
    username: str
    marks: tuple[str, ...]
    decides: bool
    absent: tuple[Absent, ...] = ()

    def is_asked(self, task: ManualTask) -> bool:
        """Whether the task itself asks them. Who decides no tasks has the marks of forms of their own alone."""
        return policies.is_asked(task, self.username, self.marks)

    def may_decide(self, task: ManualTask) -> bool:
        """Whether the task asks them, was handed to them or asks somebody for whom they stand in, and they may decide
        tasks at all.
        """
        if policies.holder_of(task, self.username):
            return False
        if not self.decides:
            return self.is_asked(task)
        own = policies.may_decide(task, self.username, self.marks)
        return own or self.stands_in_for(task) is not None

    def stands_in_for(self, task: ManualTask) -> str | None:
        """In whose place they would decide it; None where it would be in their own, or not at all."""
        own = policies.may_decide(task, self.username, self.marks)
        if not self.decides or (own and task.assignee in (None, self.username)):
            return None
        if giver := policies.giver_of(task, self.username):
            free = not policies.is_excluded(task, giver) and not policies.has_voted(task, giver)
            return giver if free and not policies.is_excluded(task, self.username) else None
        stood_for = (one.username for one in self.absent if policies.stands_in(task, self.username, one))
        return next(stood_for, None)


def who_is(principal: Principal) -> Who:
    """The one who asks."""
    found = store.who(principal.tenant_id, principal.user_id, principal.username)
    decides = TASKS_DECIDE in principal.scopes
    marks = policies.marks_of(principal.username, principal.role, found["groups"], decides=decides)
    absent = tuple(_absent(one) for one in found["absent"] if one["role"] in DECIDING_ROLES and decides)
    return Who(principal.tenant_id, principal.username, tuple(marks), decides, absent)


def _absent(one: Json) -> Absent:
    marks = policies.marks_of(one["username"], one["role"], one["groups"])
    workflows = None if one["workflows"] is None else frozenset(one["workflows"])
    return Absent(one["username"], tuple(marks), workflows)


def who_is_member(member: Membership) -> Who:
    """A member of a tenant, as somebody who may be given a task."""
    decides = TASKS_DECIDE in SCOPES_OF_ROLE[member.role]
    groups = people.group_keys_of(member.tenant_id, member.user_id)
    marks = policies.marks_of(member.user.username, member.role, groups, decides=decides)
    return Who(member.tenant_id, member.user.username, tuple(marks), decides)


def still_asks(task: ManualTask, username: str) -> bool:
    """Whether a task asks somebody of this name as they are now: member, role and groups."""
    member = people.find_member(task.tenant_id, username)
    return member is not None and who_is_member(member).is_asked(task)


def asks_no_more(task: ManualTask, who: Who) -> str | None:
    """Whose vote they have whom the task doesn't ask any more; None where they have none, or decide for themselves."""
    giver = policies.giver_of(task, who.username)
    if giver is None or giver != who.stands_in_for(task) or still_asks(task, giver):
        return None
    return giver


def task_of(tenant: int, task_id: UUID) -> ManualTask:
    """The tenant's task. Raises Missing."""
    task = ManualTask.objects.for_tenant(tenant).filter(pk=task_id).first()
    if task is None:
        raise Missing("There is no such task.")
    return task


def tasks_named(tenant: int, tasks: Iterable[UUID]) -> dict[UUID, ManualTask]:
    """The tenant's tasks of these ids, without what only one task's page shows."""
    return ManualTask.objects.for_tenant(tenant).defer(*LARGE).in_bulk(list(tasks))


def task_about(task: ManualTask) -> UUID | None:
    """The task that nobody can decide, where an incident is about one."""
    if task.kind != INCIDENT:
        return None
    return (
        ManualTask.objects.for_tenant(task.tenant_id)
        .filter(pk=task.step_id)
        .values_list("pk", flat=True)
        .first()
    )


def is_requester(task: ManualTask, username: str) -> bool:
    """Whether they started the task's run."""
    started_by = (
        Run.objects.for_tenant(task.tenant_id).filter(pk=task.run_id).values_list("created_by", flat=True)
    )
    return any(key_of(name) == key_of(username) for name in started_by)


def _note_of(task: ManualTask, who: Who) -> TaskNote | None:
    notes = TaskNote.objects.for_tenant(task.tenant_id)
    return notes.filter(task_id=task.pk, username=who.username).first()


def substitutes_of(task: ManualTask, names: Iterable[str]) -> list[str]:
    """The keys of those who may decide it now in the place of one of these people who is away."""
    if task.delegated_by is not None or task.kind in FOR_OPERATORS:
        return []
    now, wanted = now_there(), [key_of(name) for name in names]
    rules = AwayRule.objects.for_tenant(task.tenant_id).filter(starts_at__lte=now, ends_at__gt=now)
    rules = rules.annotate(person=Lower("username")).filter(person__in=wanted)
    workflow = Workflow.objects.for_tenant(task.tenant_id).filter(pk=task.workflow_id).values("name")[:1]
    found = rules.filter(Q(workflows=[]) | Q(workflows__contains=ArraySubquery(workflow)))
    keys = [key_of(name) for name in found.order_by("pk").values_list("substitute", flat=True)]
    return [key for key in dict.fromkeys(keys) if key not in task.exclude and key not in task.voted]


class Called(NamedTuple):
    """How a workflow is called: its name, and the title that people read, which is the name where it has none."""

    name: str
    title: str


def workflows_of(tenant: int, tasks: Iterable[ManualTask]) -> dict[int, Called]:
    """How the workflows of these tasks are called; one statement."""
    found = Workflow.objects.for_tenant(tenant).filter(pk__in={task.workflow_id for task in tasks})
    return {pk: Called(name, title or name) for pk, name, title in found.values_list("pk", "name", "title")}


def workflow_names(tenant: int, tasks: Iterable[ManualTask]) -> dict[int, str]:
    """The names of the workflows of these tasks."""
    return {pk: one.name for pk, one in workflows_of(tenant, tasks).items()}


def task_row(task: ManualTask, workflow: str, who: Who) -> dict[str, Json]:
    """A task as a list shows it; `may_decide`: it is open, and who asks may decide it now."""
    absent = who.stands_in_for(task)
    mine = absent is not None or task.assignee in (None, who.username)
    return {
        "id": task.pk,
        "run_id": task.run_id,
        "workflow": workflow,
        "node": task.node,
        "kind": task.kind,
        "title": task.title,
        "status": task.status,
        "priority": task.priority,
        "candidates": task.candidates,
        "exclude": task.exclude,
        "assignee": task.assignee,
        "delegated_by": task.delegated_by,
        "stands_in_for": absent if task.status == OPEN else None,
        "due_at": task.due_at,
        "follow_up_at": policies.follow_up_at(task) if task.status == OPEN else None,
        "outcomes": task.outcomes,
        "outcome": task.outcome,
        "decided_by": task.decided_by,
        "decided_for": task.decided_for,
        "decided_at": task.decided_at,
        "created_at": task.created_at,
        "asked_at": None if task.returned_to else task.stopped_at,
        "asked_by": None if task.returned_to else task.stopped_by,
        "asked_of": task.asked_of,
        "returned_to": task.returned_to,
        "returned_by": task.stopped_by if task.returned_to else None,
        "test": task.is_test,
        "quorum": task.quorum or ONE,
        "proxies": [{"by": one["by"], "to": one["to"]} for one in task.proxies],
        "round": task.round,
        "may_decide": task.status == OPEN
        and task.returned_to is None
        and mine
        and who.may_decide(task)
        and not policies.has_voted(task, who.username),
    }


def whole_row(
    task: ManualTask, workflow: str, who: Who, files: Iterable[TaskFile] | None = None
) -> dict[str, Json]:
    """A task with all that it holds, how many comments there are, and what who asks has noted of it; `files` of it,
    where they are at hand.
    """
    large = {name: getattr(task, name) for name in LARGE if name != "earlier"}
    more = {"comments": comments_of(task).count(), "shown_hash": shown.hash_of(task, who.username, files)}
    more |= {"changed": changed_since(task)}
    note = _note_of(task, who)
    own = {"snoozed_until": note and note.snoozed_until, "watching": bool(note and note.watching)}
    row = task_row(task, workflow, who)
    held = _held(task, who)
    is_held = held is not None and (held["by"] == who.username or not needs_several(task.quorum))
    may_decide = row["may_decide"] and not is_held and asks_no_more(task, who) is None
    return row | large | more | own | {"held": held, "may_decide": may_decide}


def _held(task: ManualTask, who: Who) -> dict[str, Json] | None:
    """What somebody is about to decide of it: who asks, or else another."""
    if task.status != OPEN:
        return None
    found = HeldDecision.objects.for_tenant(task.tenant_id).filter(task_id=task.pk, refused__isnull=True)
    rows = sorted(found, key=lambda one: one.username != who.username)
    return next(({"by": one.username, "outcome": one.outcome, "until": one.until} for one in rows), None)


def comments_of(task: ManualTask) -> QuerySet[TaskComment]:
    """What was said of a task, unordered."""
    return TaskComment.objects.for_tenant(task.tenant_id).filter(task_id=task.pk)


def last_comments(task: ManualTask, most: int, before: UUID | None) -> tuple[list[TaskComment], UUID | None]:
    """The last comments of a task, or the last ones before one, oldest first; and before which there are more."""
    found = comments_of(task) if before is None else comments_of(task).filter(pk__lt=before)
    listed = list(found.order_by("-pk")[: most + 1])
    shown = listed[:most][::-1]
    return shown, shown[0].pk if len(listed) > most else None


def comment_row(comment: TaskComment) -> dict[str, Json]:
    """A comment as it is shown."""
    return {"id": comment.pk, "kind": comment.kind, "text": comment.text, "by": comment.by, "at": comment.at}


def delegates_of(task: ManualTask, who: Who, most: int, but: Collection[str] = ()) -> list[str]:
    """Some of those to whom they may hand this task, by name, `most` at most; `but` those who have a vote already."""
    members = people.members_of_roles(task.tenant_id, DECIDING_ROLES)
    if task.kind in FOR_OPERATORS:
        members = members.filter(role__in=task.candidates["roles"])
    names = members.values_list("user__username", flat=True)
    barred = {key_of(who.username), *task.exclude, *but, *(one["to_key"] for one in task.proxies)}
    return [name for name in names[: most + len(barred)] if key_of(name) not in barred][:most]

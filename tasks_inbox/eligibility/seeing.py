"""Who may see a task: whom it asks or asked, who has had to do with it, and who may read its workflow (R-149, R-162).

What a task asks and what was said of it is for these alone; others are told that there is no such task.
"""

from collections.abc import Iterable
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from accounts.names import key_of
from accounts.principal import Principal
from lib.refusals import Missing
from runs.models import Run
from tasks_inbox.eligibility import identity
from tasks_inbox.eligibility.identity import Who
from tasks_inbox.models import ManualTask, TaskComment, TaskNote
from workflows.models import Workflow


def guard_task(principal: Principal, scope: str, task_id: UUID) -> None:
    """Let pass who may see the task, whatever it is that they want to do with it. Raises Missing."""
    if principal.reach.is_everywhere:
        return
    who = identity.who_is(principal)
    if not visible(who, ManualTask.objects.for_tenant(who.tenant_id).filter(pk=task_id)).exists():
        raise Missing("There is no such task.")


def visible(who: Who, tasks: QuerySet[ManualTask]) -> QuerySet[ManualTask]:
    """Those of the tasks that they may see."""
    return tasks if who.folders is None else tasks.filter(readable(who) | concerning(who))


def readable(who: Who) -> Q:
    """Tasks of workflows that they may read."""
    if who.folders is None:
        return Q()
    workflows = Workflow.objects.for_tenant(who.tenant_id).filter(folder__in=who.folders)
    return Q(workflow_id__in=Subquery(workflows.values("id")))


def concerning(who: Who) -> Q:
    """Tasks that ask or asked them, though they be barred, or with which they have had to do."""
    key, name = key_of(who.username), who.username
    names = ("assignee", "delegated_by", "decided_by", "returned_to", "asked_of")
    own = Q(audience__overlap=list(_marks(who))) | Q(voted__contains=[key])
    for one in names:
        own |= Q(**{one: name})
    own |= Q(proxies__contains=[{"by_key": key}]) | Q(proxies__contains=[{"to_key": key}])
    started = Run.objects.for_tenant(who.tenant_id).filter(pk=OuterRef("run_id"), created_by__iexact=name)
    notes = TaskNote.objects.for_tenant(who.tenant_id).filter(task_id=OuterRef("pk"), username=name)
    comments = TaskComment.objects.for_tenant(who.tenant_id).filter(task_id=OuterRef("pk"), by=name)
    return own | Q(Exists(started)) | Q(Exists(notes)) | Q(Exists(comments))


def _marks(who: Who) -> Iterable[str]:
    """What they answer to, and those for whom they stand in."""
    return {*who.marks, *(mark for one in who.absent for mark in one.marks)}

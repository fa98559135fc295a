"""Who may see a task: whom it asks or asked, who has had to do with it, and who may read its workflow (R-149, R-162).

What a task asks and what was said of it is for these alone; others are told that there is no such task.
"""

from collections.abc import Iterable
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from accounts.names import key_of
from accounts.principal import Principal
from accounts.roles import READ
from lib.refusals import Missing
from runs.models import Run
from tasks_inbox.eligibility import identity
from tasks_inbox.eligibility.identity import Who
from tasks_inbox.eligibility.policies import EVERYBODY
from tasks_inbox.models import FOR_OPERATORS, ManualTask, TaskComment
from workflows.access import open_to
from workflows.models import Workflow


def guard_task(principal: Principal, scope: str, task_id: UUID) -> None:
    """Let pass who may see the task, whatever it is that they want to do with it. Raises Missing."""
    if principal.reach.is_everywhere:
        return
    tasks = ManualTask.objects.for_tenant(principal.tenant_id).filter(pk=task_id)
    # Most who open one read its workflow: who asks, as tasks know people, is asked for those alone who do not.
    if tasks.filter(workflow_id__in=Subquery(open_to(principal, READ).values("id"))).exists():
        return
    if not visible(identity.who_is(principal), tasks).exists():
        raise Missing("There is no such task.")


def visible(who: Who, tasks: QuerySet[ManualTask]) -> QuerySet[ManualTask]:
    """Those of the tasks that they may see."""
    return tasks.filter(seen(who))


def seen(who: Who) -> Q:
    """Tasks that they may see."""
    return Q() if who.folders is None else readable(who) | concerning(who)


def readable(who: Who) -> Q:
    """Tasks of workflows that they may read."""
    if who.folders is None:
        return Q()
    return lying_in(who.tenant_id, who.folders)


def concerning(who: Who) -> Q:
    """Tasks that ask or asked them, though they be barred, or with which they have had to do.

    To watch or to snooze one is none of it: who may see it at the moment can do so by themselves, and for good.
    """
    key, name = key_of(who.username), who.username
    names = ("assignee", "delegated_by", "decided_by", "returned_to", "asked_of")
    own = asked(who) | Q(voted__contains=[key])
    for one in names:
        own |= Q(**{one: name})
    own |= Q(proxies__contains=[{"by_key": key}]) | Q(proxies__contains=[{"to_key": key}])
    started = Run.objects.for_tenant(who.tenant_id).filter(pk=OuterRef("run_id"), created_by__iexact=name)
    comments = TaskComment.objects.for_tenant(who.tenant_id).filter(task_id=OuterRef("pk"), by=name)
    return own | Q(Exists(started)) | Q(Exists(comments))


def asked(who: Who) -> Q:
    """Tasks that ask them, or ask somebody for whom they stand in there, or were handed to that person. What asks
    operators is about runs: it is for those who may operate these.
    """
    own = answering(who.tenant_id, who.marks, who.decides_in) & operable(who)
    for absent in who.absent:
        theirs = answering(who.tenant_id, absent.marks, absent.decides_in)
        theirs |= Q(assignee=absent.username, delegated_by__isnull=False)
        theirs |= Q(proxies__contains=[{"to_key": key_of(absent.username)}])
        theirs &= ~Q(kind__in=FOR_OPERATORS)
        own |= theirs if absent.workflows is None else theirs & Q(workflow_id__in=absent.workflows)
    return own


def answering(tenant: int, marks: Iterable[str], decides_in: Iterable[int] | None) -> Q:
    """Tasks that ask who answers to these marks: `policies.answers` as a condition."""
    own = list(marks)
    if decides_in is None or EVERYBODY not in own:
        return Q(audience__overlap=own)
    by_name = Q(audience__overlap=[mark for mark in own if mark != EVERYBODY])
    return by_name | (Q(audience__contains=[EVERYBODY]) & lying_in(tenant, decides_in))


def operable(who: Who) -> Q:
    """Tasks that ask no operators, or about runs that they may operate."""
    if who.operates is None:
        return Q()
    return ~Q(kind__in=FOR_OPERATORS) | operated(who)


def operated(who: Who) -> Q:
    """Tasks of workflows whose runs they may operate."""
    return Q() if who.operates is None else lying_in(who.tenant_id, who.operates)


def lying_in(tenant: int, folders: Iterable[int]) -> Q:
    """Tasks of workflows that lie in these folders."""
    rows = Workflow.objects.for_tenant(tenant).filter(folder__in=folders)
    return Q(workflow_id__in=Subquery(rows.values("id")))

"""Who may reach which bulk job."""

from uuid import UUID

from django.db.models import Q, QuerySet

from accounts.principal import Principal
from accounts.roles import READ, TASKS_DECIDE
from lib.refusals import Missing
from operations.bulk.models import TASK_VERBS, BulkJob
from runs.access import require_workflow
from workflows.access import open_to


def guard_bulk_job(principal: Principal, scope: str, bulk_id: UUID) -> None:
    """As `guard_run`, of the workflow of a bulk job; one of several workflows is for who began it, and for admins. With
    the scope of deciders: a job of tasks that they began.
    """
    jobs = BulkJob.objects.for_tenant(principal.tenant_id).filter(pk=bulk_id)
    if scope == TASKS_DECIDE:
        if not jobs.filter(created_by=principal.username, verb__in=TASK_VERBS).exists():
            raise Missing("There is no such bulk job.")
        return
    of_several = jobs.filter(workflow=None)
    if not principal.reach.is_everywhere:
        of_several = of_several.filter(created_by=principal.username)
    if of_several.exists():
        return
    require_workflow(principal, scope, jobs, "bulk job")


def readable_bulk_jobs(jobs: QuerySet[BulkJob], principal: Principal) -> QuerySet[BulkJob]:
    """Those of the bulk jobs whose workflows they may read; of those of several workflows the ones that they began."""
    if principal.reach.is_everywhere:
        return jobs
    own = Q(workflow=None, created_by=principal.username)
    return jobs.filter(own | Q(workflow__in=open_to(principal, READ)))

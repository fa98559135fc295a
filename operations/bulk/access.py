"""Who may read which bulk job, and who may go on with it or stop it.

A job of one workflow is for those who may read that. Any other is for whoever began it and for those whom no folder
keeps out; by a token that is limited to folders only where all its runs lie in these. All of them need the scope that
its subject is read by, or, of a job of their own, that by which it was begun.
"""

from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery

from accounts.principal import Principal
from accounts.roles import (
    DEAD_LETTERS_READ,
    READ,
    RUNS_OPERATE,
    RUNS_READ,
    TASKS_DECIDE,
    TASKS_READ,
    VERB_OF_SCOPE,
)
from lib.refusals import Missing
from operations.bulk.models import LETTER_VERBS, TASK_VERBS, BulkItem, BulkJob
from runs.access import require_workflow
from runs.models import Run
from workflows.access import open_to

_SCOPES = (
    (~Q(verb__in=(*LETTER_VERBS, *TASK_VERBS)), RUNS_READ, RUNS_OPERATE),
    (Q(verb__in=LETTER_VERBS), DEAD_LETTERS_READ, RUNS_OPERATE),
    (Q(verb__in=TASK_VERBS), TASKS_READ, TASKS_DECIDE),
)
"""Jobs of each subject, with the scope that these are read by and the one that they are begun by."""


def guard_bulk_job(principal: Principal, scope: str, bulk_id: UUID) -> None:
    """Let pass who may do what the scope is about with a bulk job; with the scope of deciders, with one of tasks.

    Raises Missing, and Forbidden for who may only read it.
    """
    jobs = BulkJob.objects.for_tenant(principal.tenant_id).filter(pk=bulk_id)
    if scope == TASKS_DECIDE:
        jobs = jobs.filter(verb__in=TASK_VERBS)
    readable = readable_bulk_jobs(jobs, principal, VERB_OF_SCOPE.get(scope, READ))
    job = readable.first()
    if job is None:
        raise Missing("There is no such bulk job.")
    if job.workflow_id is not None and not principal.reach.is_everywhere:
        require_workflow(principal, scope, jobs, "bulk job")


def readable_bulk_jobs(jobs: QuerySet[BulkJob], principal: Principal, verb: str = READ) -> QuerySet[BulkJob]:
    """Those of the bulk jobs that they may read. `verb`: what a limited token must be let do with all runs of one that
    is of no single workflow.
    """
    own = Q(created_by=principal.username)
    for subject, reads, begins in _SCOPES:
        if reads not in principal.scopes:
            jobs = jobs.exclude(subject & ~own if begins in principal.scopes else subject)
    if principal.reach.is_everywhere:
        return jobs
    several = Q(workflow=None) & own
    if principal.jobs.folders is not None:
        several &= ~Q(Exists(_beyond(principal, verb)))
    return jobs.filter(several | Q(workflow__in=open_to(principal, READ)))


def _beyond(principal: Principal, verb: str) -> QuerySet[BulkItem]:
    """The items of a job with whose runs they may not do this."""
    run = Run.objects.for_tenant(principal.tenant_id).filter(pk=OuterRef("run_id"))
    items = BulkItem.objects.for_tenant(principal.tenant_id).filter(job_id=OuterRef("pk"))
    items = items.alias(workflow_of_run=Subquery(run.values("workflow_id")[:1]))
    return items.exclude(workflow_of_run__in=open_to(principal, verb).values("id"))

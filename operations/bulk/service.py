"""Bulk jobs: a verb for all runs that a search has found, or another version for the open ones of a version (R-010)."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from uuid import UUID

from django.db.models import Count, Min, QuerySet

from accounts.principal import Principal
from accounts.roles import RUNS_OPERATE
from engine.catalogue import Json
from lib.refusals import Conflict, Invalid, Missing
from lib.uuid7 import uuid7
from operations.bulk import aims, store
from operations.bulk.access import guard_bulk_job
from operations.bulk.aims import NO_AIM, Aim
from operations.bulk.limits import JOB_RUNS, REFUSAL_REASONS
from operations.bulk.models import BULK_RESULTS, BulkItem, BulkJob
from runs.commands.reassigning import Taker
from runs.kernel.graphs import BrokenVersion, compiled
from runs.reading.filters import filters_of_search
from runs.reading.queries import has_text
from workflows.access import guard_workflow
from workflows.queries import get_version, get_workflow, refuse_withdrawn


@dataclass(frozen=True, slots=True)
class Reason:
    """Why runs are refused: how many for this reason, and one of them."""

    code: str
    node: str | None
    message: str
    count: int
    run: str


def begin(
    who: Principal, name: str, before: int, after: int, *, dry_run: bool = False, reason: str = ""
) -> BulkJob:
    """Have the open runs of version `before` go on with `after`, in the background; or only look, with `dry_run`.

    Raises Missing, Forbidden, and Conflict for one and the same version, or one that doesn't compile here.
    """
    who.require(RUNS_OPERATE)
    guard_workflow(who, RUNS_OPERATE, name)
    workflow = get_workflow(who.tenant_id, name)
    if before == after:
        message = "Choose another version than the one that the runs are on."
        raise Conflict(message, code="same_version", field="to")
    versions = tuple(get_version(who.tenant_id, name, number) for number in (before, after))
    refuse_withdrawn(who.tenant_id, versions[1].pk)
    try:
        compiled(versions[1].pk)
    except BrokenVersion as error:
        raise Conflict(str(error), code="broken_version", field="to") from error
    job = uuid7()
    store.begin_job(
        id=job,
        tenant=who.tenant_id,
        workflow=workflow.pk,
        versions=(versions[0].pk, versions[1].pk),
        dry_run=dry_run,
        reason=reason,
        by=who.username,
    )
    return get_job(who.tenant_id, job)


def begin_verb(
    who: Principal,
    verb: str,
    query: str,
    *,
    aim: Aim = NO_AIM,
    runs: Collection[UUID | str] | None = None,
    dry_run: bool = False,
    reason: str = "",
    compensate: bool = False,
) -> BulkJob:
    """Do this, in the background, to all runs that a search has found (docs/operations.md), that they may operate and
    that allow it; or only look, with `dry_run`. Of more than `JOB_RUNS` the newest ones.

    `runs`: of these alone, whatever the search. `compensate`: what cancelled runs did is undone. Raises Forbidden,
    Missing, and Invalid for what can't be searched and for an aim that isn't one.
    """
    filters = filters_of_search(query, who.username) if runs is None else {}
    if runs is None:
        _check_search(filters)
    name = filters.get("workflow") if runs is None else aim.workflow
    version = aims.checked_version(who, verb, aim, name)
    targets = aims.runs_for(who, verb, version, **filters)
    if runs is not None:
        targets = targets.filter(pk__in=runs)
    workflow = get_workflow(who.tenant_id, name).pk if name else None
    terms = Terms(
        verb, query, workflow, version, aim.taker, compensate=compensate, dry_run=dry_run, reason=reason
    )
    return _begin(who, list(targets[:JOB_RUNS]), terms)


def _check_search(filters: Mapping[str, Json]) -> None:
    if not filters:
        raise Invalid("Say which runs: workflow:claims status:failed", code="required", field="query")
    if has_text(filters):
        message = "Not all runs can be searched for a text. Write key:…, input.name:… or workflow:…"
        raise Invalid(message, field="query")


def go(who: Principal, job: UUID | str, *, reason: str, compensate: bool = False) -> BulkJob:
    """Do what a dry run has looked at: a verb with the runs that allowed it, another version with those that are open.

    Raises Missing, Forbidden, and Conflict for what is no dry run, or one that is not over.
    """
    who.require(RUNS_OPERATE)
    dry = get_job(who.tenant_id, job)
    guard_bulk_job(who, RUNS_OPERATE, dry.pk)
    if not dry.dry_run or dry.finished_at is None:
        raise Conflict("Only a finished dry run can be continued.", code="not_a_dry_run")
    if dry.workflow and dry.from_version and dry.to_version:
        versions = (dry.from_version.number or 0, dry.to_version.number or 0)
        return begin(who, dry.workflow.name, *versions, reason=reason)
    number = dry.to_version.number if dry.to_version else None
    aim = Aim(number, dry.assignee, dry.to_group)
    version = aims.checked_version(who, dry.verb, aim, dry.workflow.name if dry.workflow else None)
    terms = Terms(
        dry.verb, dry.query, dry.workflow_id, version, aim.taker, compensate=compensate, reason=reason
    )
    return _begin(who, (), terms, dry=dry.pk)


@dataclass(frozen=True, slots=True)
class Terms:
    """What is done with the runs of a bulk job, and by which search of which workflow they were found; a workflow and a
    version by their ids.
    """

    verb: str
    query: str
    workflow: int | None
    version: int | None
    to: Taker
    compensate: bool = False
    dry_run: bool = False
    reason: str = ""


def _begin(who: Principal, runs: Sequence[UUID], terms: Terms, *, dry: UUID | None = None) -> BulkJob:
    job, values = uuid7(), asdict(terms)
    to = values.pop("to")
    store.begin_verb_job(runs, dry=dry, id=job, tenant=who.tenant_id, by=who.username, **values, **to)
    return get_job(who.tenant_id, job)


def stop(who: Principal, job: UUID | str) -> BulkJob:
    """End a job before its time; what is left stays as it is. Raises Missing, Forbidden, Conflict if it is over."""
    who.require(RUNS_OPERATE)
    bulk_job = get_job(who.tenant_id, job)
    guard_bulk_job(who, RUNS_OPERATE, bulk_job.pk)
    if not store.stop_job(str(bulk_job.pk), who.tenant_id, by=who.username):
        raise Conflict("It is already over.", code="not_open")
    store.end_jobs()
    return get_job(who.tenant_id, job)


def jobs_of(tenant: int, workflow: str | None = None) -> QuerySet[BulkJob]:
    """The tenant's bulk jobs, of one workflow where one is named, the newest first."""
    rows = BulkJob.objects.for_tenant(tenant).select_related("workflow", "from_version", "to_version")
    return (rows.filter(workflow__name=workflow) if workflow else rows).order_by("-id")


def get_job(tenant: int, job: UUID | str) -> BulkJob:
    """A bulk job of the tenant. Raises Missing."""
    bulk_job = jobs_of(tenant).filter(pk=job).first()
    if bulk_job is None:
        raise Missing("There is no such bulk job.")
    return bulk_job


def counts_of(job: BulkJob) -> Mapping[str, int]:
    """How many items of a job there are by result, those without any included; all of them are its `total`."""
    rows = BulkItem.objects.for_tenant(job.tenant_id).filter(job_id=job.pk).values_list("result")
    counts = dict(rows.annotate(count=Count("id")).order_by())
    return {result: counts.get(result, 0) for result in BULK_RESULTS}


def items_of(job: BulkJob, result: str | None = None) -> QuerySet[BulkItem]:
    """What became of each run, by one result where one is named."""
    rows = BulkItem.objects.for_tenant(job.tenant_id).filter(job_id=job.pk)
    return rows.filter(result=result) if result else rows


def reasons_of(job: BulkJob) -> Sequence[Reason]:
    """Why runs were refused, the most frequent reason first, each with one of its runs."""
    rows = items_of(job, "refused").order_by().values_list("code", "node", "message")
    counted = rows.annotate(count=Count("id"), first=Min("id")).order_by("-count", "code", "node")
    reasons = list(counted[:REFUSAL_REASONS])
    runs = dict(items_of(job).filter(pk__in=[first for *_, first in reasons]).values_list("pk", "run_id"))
    return [
        Reason(code, node, message, count, str(runs[first])) for code, node, message, count, first in reasons
    ]

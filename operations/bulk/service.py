"""Bulk jobs: a verb for all runs, dead letters or tasks that a search has found, or another version for the open runs
of a version (R-010).
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from uuid import UUID

from django.db.models import Count, Max, Min, QuerySet

from accounts.principal import Principal
from accounts.roles import RUNS_OPERATE, TASKS_DECIDE
from engine.catalogue import Json
from lib.refusals import Conflict, Invalid, Missing
from lib.uuid7 import uuid7
from operations.bulk import aims, store
from operations.bulk.access import guard_bulk_job
from operations.bulk.aims import NO_AIM, Aim
from operations.bulk.limits import JOB_RUNS, REFUSAL_REASONS
from operations.bulk.models import BULK_RESULTS, RUNS, TASKS, BulkItem, BulkJob
from operations.bulk.words import SHARED
from runs.commands.reassigning import Taker
from runs.kernel.graphs import BrokenVersion, compiled
from runs.ports import BulkResult
from runs.reading.filters import filters_of_search
from runs.reading.queries import has_text
from workflows.access import guard_workflow
from workflows.queries import get_version, get_workflow, refuse_withdrawn


@dataclass(frozen=True, slots=True)
class Reason:
    """Why it was refused: how often for this reason, and one of the items."""

    code: str
    node: str | None
    message: str
    count: int
    item: BulkItem


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
    return begin_terms(who, list(targets[:JOB_RUNS]), terms)


def _check_search(filters: Mapping[str, Json]) -> None:
    if not filters:
        raise Invalid("Say which runs: workflow:claims status:failed", code="required", field="query")
    if has_text(filters):
        message = "Not all runs can be searched for a text. Write key:…, input.name:… or workflow:…"
        raise Invalid(message, field="query")


def go(who: Principal, job: UUID | str, *, reason: str, compensate: bool = False) -> BulkJob:
    """Do what a dry run has looked at: a verb with the runs that allowed it, another version with those that are open.

    Raises Missing, Forbidden, and Conflict for what is no dry run, or one that is not over, and for tasks of which
    somebody else has seen what would happen.
    """
    dry = get_job(who.tenant_id, job)
    require_job(who, dry)
    if dry.subject == TASKS and dry.created_by != who.username:
        raise Conflict(
            f"{dry.created_by} has reviewed these tasks: begin a job of your own.", code="not_yours"
        )
    if not dry.dry_run or dry.finished_at is None:
        raise Conflict("Only a finished dry run can be continued.", code="not_a_dry_run")
    if dry.workflow and dry.from_version and dry.to_version:
        versions = (dry.from_version.number or 0, dry.to_version.number or 0)
        return begin(who, dry.workflow.name, *versions, reason=reason)
    if dry.subject != RUNS:
        to = Taker(dry.assignee, dry.to_group)
        return begin_terms(
            who, (), Terms(dry.verb, dry.query, None, None, to, reason=reason, terms=dry.terms), dry=dry.pk
        )
    number = dry.to_version.number if dry.to_version else None
    aim = Aim(number, dry.assignee, dry.to_group)
    version = aims.checked_version(who, dry.verb, aim, dry.workflow.name if dry.workflow else None)
    terms = Terms(
        dry.verb, dry.query, dry.workflow_id, version, aim.taker, compensate=compensate, reason=reason
    )
    return begin_terms(who, (), terms, dry=dry.pk)


@dataclass(frozen=True, slots=True)
class Terms:
    """What is done with the runs of a bulk job, and by which search of which workflow they were found; a workflow and a
    version by their ids. `terms`: as a verb of tasks has them.
    """

    verb: str
    query: str
    workflow: int | None
    version: int | None
    to: Taker
    compensate: bool = False
    dry_run: bool = False
    reason: str = ""
    terms: Mapping[str, Json] = field(default_factory=dict)


def begin_terms(
    who: Principal,
    runs: Sequence[UUID],
    terms: Terms,
    *,
    targets: Sequence[UUID] = (),
    dry: UUID | None = None,
) -> BulkJob:
    """Begin a job with an item for each of the runs, or of their `targets`, and for what a dry run found able."""
    job, values = uuid7(), asdict(terms)
    to = values.pop("to")
    values |= {"targets": targets, "dry": dry, "tenant": who.tenant_id, "by": who.username}
    store.begin_verb_job(runs, id=job, **values, **to)
    return get_job(who.tenant_id, job)


def record(
    who: Principal,
    verb: str,
    rows: Sequence[BulkResult],
    *,
    query: str = "",
    reason: str = "",
    terms: Mapping[str, Json] | None = None,
) -> str:
    """Write down what a verb has done to many while its caller waited, as a job that is over; gives its id."""
    job = uuid7()
    store.record_job(
        rows,
        id=job,
        tenant=who.tenant_id,
        verb=verb,
        query=query,
        terms=terms or {},
        reason=reason,
        by=who.username,
    )
    return job


def require_job(who: Principal, job: BulkJob) -> None:
    """Let pass who may go on with a job or stop it. Raises Missing and Forbidden."""
    scope = TASKS_DECIDE if job.subject == TASKS and job.created_by == who.username else RUNS_OPERATE
    who.require(scope)
    guard_bulk_job(who, scope, job.pk)


def stop(who: Principal, job: UUID | str) -> BulkJob:
    """End a job before its time; what is left stays as it is. Raises Missing, Forbidden, Conflict if it is over."""
    bulk_job = get_job(who.tenant_id, job)
    require_job(who, bulk_job)
    if not store.stop_job(str(bulk_job.pk), who.tenant_id, by=who.username):
        raise Conflict("It is already over.", code="not_open")
    store.end_jobs()
    return get_job(who.tenant_id, job)


def jobs_of(tenant: int, workflow: str | None = None) -> QuerySet[BulkJob]:
    """The tenant's bulk jobs, of one workflow where one is named, the newest first."""
    rows = BulkJob.objects.for_tenant(tenant).select_related("workflow", "from_version", "to_version")
    return (rows.filter(workflow__name=workflow) if workflow else rows).order_by("-id")


def read_job(who: Principal, scope: str, job: UUID) -> BulkJob:
    """A bulk job, for who may do what the scope is about with it. Raises Missing and Forbidden."""
    guard_bulk_job(who, scope, job)
    return get_job(who.tenant_id, job)


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
    """The result for each item, by one result where one is named."""
    rows = BulkItem.objects.for_tenant(job.tenant_id).filter(job_id=job.pk)
    return rows.filter(result=result) if result else rows


def reasons_of(job: BulkJob) -> Sequence[Reason]:
    """Why runs were refused, the most frequent reason first, each with one of its runs."""
    rows = items_of(job, "refused").order_by()
    keys = ("code", "node", "message") if job.subject == RUNS else ("code", "node")
    counted = rows.values(*keys).annotate(
        count=Count("id"), first=Min("id"), least=Min("message"), most=Max("message")
    )
    reasons = list(counted.order_by("-count", *keys)[:REFUSAL_REASONS])
    items = {item.pk: item for item in items_of(job).filter(pk__in=[one["first"] for one in reasons])}
    return [
        Reason(one["code"], one["node"], _message(one), one["count"], items[one["first"]]) for one in reasons
    ]


def _message(reason: Mapping[str, Json]) -> str:
    """The message that all refusals for a reason have. Where each names its own person and time: what they share."""
    message: str = reason["least"]
    return message if message == reason["most"] else SHARED.get(reason["code"], message)

"""The routes of bulk jobs: what is done to many runs or dead letters in the background."""

from collections.abc import Iterable, Mapping
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.principal import Principal
from accounts.roles import RUNS_OPERATE, RUNS_READ
from engine.catalogue import Json
from lib.api.pagination import keyset_page
from lib.api.schema import page_schema
from lib.api.serializers import Verb, body, query
from lib.refusals import Invalid
from operations.bulk import serializers as b
from operations.bulk import service
from operations.bulk.access import readable_bulk_jobs
from operations.bulk.aims import Aim
from operations.bulk.letters import begin_letters
from operations.bulk.models import LETTER_VERBS, LETTERS, RUNS, BulkItem, BulkJob
from runs.api.base import RunsApiView

FIRST = 50
"""So many results are told with a job that was just made."""


class BulkJobView(RunsApiView):
    """A bulk job."""

    scopes = {"GET": RUNS_READ}

    @extend_schema(parameters=[b.ItemQuery], responses=b.BulkJobSerializer)
    def get(self, request: Request, bulk_id: UUID) -> Response:
        """The progress of the job, and a page of the results of its items; with `result` only those."""
        return shown(request, service.read_job(self.principal, RUNS_READ, bulk_id))


class BulkJobsView(RunsApiView):
    """The bulk jobs."""

    scopes = {"GET": RUNS_READ, "POST": RUNS_OPERATE}

    @extend_schema(parameters=[b.BulkJobsQuery], responses=page_schema(b.BulkJobRow))
    def get(self, request: Request) -> Response:
        """A page of the bulk jobs, the newest first, without their counts; with `workflow` those of one."""
        params = query(b.BulkJobsQuery, request)
        rows = readable_bulk_jobs(
            service.jobs_of(self.principal.tenant_id, params.pop("workflow", None)), self.principal
        )
        page = keyset_page(rows, request, keys=("id",), **params)
        return Response(page.answer([_row(job) for job in page.rows]))

    @extend_schema(request=b.BeginBulkJob, responses={202: b.BulkJobSerializer})
    def post(self, request: Request) -> Response:
        """Does `verb` to all runs that `query` finds, that you may operate and that allow it, each by itself, in the
        background: 202 a bulk job. With `dry_run` the job only finds out what would happen to each.

        `retry` and `discard` are for all open dead letters that `query` finds.
        """
        payload = body(b.BeginBulkJob, request)
        if payload["verb"] in LETTER_VERBS:
            return begun(_of_letters(self.principal, payload))
        terms = {
            "dry_run": payload["dry_run"],
            "reason": payload.get("reason", ""),
            "compensate": payload["compensate"],
            "aim": Aim(payload.get("version"), payload.get("assignee", ""), payload.get("group", "")),
        }
        return begun(service.begin_verb(self.principal, payload["verb"], payload["query"], **terms))


class BulkJobCancelView(RunsApiView):
    """Stopping a bulk job."""

    scopes = {"POST": RUNS_OPERATE}

    @extend_schema(request=Verb, responses=b.CountedBulkJob)
    def post(self, request: Request, bulk_id: UUID) -> Response:
        """Stops the job early: what remains stays as it is; 409 `not_open` if it has ended."""
        body(Verb, request)
        return Response(counted(service.stop(self.principal, bulk_id)))


class WorkflowMigrateView(RunsApiView):
    """Moving the open runs of a version."""

    scopes = {"POST": RUNS_OPERATE}

    @extend_schema(request=b.MigrateRuns, responses={202: b.BulkJobSerializer})
    def post(self, request: Request, name: str) -> Response:
        """Moves all open runs of version `from` to `to`, each by itself, in the background: 202 a bulk job.

        With `dry_run` the job only finds out what would happen to each.
        """
        payload = body(b.MigrateRuns, request)
        terms = {"dry_run": payload["dry_run"], "reason": payload.get("reason", "")}
        job = service.begin(self.principal, name, payload["from"], payload["to"], **terms)
        return begun(job)


def _of_letters(who: Principal, payload: Mapping[str, Json]) -> BulkJob:
    """Begin a job of dead letters. Raises Invalid for what only verbs of runs take."""
    for name in ("compensate", "version", "assignee", "group"):
        if payload.get(name):
            raise Invalid(f"`{payload['verb']}` does not take this.", field=name)
    terms = {"query": payload["query"], "dry_run": payload["dry_run"], "reason": payload.get("reason", "")}
    job, _ = begin_letters(who, payload["verb"], **terms)
    return job


def shown(request: Request, job: BulkJob) -> Response:
    """The job with a page of its results."""
    params = query(b.ItemQuery, request)
    rows = service.items_of(job, params.pop("result", None))
    page = keyset_page(rows, request, keys=("id",), **params)
    return Response(counted(job) | page.answer(_results(job, page.rows)))


def begun(job: BulkJob, path: str = "bulk-jobs") -> Response:
    """The answer to who began a bulk job: 202, the job and its first items."""
    rows = service.items_of(job).order_by("-id")[:FIRST]
    answer: dict[str, Any] = {"results": _results(job, rows), "next": None, "previous": None}
    return Response(counted(job) | answer, status=202, headers={"Location": f"/api/v1/{path}/{job.pk}"})


def _results(job: BulkJob, items: Iterable[BulkItem]) -> list[Any]:
    rows = []
    for item in items:
        row = {name: getattr(item, name) for name in ("result", "code", "node", "message", "done_at")}
        row |= {"run": item.run_id, "letter": None, "task": None}
        if job.subject != RUNS:
            row["letter" if job.subject == LETTERS else "task"] = item.target_id
        rows.append(row)
    return list(b.ItemSerializer(rows, many=True).data)


def counted(job: BulkJob) -> dict[str, Json]:
    """A job with the number of its items by result."""
    return _row(job) | dict(service.counts_of(job))


def _row(job: BulkJob) -> dict[str, Json]:
    return {
        "id": job.pk,
        "verb": job.verb,
        "query": job.query,
        "workflow": job.workflow.name if job.workflow else None,
        "from": job.from_version.number if job.from_version else None,
        "to": job.to_version.number if job.to_version else None,
        "assignee": job.assignee,
        "group": job.to_group,
        "dry_run": job.dry_run,
        "reason": job.reason,
        "created_by": job.created_by,
        "created_at": job.created_at,
        "finished_at": job.finished_at,
        "stopped_by": job.stopped_by,
        "total": job.total,
    }

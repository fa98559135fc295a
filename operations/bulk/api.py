"""The routes of bulk jobs: what is done with many runs in the background."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.roles import RUNS_OPERATE, RUNS_READ
from engine.catalogue import Json
from lib.api.pagination import keyset_page
from lib.api.schema import page_schema
from lib.api.serializers import Verb, body, query
from operations.bulk import serializers as b
from operations.bulk import service
from operations.bulk.access import readable_bulk_jobs
from operations.bulk.aims import Aim
from operations.bulk.models import BulkJob
from runs.api.base import RunsApiView

FIRST = 50
"""So many results are told with a job that was just made."""


class BulkJobView(RunsApiView):
    """A bulk job."""

    scopes = {"GET": RUNS_READ}

    @extend_schema(parameters=[b.ItemQuery], responses=b.BulkJobSerializer)
    def get(self, request: Request, bulk_id: UUID) -> Response:
        """The progress of the job, and a page of the results of its runs; with `result` only those."""
        params = query(b.ItemQuery, request)
        job = service.get_job(self.principal.tenant_id, bulk_id)
        rows = service.items_of(job, params.pop("result", None))
        page = keyset_page(rows, request, keys=("id",), **params)
        return Response(_counted(job) | page.answer(b.ItemSerializer(page.rows, many=True).data))


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
        """
        payload = body(b.BeginBulkJob, request)
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
        """Stops the job early: the remaining runs stay as they are; 409 `not_open` if it has ended."""
        body(Verb, request)
        job = service.stop(self.principal, bulk_id)
        return Response(_counted(job))


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


def begun(job: BulkJob) -> Response:
    """The answer to who began a bulk job: 202, the job and its first items."""
    rows = service.items_of(job).order_by("-id")[:FIRST]
    answer: dict[str, Any] = {
        "results": b.ItemSerializer(rows, many=True).data,
        "next": None,
        "previous": None,
    }
    return Response(_counted(job) | answer, status=202, headers={"Location": f"/api/v1/bulk-jobs/{job.pk}"})


def _counted(job: BulkJob) -> dict[str, Json]:
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

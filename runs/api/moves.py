"""The routes by which open runs go on with another version of their workflow: one, or all of a version."""

from dataclasses import asdict
from uuid import UUID

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.roles import RUNS_OPERATE, RUNS_READ
from engine.catalogue import Json
from lib.api.pagination import keyset_page
from lib.api.schema import page_schema
from lib.api.serializers import Verb, body, query
from runs.access import readable_bulk_jobs
from runs.api import move_serializers as m
from runs.api.base import RunsApiView
from runs.api.serializers import RunSerializer
from runs.bulk_jobs import jobs
from runs.commands import migration
from runs.kernel.graphs import shown
from runs.models import BulkJob
from workflows.queries import get_version

FIRST = 50
"""So many results are told with a job that was just made."""


_RUN_OR_CHECKED = PolymorphicProxySerializer(
    component_name="MigratedRun",
    serializers=[RunSerializer, m.CheckedSerializer],
    resource_type_field_name=None,
)


class RunMigrateView(RunsApiView):
    """Moving a run to another version."""

    scopes = {"POST": RUNS_OPERATE}

    @extend_schema(request=m.MigrateRun, responses=_RUN_OR_CHECKED)
    def post(self, request: Request, run_id: UUID) -> Response:
        """Has an open run go on with another version: 200 the run; 409 `does_not_fit` names the step and `problems`.

        What was done stays, what is in hand goes on, timers keep their times; everything else follows the version. With
        `dry_run` nothing is changed: 200 `{ok, problems, begins}`.
        """
        given, run = body(m.MigrateRun, request), self.find_run(run_id)
        version = get_version(run.tenant_id, shown(run.version_id).workflow, given["version"]).pk
        if given["dry_run"]:
            checked = migration.check_run(run.tenant_id, str(run.id), version)
            problems = [asdict(one) for one in checked.problems]
            return Response({"ok": checked.ok, "problems": problems, "begins": list(checked.begins)})
        terms = {"by": self.principal.username, "reason": given.get("reason", "")}
        migration.migrate_run(run.tenant_id, str(run.id), version, **terms)
        return Response(self.shown(run_id))


class WorkflowMigrateView(RunsApiView):
    """Moving the open runs of a version."""

    scopes = {"POST": RUNS_OPERATE}

    @extend_schema(request=m.MigrateRuns, responses={202: m.BulkJobSerializer})
    def post(self, request: Request, name: str) -> Response:
        """Has all open runs of version `from` go on with `to`, each by itself, in the background: 202 a bulk job.

        With `dry_run` the job only finds out what would become of each.
        """
        given = body(m.MigrateRuns, request)
        terms = {"dry_run": given["dry_run"], "reason": given.get("reason", "")}
        job = jobs.begin(self.principal, name, given["from"], given["to"], **terms)
        rows = jobs.items_of(job).order_by("-id")[:FIRST]
        answer: dict[str, Json] = {"results": m.ItemSerializer(rows, many=True).data}
        answer |= {"next": None, "previous": None}
        location = f"/api/v1/bulk-jobs/{job.pk}"
        return Response(_counted(job) | answer, status=202, headers={"Location": location})


class BulkJobView(RunsApiView):
    """A bulk job."""

    scopes = {"GET": RUNS_READ}

    @extend_schema(parameters=[m.ItemQuery], responses=m.BulkJobSerializer)
    def get(self, request: Request, bulk_id: UUID) -> Response:
        """How far the job is, and a page of what became of each run; with `result` only of those."""
        given = query(m.ItemQuery, request)
        job = jobs.get_job(self.principal.tenant_id, bulk_id)
        rows = jobs.items_of(job, given.pop("result", None))
        page = keyset_page(rows, request, keys=("id",), **given)
        return Response(_counted(job) | page.answer(m.ItemSerializer(page.rows, many=True).data))


class BulkJobsView(RunsApiView):
    """The bulk jobs."""

    scopes = {"GET": RUNS_READ}

    @extend_schema(parameters=[m.BulkJobsQuery], responses=page_schema(m.BulkJobRow))
    def get(self, request: Request) -> Response:
        """A page of the bulk jobs, the newest first, without their counts; with `workflow` those of one."""
        given = query(m.BulkJobsQuery, request)
        rows = readable_bulk_jobs(
            jobs.jobs_of(self.principal.tenant_id, given.pop("workflow", None)), self.principal
        )
        page = keyset_page(rows, request, keys=("id",), **given)
        return Response(page.answer([_row(job) for job in page.rows]))


class BulkJobCancelView(RunsApiView):
    """Stopping a bulk job."""

    scopes = {"POST": RUNS_OPERATE}

    @extend_schema(request=Verb, responses=m.CountedBulkJob)
    def post(self, request: Request, bulk_id: UUID) -> Response:
        """Ends the job before its time: runs that are left stay as they are; 409 `not_open` if it is over."""
        body(Verb, request)
        job = jobs.stop(self.principal, bulk_id)
        return Response(_counted(job))


def _counted(job: BulkJob) -> dict[str, Json]:
    return _row(job) | dict(jobs.counts_of(job))


def _row(job: BulkJob) -> dict[str, Json]:
    return {
        "id": job.pk,
        "workflow": job.workflow.name,
        "from": job.from_version.number,
        "to": job.to_version.number,
        "dry_run": job.dry_run,
        "reason": job.reason,
        "created_by": job.created_by,
        "created_at": job.created_at,
        "finished_at": job.finished_at,
        "stopped_by": job.stopped_by,
        "total": job.total,
    }

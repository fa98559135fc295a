"""The routes of bulk jobs of tasks: what is done to all tasks that a search of the inbox finds, in the background."""

from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.roles import TASKS_DECIDE
from lib.api.serializers import Verb, body
from operations.bulk import serializers as b
from operations.bulk import service
from operations.bulk.api import begun, counted, shown
from operations.bulk.tasks import begin_tasks
from runs.api.base import RunsApiView
from tasks_inbox.actions.bulk import BulkCommand

PATH = "tasks/bulk-jobs"


class TaskBulkJobsView(RunsApiView):
    """Bulk jobs of tasks."""

    scopes = {"POST": TASKS_DECIDE}

    @extend_schema(request=b.BeginTaskJob, responses={202: b.BulkJobSerializer})
    def post(self, request: Request) -> Response:
        """Does `verb` to all tasks that `query` finds in a `view` of yours, each by itself: 202 a bulk
        job. With `dry_run` the job only finds out what would happen to each.

        `decide` begins with `dry_run`; going on with that job decides what it has shown.
        """
        payload = body(b.BeginTaskJob, request)
        names = ("assignee", "until", "outcome", "comment", "reason")
        command = BulkCommand(payload["verb"], **{name: payload[name] for name in names if name in payload})
        terms = {"view": payload["view"], "dry_run": payload["dry_run"]}
        return begun(begin_tasks(self.principal, command, payload["query"], **terms), PATH)


class TaskBulkJobView(RunsApiView):
    """A bulk job of tasks that you may read."""

    scopes = {"GET": TASKS_DECIDE}

    @extend_schema(parameters=[b.ItemQuery], responses=b.BulkJobSerializer)
    def get(self, request: Request, bulk_id: UUID) -> Response:
        """The progress of the job, and a page of the results of its tasks; with `result` only those."""
        return shown(request, service.read_job(self.principal, TASKS_DECIDE, bulk_id))


class TaskBulkJobGoView(RunsApiView):
    """Going on with a dry run."""

    scopes = {"POST": TASKS_DECIDE}

    @extend_schema(request=Verb, responses={202: b.BulkJobSerializer})
    def post(self, request: Request, bulk_id: UUID) -> Response:
        """Does what a finished dry run has found possible: 202 another bulk job. A task that was changed since is
        refused.
        """
        reason = body(Verb, request).get("reason", "")
        return begun(service.go(self.principal, bulk_id, reason=reason), PATH)


class TaskBulkJobCancelView(RunsApiView):
    """Stopping a bulk job of tasks."""

    scopes = {"POST": TASKS_DECIDE}

    @extend_schema(request=Verb, responses=b.CountedBulkJob)
    def post(self, request: Request, bulk_id: UUID) -> Response:
        """Stops the job early: the remaining tasks stay as they are; 409 `not_open` if it has ended."""
        body(Verb, request)
        return Response(counted(service.stop(self.principal, bulk_id)))

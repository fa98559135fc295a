"""The routes: each translates, and calls what the route of `/api/v1/` calls."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from drf_spectacular.utils import OpenApiResponse, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.authentication import BearerAuthentication
from accounts.roles import JOBS_WORK, RUNS_READ, RUNS_SIGNAL, RUNS_START
from integrations.orchestration import ids, words
from integrations.orchestration import serializers as s
from lib.api.serializers import Parsed, body
from lib.refusals import Invalid, Missing
from lib.trace_context import of_headers
from runs.api import polls
from runs.api.base import RunsApiView
from runs.api.starts import start_one
from runs.commands import job_reports, jobs
from runs.commands.job_leases import UnknownJob
from runs.commands.job_reports import Answer
from runs.commands.signals import NewSignal, send_signal
from runs.models import StartedFrom
from runs.reading import queries


class WorkflowExecutionsView(RunsApiView):
    """Executions of workflows."""

    scopes = {"POST": RUNS_START}

    @extend_schema(
        request=s.StartWorkflow,
        responses={200: s.StartedWorkflowSerializer, 201: s.StartedWorkflowSerializer},
    )
    def post(self, request: Request) -> Response:
        """Starts an execution: 201; the same `businessKey` again: 200 and the existing one (R-150).

        If you may start but not read the workflow, only the id is returned.
        """
        payload = body(s.StartWorkflow, request)
        if payload.get("tenantId", self.principal.tenant_slug) != self.principal.tenant_slug:
            raise Missing("There is no such tenant.", field="tenantId")
        start = {"workflow": payload["workflowType"], "input": payload["input"], "if_exists": "return"}
        if "businessKey" in payload:
            start["business_key"] = payload["businessKey"]
        trace = of_headers(request.headers)
        run, created = start_one(self.principal, start, StartedFrom.ORCHESTRATION, trace)
        headers = {"Location": f"/v1/workflows/{ids.shown_run(run['id'])}"}
        return Response(_started(run, created), status=201 if created else 200, headers=headers)


class WorkflowExecutionView(RunsApiView):
    """One execution."""

    scopes = {"GET": RUNS_READ}

    @extend_schema(responses=s.WorkflowExecutionSerializer)
    def get(self, request: Request, run_id: UUID) -> Response:
        """The state of the execution, and the outputs of its steps; payloads over 256 KiB are left out."""
        run = self.shown(run_id)
        changed_at = queries.changed_at(self.principal.tenant_id, run_id)
        return Response(words.execution(run, self.principal.tenant_slug, changed_at))


class WorkflowExecutionSignalsView(RunsApiView):
    """Signals to an execution."""

    scopes = {"POST": RUNS_SIGNAL}

    @extend_schema(request=s.SignalWorkflow, responses=s.SignalledWorkflowSerializer)
    def post(self, request: Request, run_id: UUID) -> Response:
        """Sends a signal (R-125); the same `signalId` again is dropped, a new one after the end is a 409.

        `signalProcessed` is false while no step has it: the signal is kept.
        """
        run = self.find_run(run_id).id
        payload = body(s.SignalWorkflow, request)
        signal = NewSignal(payload["signalId"], payload["signalName"], payload.get("payload"))
        sent = send_signal(self.principal.tenant_id, str(run), signal, by=self.principal.username)
        row = {"workflowId": ids.shown_run(run), "signalProcessed": not sent.is_kept}
        return Response(row if sent.is_new else row | {"duplicate": True})


class _ActivityView(RunsApiView):
    authentication_classes = (BearerAuthentication,)
    scopes = {"POST": JOBS_WORK}

    def held(self, payload: Parsed) -> dict[str, Any]:
        """The job and the lease that a task's id names, as `job_reports` takes them. Raises UnknownJob."""
        task = ids.task_named(payload["taskId"])
        if task is None:
            raise UnknownJob
        job, lease_token = task
        return {
            "tenant": self.principal.tenant_id,
            "job": str(job),
            "lease_token": lease_token,
            "reach": self.principal.jobs,
        }


class ActivityPollView(_ActivityView):
    """Polling."""

    takes_idempotency_key = False

    @extend_schema(
        request=s.PollActivity,
        responses={200: s.ActivityTaskSerializer, 204: OpenApiResponse(description="There is none.")},
    )
    def post(self, request: Request) -> Response:
        """Leases one task of the queue; 204 at once if there is none (R-151): poll again after a pause."""
        tenant, reach = self.principal.tenant_id, self.principal.jobs
        polls.let_in(tenant)
        payload = body(s.PollActivity, request)
        worker, queue = payload["workerId"], payload["taskQueue"]
        if queue in jobs.RESERVED_QUEUES:
            message = f"{queue} is a queue of Handoff's own workers."
            raise Invalid(message, code="reserved_queue", field="taskQueue")
        reach.require([queue], "taskQueue")
        claimed = jobs.poll(tenant=tenant, worker=worker, queues=[queue], max_jobs=1, reach=reach)
        return Response(_task(claimed[0])) if claimed else Response(status=204)


class ActivityCompleteView(_ActivityView):
    """Completing."""

    @extend_schema(request=s.CompleteActivity, responses=s.ActivityAnswerSerializer)
    def post(self, request: Request) -> Response:
        """The task is done; after its lease has ended, it still counts unless another worker got the step."""
        payload = body(s.CompleteActivity, request)
        done = job_reports.complete(**self.held(payload), output=payload.get("result"), variables={})
        return _answer(payload, done)


class ActivityFailView(_ActivityView):
    """Failing."""

    @extend_schema(request=s.FailActivity, responses=s.ActivityAnswerSerializer)
    def post(self, request: Request) -> Response:
        """The attempt failed; a `retryable` one is retried while there are attempts left."""
        payload = body(s.FailActivity, request)
        failed = job_reports.fail(
            **self.held(payload),
            code=payload["errorCode"],
            message=payload["errorMessage"],
            retryable=payload["retryable"],
        )
        return _answer(payload, failed)


class ActivityHeartbeatView(_ActivityView):
    """Heartbeats."""

    @extend_schema(request=s.HeartbeatActivity, responses=s.ActivityAnswerSerializer)
    def post(self, request: Request) -> Response:
        """Renews the lease; says until when, and whether the task is still needed."""
        payload = body(s.HeartbeatActivity, request)
        beat = job_reports.heartbeat(**self.held(payload), progress=payload.get("progress"))
        return _answer(payload, beat, cancelRequested=beat.cancel_requested)


def _started(run: Mapping[str, Any], created: bool) -> dict[str, Any]:
    row: dict[str, Any] = {"workflowId": ids.shown_run(run["id"])}
    if "status" in run:
        # What was just made has started, whatever a worker has done with it since.
        standing = {"status": "RUNNING", "currentState": words.STARTED} if created else words.standing(run)
        row |= standing | {"createdAt": run["created_at"]}
    if run.get("input_mismatch"):
        row["inputMismatch"] = True
    return row


def _task(job: jobs.Job) -> dict[str, Any]:
    return {
        "taskId": ids.shown_task(job.step.id, job.lease_token),
        "workflowId": ids.shown_run(job.step.run_id),
        "workflowType": job.workflow,
        "activityType": job.activity,
        "taskQueue": job.queue,
        "input": job.params or job.step.input,
        "attempt": job.step.attempt,
        "attemptLimit": job.max_attempts,
        "leaseDurationSeconds": job.step.lease_seconds,
        "idempotencyKey": job.idempotency_key,
    }


def _answer(payload: Parsed, answer: Answer, **always: bool) -> Response:
    fields = {
        "reason": answer.reason,
        "duplicate": answer.duplicate or None,
        "leaseExpiresAt": answer.lease_expires_at,
    }
    details = {name: value for name, value in fields.items() if value is not None}
    return Response({"taskId": payload["taskId"], "applied": answer.applied, **details, **always})

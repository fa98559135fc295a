"""The routes of external workers. A session of a page opens none of them: workers have tokens."""

from functools import partial
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.authentication import BearerAuthentication
from accounts.roles import JOBS_WORK
from lib.api.serializers import body
from lib.refusals import Invalid
from lib.waiting import attempt_of
from runs.api import polls
from runs.api import serializers as s
from runs.api.base import RunsApiView
from runs.commands import jobs


class JobsApiView(RunsApiView):
    """A view for workers."""

    authentication_classes = (BearerAuthentication,)
    scopes = {"POST": JOBS_WORK}


class JobsPollView(JobsApiView):
    """Polling."""

    # Each poll leases what there is then; what an answer that was lost has leased comes back when the lease is over.
    takes_idempotency_key = False

    @extend_schema(request=s.PollJobs, responses=s.JobsSerializer)
    def post(self, request: Request) -> Response:
        """Leases up to `max_jobs` jobs of the queues; waits for the first one up to `wait_seconds`."""
        payload = body(s.PollJobs, request)
        _refuse_reserved(payload["queues"])
        tenant = self.principal.tenant_id
        claimed = jobs.poll(
            tenant=tenant, worker=payload["worker_id"], queues=payload["queues"], max_jobs=payload["max_jobs"]
        )
        attempt = attempt_of(request.META)
        attempt.undo = partial(jobs.take_back, claimed)
        attempt.topics, attempt.look = polls.topics(self.principal, payload["queues"]), polls.look
        attempt.wait_seconds = 0 if claimed else payload["wait_seconds"]
        return Response({"jobs": [_job_row(job) for job in claimed]})


def _refuse_reserved(queues: list[str]) -> None:
    for place_, queue in enumerate(queues):
        if queue in jobs.RESERVED_QUEUES:
            message = f"{queue} is a queue of Handoff's own workers."
            raise Invalid(message, code="reserved_queue", field=f"queues[{place_}]")


def _job_row(job: jobs.Job) -> dict[str, Any]:
    return {
        "id": job.step.id,
        "run_id": job.step.run_id,
        "workflow": job.workflow,
        "node": job.step.node,
        "type": job.type,
        "params": job.params,
        "input": job.step.input,
        "attempt": job.step.attempt,
        "max_attempts": job.max_attempts,
        "lease_token": job.lease_token,
        "lease_expires_at": job.lease_expires_at,
        "idempotency_key": job.idempotency_key,
    }


def _answer(answer: jobs.Answer, **always: Any) -> Response:
    """`applied`, and of the rest what there is to say."""
    fields = {
        "reason": answer.reason,
        "duplicate": answer.duplicate or None,
        "lease_expires_at": answer.lease_expires_at,
        "cut": answer.cut or None,
    }
    known_fields = {key: value for key, value in fields.items() if value is not None}
    return Response({"applied": answer.applied, **known_fields, **always})


class JobCompleteView(JobsApiView):
    """Completing."""

    @extend_schema(request=s.CompleteJob, responses=s.JobAnswerSerializer)
    def post(self, request: Request, job_id: UUID) -> Response:
        """The job is done; too late for its lease, it counts while nobody else was given the step."""
        payload = body(s.CompleteJob, request)
        return _answer(
            jobs.complete(
                tenant=self.principal.tenant_id,
                job=str(job_id),
                lease_token=payload["lease_token"],
                output=payload["output"],
                variables=payload.get("variables") or {},
            )
        )


class JobFailView(JobsApiView):
    """Failing."""

    @extend_schema(request=s.FailJob, responses=s.JobAnswerSerializer)
    def post(self, request: Request, job_id: UUID) -> Response:
        """The attempt failed; `retryable` ones are tried again as the node's retry policy says."""
        payload = body(s.FailJob, request)
        return _answer(
            jobs.fail(
                tenant=self.principal.tenant_id,
                job=str(job_id),
                lease_token=payload["lease_token"],
                code=payload["error"]["code"],
                message=payload["error"]["message"],
                details=payload["error"].get("details"),
                retryable=payload["retryable"],
            )
        )


class JobHeartbeatView(JobsApiView):
    """Heartbeats."""

    @extend_schema(request=s.Heartbeat, responses=s.JobAnswerSerializer)
    def post(self, request: Request, job_id: UUID) -> Response:
        """Renews the lease; says until when, and whether the run wants the job no more."""
        payload = body(s.Heartbeat, request)
        answer = jobs.heartbeat(
            tenant=self.principal.tenant_id,
            job=str(job_id),
            lease_token=payload["lease_token"],
            progress=payload.get("progress"),
        )
        return _answer(answer, cancel_requested=answer.cancel_requested)


class JobReleaseView(JobsApiView):
    """Giving back."""

    @extend_schema(request=s.JobVerb, responses=s.JobAnswerSerializer)
    def post(self, request: Request, job_id: UUID) -> Response:
        """Gives the job back unstarted; that costs it no attempt."""
        token = body(s.JobVerb, request)["lease_token"]
        return _answer(jobs.release(tenant=self.principal.tenant_id, job=str(job_id), lease_token=token))

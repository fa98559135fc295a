"""The routes of external workers. A session of a page opens none of them: workers have tokens."""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.authentication import BearerAuthentication
from accounts.roles import JOBS_WORK
from lib.api.serializers import Parsed, body
from lib.refusals import Invalid
from lib.waiting import attempt_of
from runs.api import job_serializers as s
from runs.api import polls
from runs.api.base import RunsApiView
from runs.commands import job_reports, jobs
from runs.commands.job_errors import Failure
from runs.commands.job_leases import StaleToken
from runs.commands.job_reports import Answer, Beat, Completion, Fault, Refused, Said
from runs.kernel.refused import RunRefused
from steps.attempt_log import LogLine


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
        attempt = attempt_of(request.META)
        if attempt.is_first:
            polls.let_in(self.principal.tenant_id)
        payload = body(s.PollJobs, request)
        _refuse_reserved(payload["queues"])
        _refuse_strange(payload.get("weights") or {}, payload["queues"])
        claimed = jobs.poll(
            tenant=self.principal.tenant_id,
            worker=payload["worker_id"],
            queues=payload["queues"],
            max_jobs=payload["max_jobs"],
            weights=payload.get("weights"),
            version=payload.get("version"),
            slots=payload.get("slots"),
        )
        attempt.undo = partial(jobs.take_back, claimed)
        attempt.topics, attempt.look = polls.topics(self.principal, payload["queues"]), polls.look
        attempt.wait_seconds = 0 if claimed else payload["wait_seconds"]
        return Response({"jobs": [_job_row(job) for job in claimed]})


def _refuse_reserved(queues: list[str]) -> None:
    for place_, queue in enumerate(queues):
        if queue in jobs.RESERVED_QUEUES:
            message = f"{queue} is a queue of Handoff's own workers."
            raise Invalid(message, code="reserved_queue", field=f"queues[{place_}]")


def _refuse_strange(weights: Iterable[str], queues: list[str]) -> None:
    for queue in weights:
        if queue not in queues:
            message = f"{queue[:128]} is none of the queues that are asked."
            raise Invalid(message, code="unknown_queue", field="weights")


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
        "retries_remaining": job.retries_remaining,
        "progress": job.progress,
        "lease_token": job.lease_token,
        "lease_expires_at": job.lease_expires_at,
        "idempotency_key": job.idempotency_key,
        "traceparent": job.step.told and job.step.told.parent,
        "tracestate": job.step.told and job.step.told.state,
    }


def _answer(answer: Answer, **always: Any) -> Response:
    return Response(_row(answer) | always)


def _row(answer: Answer) -> dict[str, Any]:
    """`applied`, and of the rest what there is to say."""
    fields = {
        "reason": answer.reason,
        "duplicate": answer.duplicate or None,
        "lease_expires_at": answer.lease_expires_at,
        "cut": answer.cut or None,
    }
    return {"applied": answer.applied, **{key: value for key, value in fields.items() if value is not None}}


def _results(items: Sequence[Parsed], said: Sequence[Said], always: Sequence[str] = ()) -> Response:
    """An answer for each item, in their order; `always`: what of an answer is told in any case."""
    rows = []
    for item, one in zip(items, said, strict=True):
        row = (
            _row(one) | {name: getattr(one, name) for name in always}
            if isinstance(one, Answer)
            else _refused(one)
        )
        rows.append({"id": str(item["id"]), **row})
    return Response({"results": rows})


def _lines(item: Parsed) -> list[LogLine]:
    """What a worker has said of a job."""
    return [
        LogLine(one["text"], one["level"], one.get("at"), one.get("seq")) for one in item.get("log") or ()
    ]


def _refused(error: Refused | Fault) -> dict[str, Any]:
    if isinstance(error, RunRefused):
        return {"applied": False, "reason": error.code, "message": error.message, "field": error.field}
    if isinstance(error, StaleToken):
        return {"applied": False, "reason": "stale_token", "message": str(error)}
    if isinstance(error, Fault):
        message = "The database could not do this one just now: say it again."
        return {"applied": False, "reason": "unavailable", "message": message}
    return {"applied": False, "reason": "not_found", "message": "There is no such job."}


class JobCompleteView(JobsApiView):
    """Completing."""

    @extend_schema(request=s.CompleteJob, responses=s.JobAnswerSerializer)
    def post(self, request: Request, job_id: UUID) -> Response:
        """The job is done; too late for its lease, it counts while nobody else was given the step."""
        payload = body(s.CompleteJob, request)
        return _answer(
            job_reports.complete(
                tenant=self.principal.tenant_id,
                job=str(job_id),
                lease_token=payload["lease_token"],
                output=payload["output"],
                variables=payload.get("variables") or {},
                log=_lines(payload),
            )
        )


class JobFailView(JobsApiView):
    """Failing."""

    @extend_schema(request=s.FailJob, responses=s.JobAnswerSerializer)
    def post(self, request: Request, job_id: UUID) -> Response:
        """The attempt failed; `retryable` ones are tried again as the node's retry policy says."""
        payload = body(s.FailJob, request)
        return _answer(
            job_reports.fail(
                tenant=self.principal.tenant_id,
                job=str(job_id),
                lease_token=payload["lease_token"],
                code=payload["error"]["code"],
                message=payload["error"]["message"],
                details=payload["error"].get("details"),
                stack=payload["error"].get("stack"),
                retryable=payload["retryable"],
                log=_lines(payload),
            )
        )


class JobHeartbeatView(JobsApiView):
    """Heartbeats."""

    @extend_schema(request=s.Heartbeat, responses=s.JobAnswerSerializer)
    def post(self, request: Request, job_id: UUID) -> Response:
        """Renews the lease; says until when, and whether the run wants the job no more."""
        payload = body(s.Heartbeat, request)
        answer = job_reports.heartbeat(
            tenant=self.principal.tenant_id,
            job=str(job_id),
            lease_token=payload["lease_token"],
            progress=payload.get("progress"),
            log=_lines(payload),
        )
        return _answer(answer, cancel_requested=answer.cancel_requested)


class JobReleaseView(JobsApiView):
    """Giving back."""

    @extend_schema(request=s.JobVerb, responses=s.JobAnswerSerializer)
    def post(self, request: Request, job_id: UUID) -> Response:
        """Gives the job back unstarted; that costs it no attempt."""
        token = body(s.JobVerb, request)["lease_token"]
        return _answer(
            job_reports.release(tenant=self.principal.tenant_id, job=str(job_id), lease_token=token)
        )


class JobsCompleteView(JobsApiView):
    """Completing many."""

    @extend_schema(request=s.CompleteJobs, responses=s.JobResultsSerializer)
    def post(self, request: Request) -> Response:
        """Up to 1,000 jobs are done, each by itself: what is refused of one, or comes too late, is said of that one."""
        items = body(s.CompleteJobs, request)["items"]
        done = [
            Completion(
                str(one["id"]), one["lease_token"], one["output"], one.get("variables") or {}, _lines(one)
            )
            for one in items
        ]
        return _results(items, job_reports.complete_all(self.principal.tenant_id, done))


class JobsFailView(JobsApiView):
    """Failing many."""

    @extend_schema(request=s.FailJobs, responses=s.JobResultsSerializer)
    def post(self, request: Request) -> Response:
        """Up to 1,000 attempts failed, each by itself."""
        items = body(s.FailJobs, request)["items"]
        failed = [
            Failure(
                str(one["id"]),
                one["lease_token"],
                one["error"]["code"],
                one["error"]["message"],
                one["retryable"],
                one["error"].get("details"),
                one["error"].get("stack"),
                _lines(one),
            )
            for one in items
        ]
        return _results(items, job_reports.fail_all(self.principal.tenant_id, failed))


class JobsHeartbeatView(JobsApiView):
    """Heartbeats of many."""

    @extend_schema(request=s.HeartbeatJobs, responses=s.JobResultsSerializer)
    def post(self, request: Request) -> Response:
        """Renews up to 1,000 leases; says of each until when, and whether its run wants the job no more."""
        items = body(s.HeartbeatJobs, request)["items"]
        beats = [Beat(str(one["id"]), one["lease_token"], one.get("progress"), _lines(one)) for one in items]
        return _results(
            items, job_reports.heartbeat_all(self.principal.tenant_id, beats), always=("cancel_requested",)
        )

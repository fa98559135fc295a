"""The routes of external workers. A session of a page opens none of them: workers have tokens."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.authentication import BearerAuthentication
from accounts.roles import JOBS_WORK
from lib.api.serializers import Parsed, body
from lib.waiting import attempt_of
from runs.api import job_calls as calls
from runs.api import job_serializers as s
from runs.api import polls
from runs.api.base import RunsApiView
from runs.commands import job_reports
from runs.commands.job_errors import Beat, Completion, Failure
from runs.commands.job_leases import StaleToken
from runs.commands.job_reports import Answer, Fault, Refused, Reply
from runs.kernel.refused import RunRefused


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
        return Response(calls.poll(self.principal, body(s.PollJobs, request), attempt))


class JobsClaimView(JobsApiView):
    """Claiming what a broker told of."""

    takes_idempotency_key = False

    @extend_schema(request=s.ClaimJobs, responses=s.ClaimedJobsSerializer)
    def post(self, request: Request) -> Response:
        """Leases jobs by the ids in their events, up to 100; says for each other one why it can't be leased."""
        polls.let_in(self.principal.tenant_id)
        return Response(calls.claim_told(self.principal, body(s.ClaimJobs, request)))


def _results(items: Sequence[Parsed], answers: Sequence[Reply], always: Sequence[str] = ()) -> Response:
    """An answer for each item, in their order; `always`: what of an answer is told in any case."""
    rows = []
    for item, one in zip(items, answers, strict=True):
        row = (
            calls.answer_row(one) | {name: getattr(one, name) for name in always}
            if isinstance(one, Answer)
            else _refused(one)
        )
        rows.append({"id": str(item["id"]), **row})
    return Response({"results": rows})


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
        """The job is done; after its lease has ended, it still counts unless another worker got the step."""
        return Response(calls.complete(self.principal, job_id, body(s.CompleteJob, request)))


class JobFailView(JobsApiView):
    """Failing."""

    @extend_schema(request=s.FailJob, responses=s.JobAnswerSerializer)
    def post(self, request: Request, job_id: UUID) -> Response:
        """The attempt failed; `retryable` ones are retried as the node's retry policy says."""
        return Response(calls.fail(self.principal, job_id, body(s.FailJob, request)))


class JobHeartbeatView(JobsApiView):
    """Heartbeats."""

    @extend_schema(request=s.Heartbeat, responses=s.JobAnswerSerializer)
    def post(self, request: Request, job_id: UUID) -> Response:
        """Renews the lease; says until when, and whether the run still needs the job."""
        return Response(calls.heartbeat(self.principal, job_id, body(s.Heartbeat, request)))


class JobReleaseView(JobsApiView):
    """Giving back."""

    @extend_schema(request=s.JobVerb, responses=s.JobAnswerSerializer)
    def post(self, request: Request, job_id: UUID) -> Response:
        """Gives the job back unstarted, which costs no attempt."""
        return Response(calls.release(self.principal, job_id, body(s.JobVerb, request)))


class JobsCompleteView(JobsApiView):
    """Completing many."""

    @extend_schema(request=s.CompleteJobs, responses=s.JobResultsSerializer)
    def post(self, request: Request) -> Response:
        """Completes up to 1,000 jobs, each by itself: a report that is refused or too late affects only its own job."""
        items = body(s.CompleteJobs, request)["items"]
        done = [
            Completion(
                str(one["id"]),
                one["lease_token"],
                one["output"],
                one.get("variables") or {},
                calls.lines(one),
                self.principal.jobs,
            )
            for one in items
        ]
        return _results(items, job_reports.complete_all(self.principal.tenant_id, done))


class JobsFailView(JobsApiView):
    """Failing many."""

    @extend_schema(request=s.FailJobs, responses=s.JobResultsSerializer)
    def post(self, request: Request) -> Response:
        """Reports up to 1,000 failed attempts, each by itself."""
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
                calls.lines(one),
                self.principal.jobs,
            )
            for one in items
        ]
        return _results(items, job_reports.fail_all(self.principal.tenant_id, failed))


class JobsHeartbeatView(JobsApiView):
    """Heartbeats of many."""

    @extend_schema(request=s.HeartbeatJobs, responses=s.JobResultsSerializer)
    def post(self, request: Request) -> Response:
        """Renews up to 1,000 leases; says for each until when, and whether its run still needs the job."""
        items = body(s.HeartbeatJobs, request)["items"]
        beats = [
            Beat(
                str(one["id"]),
                one["lease_token"],
                one.get("progress"),
                calls.lines(one),
                self.principal.jobs,
            )
            for one in items
        ]
        return _results(
            items, job_reports.heartbeat_all(self.principal.tenant_id, beats), always=("cancel_requested",)
        )

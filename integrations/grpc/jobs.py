"""`handoff.v1.Jobs`, but for its stream: each is what the route of the REST API does."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message

from integrations.grpc.calls import Do, NativeRequest
from integrations.grpc.contract import JOBS, message_class, methods
from integrations.grpc.fitting import fill_fitting
from integrations.grpc.rows import fill
from lib.api.serializers import Parsed, StrictSerializer, validated
from runs.api import job_calls, polls
from runs.api import job_serializers as s

_MISSING = "There is no such job."


def poll(request: NativeRequest) -> Message:
    """Jobs, as many as an answer holds, or none."""
    if request.attempt.is_first:
        polls.let_in(request.principal.tenant_id)
    message: Any = message_class(methods(JOBS)["PollJobs"].output_type.full_name)()
    fitting = partial(fill_fitting, message.jobs, fill=fill)
    job_calls.poll(request.principal, validated(s.PollJobs, request.payload), request.attempt, fitting)
    return message


def claim(request: NativeRequest) -> Mapping[str, Any]:
    """The job of which a broker told, or why it can't be had."""
    polls.let_in(request.principal.tenant_id)
    request.payload["ids"] = [request.payload.pop("job_id")] if "job_id" in request.payload else []
    return job_calls.claim_told(request.principal, _of(s.ClaimJobs, request))


def complete(request: NativeRequest) -> Mapping[str, Any]:
    """The job is done."""
    job = request.take_id("job_id", _MISSING)
    return job_calls.complete(request.principal, job, _of(s.CompleteJob, request))


def fail(request: NativeRequest) -> Mapping[str, Any]:
    """The attempt failed."""
    job = request.take_id("job_id", _MISSING)
    return job_calls.fail(request.principal, job, _of(s.FailJob, request))


def heartbeat(request: NativeRequest) -> Mapping[str, Any]:
    """The worker is still at it."""
    job = request.take_id("job_id", _MISSING)
    return job_calls.heartbeat(request.principal, job, _of(s.Heartbeat, request))


def release(request: NativeRequest) -> Mapping[str, Any]:
    """The job is given back unstarted."""
    job = request.take_id("job_id", _MISSING)
    return job_calls.release(request.principal, job, _of(s.JobVerb, request))


def _of(serializer: type[StrictSerializer], request: NativeRequest) -> Parsed:
    return validated(serializer, request.payload)


CALLS: Final[Mapping[str, Do]] = {
    "PollJobs": poll,
    "ClaimJob": claim,
    "CompleteJob": complete,
    "FailJob": fail,
    "HeartbeatJob": heartbeat,
    "ReleaseJob": release,
}
ENDS: Final = frozenset({"CompleteJob", "FailJob", "ReleaseJob"})
"""After these a worker has a job less in hand."""

JobIn = Callable[[bytes], str]


def job_in(method: MethodDescriptor) -> JobIn:
    """Reads which job a request of this method is about."""
    kind = message_class(method.input_type.full_name)

    def job(raw: bytes) -> str:
        return str(getattr(kind.FromString(raw), "job_id", "")).lower()

    return job

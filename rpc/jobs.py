"""`handoff.v1.Jobs`, but for its stream: each is what the route of the REST API does."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message

from lib.api.serializers import Parsed, StrictSerializer, validated
from rpc.calls import Asked, Do
from rpc.contract import JOBS, message_class, methods
from rpc.fitting import fill_fitting
from rpc.rows import fill
from runs.api import job_calls, polls
from runs.api import job_serializers as s

_MISSING = "There is no such job."


def poll(asked: Asked) -> Message:
    """Jobs, as many as an answer holds, or none."""
    if asked.attempt.is_first:
        polls.let_in(asked.principal.tenant_id)
    message: Any = message_class(methods(JOBS)["PollJobs"].output_type.full_name)()
    fitting = partial(fill_fitting, message.jobs, fill=fill)
    job_calls.poll(asked.principal, validated(s.PollJobs, asked.payload), asked.attempt, fitting)
    return message


def claim(asked: Asked) -> Mapping[str, Any]:
    """The job of which a broker told, or why it can't be had."""
    polls.let_in(asked.principal.tenant_id)
    asked.payload["ids"] = [asked.payload.pop("job_id")] if "job_id" in asked.payload else []
    return job_calls.claim_told(asked.principal, _of(s.ClaimJobs, asked))


def complete(asked: Asked) -> Mapping[str, Any]:
    """The job is done."""
    job = asked.taken("job_id", _MISSING)
    return job_calls.complete(asked.principal, job, _of(s.CompleteJob, asked))


def fail(asked: Asked) -> Mapping[str, Any]:
    """The attempt failed."""
    job = asked.taken("job_id", _MISSING)
    return job_calls.fail(asked.principal, job, _of(s.FailJob, asked))


def heartbeat(asked: Asked) -> Mapping[str, Any]:
    """The worker is still at it."""
    job = asked.taken("job_id", _MISSING)
    return job_calls.heartbeat(asked.principal, job, _of(s.Heartbeat, asked))


def release(asked: Asked) -> Mapping[str, Any]:
    """The job is given back unstarted."""
    job = asked.taken("job_id", _MISSING)
    return job_calls.release(asked.principal, job, _of(s.JobVerb, asked))


def _of(serializer: type[StrictSerializer], asked: Asked) -> Parsed:
    return validated(serializer, asked.payload)


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

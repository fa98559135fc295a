"""Jobs of rochallor's workers. They show no lease token, send no heartbeat and take no answer but 2xx: the id of a job
names the attempt with its lease, and whatever is said of one that was handed out is heard (R-044, R-155).
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

from django.conf import settings

from accounts.principal import Principal
from accounts.roles import JOBS_WORK
from engine.catalogue import Json
from engine.dialects.rochallor import WORKER_FAILED
from integrations.rochallor.errors import (
    BAD_REQUEST,
    NOT_FOUND,
    POLL_DISABLED,
    RochallorError,
    in_rochallor_words,
)
from integrations.rochallor.limits import JOB_TYPE_CHARACTERS, POLLED_JOBS, POLLED_TYPES, WORKER_CHARACTERS
from integrations.rochallor.naming import names_of
from integrations.rochallor.values import Job
from lib.uuid7 import moment_of
from lib.waiting import Attempt
from runs.api import polls
from runs.commands import job_events, job_reports, jobs
from runs.commands.job_leases import OutOfReach, StaleToken, UnknownJob, was_leased
from runs.kernel.refused import RunRefused

DEFAULT_JOBS = 10
_BETWEEN = job_events.BETWEEN
_NAMELESS = "a consumer"
KAFKA_MODE = "kafka_outbox"


@in_rochallor_words
def poll_jobs(
    principal: Principal,
    worker_id: str,
    job_types: Sequence[str],
    max_jobs: int = DEFAULT_JOBS,
    attempt: Attempt | None = None,
    fitting: Callable[[list[Job]], int] = len,
) -> list[Job]:
    """Lease jobs of these types, at most `max_jobs` and `POLLED_JOBS`; none at once where there is none.

    `attempt` learns how to undo it. `fitting` says how many of the jobs the answer has room for; the others go back.

    Raises RochallorError: bad-request, too-many-requests, and poll path disabled where Kafka tells of jobs.
    """
    principal.require(JOBS_WORK)
    if settings.HANDOFF_DISPATCH_MODE == KAFKA_MODE:
        raise RochallorError(
            POLL_DISABLED, f"jobs are told by Kafka ({KAFKA_MODE}): consume workflow.jobs.<jobType>"
        )
    polls.let_in(principal.tenant_id)
    _check(worker_id, job_types)
    principal.jobs.require(job_types, "jobTypes[{}]")
    claimed = jobs.poll(
        tenant=principal.tenant_id,
        worker=worker_id,
        queues=list(dict.fromkeys(job_types)),
        max_jobs=min(max_jobs if max_jobs > 0 else DEFAULT_JOBS, POLLED_JOBS),
        reach=principal.jobs,
    )
    if settings.HANDOFF_V1_LEASE_SECONDS:
        claimed = jobs.with_leases(claimed, settings.HANDOFF_V1_LEASE_SECONDS)
    return jobs.told_fitting(claimed, partial(_job, worker_id), fitting, attempt or Attempt())


def _check(worker_id: str, job_types: Sequence[str]) -> None:
    """Raises RochallorError."""
    if not worker_id or len(worker_id) > WORKER_CHARACTERS:
        raise RochallorError(
            BAD_REQUEST, f"workerId is required, and has at most {WORKER_CHARACTERS} characters"
        )
    if not job_types or len(job_types) > POLLED_TYPES:
        raise RochallorError(BAD_REQUEST, f"jobTypes must not be empty, and has at most {POLLED_TYPES}")
    for name in job_types:
        if not name or len(name) > JOB_TYPE_CHARACTERS:
            raise RochallorError(BAD_REQUEST, f"a job type has 1 to {JOB_TYPE_CHARACTERS} characters")
        if name in jobs.RESERVED_QUEUES:
            raise RochallorError(BAD_REQUEST, f"{name} is a queue of Handoff's own workers, and no job type")


def _job(worker_id: str, leased: jobs.Job) -> Job:
    step = leased.step
    expires = datetime.fromisoformat(leased.lease_expires_at)
    return Job(
        id=f"{step.id}{_BETWEEN}{leased.lease_token}",
        instance_id=step.run_id,
        step_execution_id=step.id,
        step_id=names_of(step.version_id).step_of.get(step.node, step.node),
        job_type=leased.queue,
        worker_id=worker_id,
        locked_at=expires - timedelta(seconds=step.lease_seconds),
        lock_expires_at=expires,
        retries_remaining=leased.retries_remaining,
        variables=step.input,
        created_at=moment_of(UUID(step.id)),
    )


@in_rochallor_words
def complete_job(
    principal: Principal, job_id: str, worker_id: str = "", variables: Mapping[str, Json] | None = None
) -> None:
    """The job is done, and sets these variables. Of an attempt that isn't the last one, or of an instance that has
    ended, nothing changes, and nobody is refused for that.

    What can't be kept, as it is too large, fails the job for good. Raises RochallorError: not-found for an id that no
    poll gave.
    """
    principal.require(JOBS_WORK)
    step, token = _received(principal, job_id, worker_id)
    try:
        answer = job_reports.complete(
            tenant=principal.tenant_id,
            job=step,
            lease_token=token,
            output=dict(variables or {}),
            reach=principal.jobs,
            counts_late=True,
        )
        if not answer.applied:
            _refuse_strange(step, token)
    except OutOfReach:
        raise
    except (StaleToken, UnknownJob):
        _refuse_strange(step, token)
    except RunRefused as refusal:
        _fail(principal, step, token, refusal.code, refusal.message, retryable=False)


@in_rochallor_words
def refuse_result(principal: Principal, job_id: str, why: str) -> None:
    """What a worker gave as the result of a job can't be read: the job fails for good, as one whose result can't be
    kept. Otherwise as `complete_job`.
    """
    principal.require(JOBS_WORK)
    step, token = _received(principal, job_id)
    _fail(
        principal, step, token, WORKER_FAILED, f"the result of the job can't be read: {why}", retryable=False
    )


@in_rochallor_words
def fail_job(
    principal: Principal,
    job_id: str,
    worker_id: str = "",
    error_message: str = "",
    *,
    retryable: bool = False,
) -> None:
    """The attempt failed; a retryable one is followed by another while there are retries left. Otherwise as
    `complete_job`.
    """
    principal.require(JOBS_WORK)
    step, token = _received(principal, job_id, worker_id)
    message = error_message or "the worker gave no reason"
    _fail(principal, step, token, WORKER_FAILED, message, retryable=retryable)


def _fail(principal: Principal, step: str, token: str, code: str, message: str, *, retryable: bool) -> None:
    try:
        answer = job_reports.fail(
            tenant=principal.tenant_id,
            job=step,
            lease_token=token,
            code=code,
            message=message,
            retryable=retryable,
            reach=principal.jobs,
        )
        if not answer.applied:
            _refuse_strange(step, token)
    except OutOfReach:
        raise
    except UnknownJob:
        _refuse_strange(step, token)


def _received(principal: Principal, job_id: str, worker_id: str = "") -> tuple[str, str]:
    """As `_named`; whoever speaks of a job that a broker told them of has it from now on. Raises RochallorError."""
    step, token = _named(job_id)
    if job_events.is_told(token):
        name = worker_id[:WORKER_CHARACTERS] if worker_id.isprintable() else ""
        job_events.take(principal.tenant_id, name or _NAMELESS, step, token, principal.jobs)
    return step, token


def _named(job_id: str) -> tuple[str, str]:
    """The step and the lease token that the id of a job holds. Raises RochallorError."""
    step, _, token = job_id.partition(_BETWEEN)
    try:
        step_id = UUID(step)
    except ValueError:
        step_id = None
    if step_id is None or str(step_id) != step or not token or not token.isascii():
        raise RochallorError(NOT_FOUND, "job not found")
    return step, token


def _refuse_strange(step: str, token: str) -> None:
    """Let pass what was handed out once, whatever has become of it; it can be nobody else's. Raises RochallorError."""
    if not was_leased(step, token):
        raise RochallorError(NOT_FOUND, "job not found")

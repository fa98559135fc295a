"""What workers ask of one job or of queues, at whichever door: their words as a serializer took them, rows out."""

from collections.abc import Callable, Iterable
from typing import Any
from uuid import UUID

from accounts.limits import QUEUE_CHARACTERS
from accounts.principal import Principal
from lib.api.serializers import Parsed
from lib.refusals import Invalid
from lib.waiting import Attempt
from runs.api import polls
from runs.commands import job_events, job_reports, jobs
from runs.commands.job_reports import Answer
from steps.attempt_log import LogLine

Row = dict[str, Any]


def claim(principal: Principal, payload: Parsed, max_jobs: int) -> list[jobs.Job]:
    """Lease up to so many jobs of the queues. Raises as `require_queues` does."""
    require_queues(principal, payload)
    return jobs.poll(
        tenant=principal.tenant_id,
        worker=payload["worker_id"],
        queues=payload["queues"],
        max_jobs=max_jobs,
        weights=payload.get("weights"),
        version=payload.get("version"),
        slots=payload.get("slots"),
        reach=principal.jobs,
    )


def require_queues(principal: Principal, payload: Parsed) -> None:
    """Raises Invalid for queues that are not for workers, and for weights of others; Forbidden for queues that are not
    for this one.
    """
    principal.jobs.require(payload["queues"])
    _refuse_reserved(payload["queues"])
    _refuse_strange(payload.get("weights") or {}, payload["queues"])


def poll(
    principal: Principal, payload: Parsed, attempt: Attempt, fitting: Callable[[list[Row]], int] = len
) -> Row:
    """The jobs that are leased now; `attempt` learns what to wait for where there are none, and how to undo it.

    `fitting` says how many of the rows the answer has room for; the others' jobs go back to their queues.
    """
    claimed = claim(principal, payload, payload["max_jobs"])
    rows = jobs.told_fitting(claimed, job_row, fitting, attempt)
    attempt.caller = principal.token or principal.username
    attempt.topics = polls.topics(principal, payload["queues"])
    attempt.wait_seconds = 0 if claimed else payload["wait_seconds"]
    return {"jobs": rows}


def claim_told(principal: Principal, payload: Parsed) -> Row:
    """The jobs of which a consumer was told that are leased to it now, and why the others are not."""
    queues = payload.get("queues") or []
    _refuse_reserved(queues)
    claimed, refused = job_events.claim(
        principal.tenant_id,
        payload["worker_id"],
        payload["ids"],
        queues=queues,
        version=payload.get("version"),
        slots=payload.get("slots"),
        reach=principal.jobs,
    )
    return {
        "jobs": [job_row(job) for job in claimed],
        "refused": [{"id": job, "reason": why} for job, why in refused.items()],
    }


def complete(principal: Principal, job_id: UUID, payload: Parsed) -> Row:
    """The job is done."""
    answer = job_reports.complete(
        tenant=principal.tenant_id,
        job=str(job_id),
        lease_token=payload["lease_token"],
        output=payload["output"],
        variables=payload.get("variables") or {},
        log=lines(payload),
        reach=principal.jobs,
    )
    return answer_row(answer)


def fail(principal: Principal, job_id: UUID, payload: Parsed) -> Row:
    """The attempt failed."""
    answer = job_reports.fail(
        tenant=principal.tenant_id,
        job=str(job_id),
        lease_token=payload["lease_token"],
        code=payload["error"]["code"],
        message=payload["error"]["message"],
        details=payload["error"].get("details"),
        stack=payload["error"].get("stack"),
        retryable=payload["retryable"],
        log=lines(payload),
        reach=principal.jobs,
    )
    return answer_row(answer)


def heartbeat(principal: Principal, job_id: UUID, payload: Parsed) -> Row:
    """The worker is still at it; says until when, and whether the run wants the job no more."""
    answer = job_reports.heartbeat(
        tenant=principal.tenant_id,
        job=str(job_id),
        lease_token=payload["lease_token"],
        progress=payload.get("progress"),
        log=lines(payload),
        reach=principal.jobs,
    )
    return answer_row(answer) | {"cancel_requested": answer.cancel_requested}


def release(principal: Principal, job_id: UUID, payload: Parsed) -> Row:
    """The job is given back unstarted."""
    answer = job_reports.release(
        tenant=principal.tenant_id,
        job=str(job_id),
        lease_token=payload["lease_token"],
        reach=principal.jobs,
    )
    return answer_row(answer)


def job_row(job: jobs.Job) -> Row:
    """A job as its worker is told of it."""
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
        "approval": job.approval,
        "files": list(job.files),
        "traceparent": job.step.told and job.step.told.parent,
        "tracestate": job.step.told and job.step.told.state,
    }


def answer_row(answer: Answer) -> Row:
    """`applied`, and of the rest what there is to say."""
    fields = {
        "reason": answer.reason,
        "duplicate": answer.duplicate or None,
        "lease_expires_at": answer.lease_expires_at,
        "cut": answer.cut or None,
    }
    return {"applied": answer.applied, **{key: value for key, value in fields.items() if value is not None}}


def lines(item: Parsed) -> list[LogLine]:
    """What a worker has said of a job."""
    return [
        LogLine(one["text"], one["level"], one.get("at"), one.get("seq")) for one in item.get("log") or ()
    ]


def _refuse_reserved(queues: list[str]) -> None:
    for place_, queue in enumerate(queues):
        if queue in jobs.RESERVED_QUEUES:
            message = f"{queue} is a queue of Handoff's own workers."
            raise Invalid(message, code="reserved_queue", field=f"queues[{place_}]")


def _refuse_strange(weights: Iterable[str], queues: list[str]) -> None:
    for queue in weights:
        if queue not in queues:
            message = f"{queue[:QUEUE_CHARACTERS]} is none of the queues that are asked."
            raise Invalid(message, code="unknown_queue", field="weights")

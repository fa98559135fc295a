"""What workers say of jobs, and how much of an error is kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from accounts.principal import EVERY_JOB, JobReach
from engine.catalogue import Json
from lib.strict_json import BadJson, strict_dumps
from runs.limits import (
    JOB_ERROR_CODE_CHARACTERS,
    JOB_ERROR_MESSAGE_CHARACTERS,
    JOB_ERROR_STACK_CHARACTERS,
    JOB_PROGRESS_BYTES,
    STEP_ERROR_BYTES,
)
from steps.attempt_log import LogLine


@dataclass(frozen=True, slots=True)
class Completion:
    """A job is done, and sets these variables of its run (R-064). `reach`: the jobs that its worker's token is for.

    `counts_late`: it counts for an attempt whose lease was lost, too, although somebody else has the step by now.
    """

    job: str
    lease_token: str
    output: Json
    variables: Mapping[str, Json] = field(default_factory=dict)
    log: Sequence[LogLine] = ()
    reach: JobReach = EVERY_JOB
    counts_late: bool = False


@dataclass(frozen=True, slots=True)
class Beat:
    """A worker is still at a job; `log`: what it has said, `reach`: the jobs that its token is for."""

    job: str
    lease_token: str
    progress: Json = None
    log: Sequence[LogLine] = ()
    reach: JobReach = EVERY_JOB


@dataclass(frozen=True, slots=True)
class Failure:
    """An attempt failed. `reach`: the jobs that its worker's token is for."""

    job: str
    lease_token: str
    code: str
    message: str
    retryable: bool = True
    details: Mapping[str, Json] | None = None
    stack: str | None = None
    log: Sequence[LogLine] = ()
    reach: JobReach = EVERY_JOB


def too_much(progress: Json) -> bool:
    """Whether this is more than is kept of how far a worker is."""
    try:
        strict_dumps(progress, max_bytes=JOB_PROGRESS_BYTES)
    except BadJson:
        return True
    return False


def _middle_out(stack: str) -> str:
    """Some languages tell first what happened last, others at the end: both are kept."""
    if len(stack) <= JOB_ERROR_STACK_CHARACTERS:
        return stack
    half = (JOB_ERROR_STACK_CHARACTERS - 100) // 2
    return f"{stack[:half]}\n… (cut: the stack had {len(stack):,} characters)\n{stack[-half:]}"


def fitting(failed: Failure) -> tuple[dict[str, Json], tuple[str, ...]]:
    """An error as it is kept, and the fields that were too long: an error that is refused would be lost."""
    code, message, details = failed.code, failed.message, failed.details
    error: dict[str, Json] = {"code": code[:JOB_ERROR_CODE_CHARACTERS], "message": message}
    cut = ["error.code"] if len(code) > JOB_ERROR_CODE_CHARACTERS else []
    if len(message) > JOB_ERROR_MESSAGE_CHARACTERS:
        note = f"… (cut: the message had {len(message):,} characters)"
        error["message"] = message[: JOB_ERROR_MESSAGE_CHARACTERS - len(note)] + note
        cut.append("error.message")
    if details:
        try:
            strict_dumps(details, max_bytes=STEP_ERROR_BYTES)
            error["details"] = details
        except BadJson:
            cut.append("error.details")
    if stack := failed.stack:
        error["stack"] = _middle_out(stack)
        cut += ["error.stack"] if len(stack) > JOB_ERROR_STACK_CHARACTERS else []
    if cut:
        error["cut"] = cut
    return error, tuple(cut)

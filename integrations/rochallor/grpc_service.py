"""`workflow.v1.WorkflowEngine` (R-157): the public engine's service, by the functions that its routes of REST call."""

import logging
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

import grpc
from google.protobuf.descriptor import MethodDescriptor

from accounts.principal import Principal
from accounts.roles import WORKFLOWS_PUBLISH, WORKFLOWS_WRITE
from integrations.grpc.calls import Call
from integrations.grpc.contract import WORKFLOW_ENGINE, message_class, methods
from integrations.grpc.fitting import fill_fitting
from integrations.grpc.problems import problem_of
from integrations.grpc.rows import parsed, stamp
from integrations.grpc.structs import fill_struct, object_of
from integrations.grpc.unary import Answering, Unary
from integrations.rochallor import errors, service
from integrations.rochallor.documents import document_of, enum_text, fill_all, fill_definition, set_enum
from integrations.rochallor.errors import RochallorError
from integrations.rochallor.values import Instance, Job, StepRecord, Uploaded
from lib.api.errors import Problem
from lib.refusals import Refusal
from lib.trace_context import of_headers
from lib.waiting import Attempt

log = logging.getLogger(__name__)

_STATUS_OF: Final[Mapping[str, int]] = {
    errors.BAD_REQUEST: 400,
    errors.UNAUTHENTICATED: 401,
    errors.FORBIDDEN: 403,
    errors.NOT_FOUND: 404,
    errors.CONFLICT: 409,
    errors.UNSUPPORTED_FORMAT: 400,
    errors.TOO_MANY_REQUESTS: 429,
    # As theirs: FAILED_PRECONDITION.
    errors.POLL_DISABLED: 409,
    errors.INTERNAL_ERROR: 500,
}
INSTANCE_STATUS, STEP_STATUS, STEP_TYPE = "INSTANCE_STATUS_", "STEP_EXECUTION_STATUS_", "STEP_TYPE_"
DEFAULT_JOBS = 1
SERVICE: Final = WORKFLOW_ENGINE
"""Where the gRPC server finds it (`integrations/grpc/services.py`)."""

# Who asks, what, the call, and the answer to be filled.
Do = Callable[[Principal, Any, Call, Any], None]


def handlers(unary: Unary) -> "dict[str, grpc.RpcMethodHandler[Any, Any]]":
    """The handlers of its methods, by name."""
    return {
        name: unary.handler(_answering(method, CALLS[name]), _problem)
        for name, method in methods(WORKFLOW_ENGINE).items()
    }


def _answering(method: MethodDescriptor, do: Do) -> Answering:
    takes, gives = message_class(method.input_type.full_name), message_class(method.output_type.full_name)

    def answer(call: Call, raw: bytes, attempt: Attempt) -> bytes:
        principal = service.caller(
            call.metadata.get("authorization", ""), call.address, is_local=call.is_local
        )
        if principal is None:
            raise RochallorError(errors.UNAUTHENTICATED, "Authentication credentials were not provided.")
        call.callers.append(principal)
        message = gives()
        do(principal, parsed(takes, raw), replace(call, attempt=attempt), message)
        return bytes(message.SerializeToString())

    return answer


def _problem(error: Exception) -> Problem:
    field = error.field if isinstance(error, Refusal) else None
    if isinstance(error, Refusal):
        error = errors.said(error)
    if not isinstance(error, RochallorError):
        return problem_of(error)
    headers = {} if error.retry_after is None else {"Retry-After": str(error.retry_after)}
    return Problem(_STATUS_OF[error.code], error.code, error.reason, field, headers=headers)


def _upload_definition(who: Principal, request: Any, call: Call, answer: Any) -> None:
    # Who may not upload has nothing read of what they send.
    who.require(WORKFLOWS_WRITE)
    who.require(WORKFLOWS_PUBLISH)
    one = service.upload_definition(who, document_of(request.definition, call.warnings))
    for warning in call.warnings:
        log.warning("The definition %s came over gRPC: %s", one.id, warning)
    answer.id, answer.version = one.id, one.version
    stamp(answer.uploaded_at, one.uploaded_at)


def _get_definition(who: Principal, request: Any, call: Call, answer: Any) -> None:
    one = service.get_definition(who, request.id, request.version)
    fill_definition(answer.definition, one.id, one.version, one.document)


def _list_definitions(who: Principal, request: Any, call: Call, answer: Any) -> None:
    page = service.list_definitions(who, request.keyword, request.page, request.page_size)
    fill_all(answer.definitions, page.items, _fill_uploaded)
    answer.total = page.total


def _start_instance(who: Principal, request: Any, call: Call, answer: Any) -> None:
    one = service.start_instance(
        who,
        request.definition_id,
        version=request.definition_version,
        variables=object_of(request.variables),
        business_key=request.business_key,
        trace=of_headers(call.metadata),
    )
    _fill_instance(answer.instance, one)


def _get_instance(who: Principal, request: Any, call: Call, answer: Any) -> None:
    _fill_instance(answer.instance, service.get_instance(who, request.id))


def _get_history(who: Principal, request: Any, call: Call, answer: Any) -> None:
    try:
        records = service.history(who, request.id)
    except RochallorError as error:
        # As over REST, for whoever may not know of it there is none either.
        if error.code != errors.NOT_FOUND:
            raise
        records = None
    fill_all(answer.executions, records or (), _fill_step)


def _cancel_instance(who: Principal, request: Any, call: Call, answer: Any) -> None:
    _fill_instance(answer.instance, service.cancel_instance(who, request.id, request.reason))


def _list_instances(who: Principal, request: Any, call: Call, answer: Any) -> None:
    status = enum_text(request, "status", INSTANCE_STATUS)
    if request.status and not status:
        raise RochallorError(errors.BAD_REQUEST, f"there is no status {request.status}")
    page = service.list_instances(
        who,
        definition_id=request.definition_id,
        status=status,
        business_key=request.business_key,
        page=request.page,
        page_size=request.page_size,
    )
    fill_all(answer.instances, page.items, _fill_instance)
    answer.total = page.total


def _poll_jobs(who: Principal, request: Any, call: Call, answer: Any) -> None:
    most = request.max_jobs if request.max_jobs > 0 else DEFAULT_JOBS
    fitting = partial(fill_fitting, answer.jobs, fill=_fill_job)
    service.poll_jobs(who, request.worker_id, list(request.job_types), most, call.attempt, fitting)


def _complete_job(who: Principal, request: Any, call: Call, answer: Any) -> None:
    service.complete_job(who, request.job_id, request.worker_id, object_of(request.variables_to_set))


def _fail_job(who: Principal, request: Any, call: Call, answer: Any) -> None:
    service.fail_job(
        who, request.job_id, request.worker_id, request.error_message, retryable=request.retryable
    )


def _complete_user_task(who: Principal, request: Any, call: Call, answer: Any) -> None:
    service.complete_user_task(
        who, request.instance_id, request.user_task_step_id, object_of(request.result), request.completed_by
    )


def _signal_wait(who: Principal, request: Any, call: Call, answer: Any) -> None:
    service.signal_wait(who, request.instance_id, request.wait_step_id, object_of(request.variables))


def _fill_uploaded(target: Any, one: Uploaded) -> None:
    target.id, target.version, target.name = one.id, one.version, one.name


def _fill_instance(target: Any, one: Instance) -> None:
    target.id, target.definition_id = one.id, one.definition_id
    target.definition_version = one.definition_version
    set_enum(target, "status", INSTANCE_STATUS, one.status)
    target.current_step_ids.extend(one.current_step_ids)
    fill_struct(target.variables, one.variables)
    stamp(target.started_at, one.started_at)
    if one.completed_at is not None:
        stamp(target.completed_at, one.completed_at)
    target.failure_reason = one.failure_reason or ""
    target.business_key = one.business_key or ""


def _fill_step(target: Any, one: StepRecord) -> None:
    target.id, target.instance_id, target.step_id = one.id, one.instance_id, one.step_id
    set_enum(target, "step_type", STEP_TYPE, one.step_type)
    set_enum(target, "status", STEP_STATUS, one.status)
    target.attempt_number = one.attempt_number
    stamp(target.started_at, one.started_at)
    if one.ended_at is not None:
        stamp(target.ended_at, one.ended_at)
    target.failure_reason = one.failure_reason or ""


def _fill_job(target: Any, one: Job) -> None:
    target.id, target.job_type, target.instance_id = one.id, one.job_type, one.instance_id
    target.step_id, target.step_execution_id = one.step_id, one.step_execution_id
    target.retries_remaining = one.retries_remaining
    # Theirs sends none, and every SDK reads them.
    fill_struct(target.variables, one.variables if isinstance(one.variables, Mapping) else None)
    stamp(target.lock_expires_at, one.lock_expires_at)


CALLS: Final[Mapping[str, Do]] = {
    "UploadDefinition": _upload_definition,
    "GetDefinition": _get_definition,
    "ListDefinitions": _list_definitions,
    "StartInstance": _start_instance,
    "GetInstance": _get_instance,
    "GetInstanceHistory": _get_history,
    "CancelInstance": _cancel_instance,
    "ListInstances": _list_instances,
    "PollJobs": _poll_jobs,
    "CompleteJob": _complete_job,
    "FailJob": _fail_job,
    "CompleteUserTask": _complete_user_task,
    "SignalWait": _signal_wait,
}

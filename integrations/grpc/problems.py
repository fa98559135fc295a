"""What is refused, as gRPC says it: a status, a sentence, and REST's envelope in the trailing metadata."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final, NoReturn, TypeVar

from grpc import StatusCode
from grpc.aio import ServicerContext

from accounts.audit import refusals
from accounts.audit.origin import GRPC, Origin, coming_from
from integrations.grpc.calls import REQUEST_ID, Call
from integrations.grpc.limits import ERROR_BYTES, ERROR_FIELD_CHARACTERS, ERROR_MESSAGE_CHARACTERS
from integrations.grpc.process_limits import limits
from lib import log_context
from lib.api.errors import Problem, describe
from lib.api.renderers import to_json
from runs.api.base import refusal_of

T = TypeVar("T")
Describe = Callable[[Exception], Problem]

STATUS_OF: Final[Mapping[int, StatusCode]] = {
    400: StatusCode.INVALID_ARGUMENT,
    401: StatusCode.UNAUTHENTICATED,
    403: StatusCode.PERMISSION_DENIED,
    404: StatusCode.NOT_FOUND,
    409: StatusCode.FAILED_PRECONDITION,
    410: StatusCode.NOT_FOUND,
    412: StatusCode.ABORTED,
    413: StatusCode.INVALID_ARGUMENT,
    422: StatusCode.INVALID_ARGUMENT,
    429: StatusCode.RESOURCE_EXHAUSTED,
    503: StatusCode.UNAVAILABLE,
}
CODE, FIELD, ERROR = "handoff-code", "handoff-field", "handoff-error-bin"
STOPPING: Final = Problem(503, "stopping", "This server is shutting down: call again to reach another one.")


class Refused(Exception):
    """A call that is answered by a problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def problem_of(error: Exception) -> Problem:
    """What to tell of an exception; what isn't the caller's fault is logged."""
    return error.problem if isinstance(error, Refused) else describe(refusal_of(error))


def told(
    call: Call, work: Callable[[], T], describe: Describe = problem_of, *, is_first: bool = True
) -> T | Problem:
    """What `work` gives, or the problem that it raises; log lines are about this call meanwhile. `is_first`: whether
    this is what begins the call, which counts for how often its caller may call.
    """
    about = log_context.begin({"request": call.request_id})
    find = partial(_origin_of, call)
    try:
        with coming_from(find):
            return limits().do(call, work, is_first=is_first)
    except Exception as error:
        problem = describe(error)
        if problem.status == 403 and call.callers:
            what = problem.details.get("scope", problem.code)
            refusals.here.note(call.callers[-1], f"gRPC {what}", find)
        return problem
    finally:
        log_context.end(about)


def _origin_of(call: Call) -> Origin:
    return Origin(GRPC, call.address)


async def refuse(context: "ServicerContext[Any, Any]", call: Call, problem: Problem) -> NoReturn:
    """End the call with this problem."""
    status = STATUS_OF.get(problem.status, StatusCode.INTERNAL)
    await context.abort(status, problem.message[:ERROR_MESSAGE_CHARACTERS], metadata_of(problem, call))
    raise AssertionError("abort has raised")


def metadata_of(problem: Problem, call: Call) -> tuple[tuple[str, str | bytes], ...]:
    """What goes beside the status."""
    envelope = _envelope(problem, dict(problem.details))
    if len(envelope) > ERROR_BYTES:
        envelope = _envelope(problem, {})
    pairs: list[tuple[str, str | bytes]] = [(REQUEST_ID, call.request_id), (CODE, problem.code)]
    if problem.field and problem.field.isascii() and problem.field.isprintable():
        pairs.append((FIELD, problem.field[:ERROR_FIELD_CHARACTERS]))
    pairs += [(name.lower(), value) for name, value in problem.headers.items() if name == "Retry-After"]
    return (*pairs, (ERROR, envelope))


def _envelope(problem: Problem, details: Mapping[str, Any]) -> bytes:
    field = problem.field[:ERROR_FIELD_CHARACTERS] if problem.field else problem.field
    return to_json(
        {
            "code": problem.code,
            "message": problem.message[:ERROR_MESSAGE_CHARACTERS],
            "field": field,
            "details": details,
        }
    )

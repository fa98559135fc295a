"""What REST and gRPC answer when something can't be done: rochallor's codes, and three of ours where it asks nobody who
they are.
"""

from collections.abc import Callable
from functools import wraps
from typing import Final, ParamSpec, TypeVar

from lib import refusals
from lib.refusals import Refusal
from lib.strict_json import BadJson, JsonTooLarge
from runs.commands.job_leases import UnknownJob
from runs.kernel.refused import RunRefused

P = ParamSpec("P")
R = TypeVar("R")

BAD_REQUEST: Final = "bad-request"
NOT_FOUND: Final = "not-found"
CONFLICT: Final = "conflict"
UNSUPPORTED_FORMAT: Final = "unsupported-format"
INTERNAL_ERROR: Final = "internal-error"
UNAUTHENTICATED: Final = "unauthenticated"
FORBIDDEN: Final = "forbidden"
TOO_MANY_REQUESTS: Final = "too-many-requests"
POLL_DISABLED: Final = "poll path disabled"

CODES: Final = (
    BAD_REQUEST, NOT_FOUND, CONFLICT, UNSUPPORTED_FORMAT, INTERNAL_ERROR, UNAUTHENTICATED, FORBIDDEN, TOO_MANY_REQUESTS,
    POLL_DISABLED,
)  # fmt: skip

_CODE_OF_REFUSAL: tuple[tuple[type[Refusal], str], ...] = (
    (refusals.NotProven, UNAUTHENTICATED),
    (refusals.NotAllowed, FORBIDDEN),
    (refusals.Missing, NOT_FOUND),
    (refusals.Conflict, CONFLICT),
    (refusals.Stale, CONFLICT),
    (refusals.Gone, CONFLICT),
    (refusals.TooMany, TOO_MANY_REQUESTS),
    (refusals.Unavailable, INTERNAL_ERROR),
    # Invalid, TooLarge and Unprocessable.
    (Refusal, BAD_REQUEST),
)


class RochallorError(Exception):
    """What was asked can't be done: `code` is one of CODES, `reason` a sentence.

    `retry_after`: seconds after which it makes sense to ask again, where time changes something.
    """

    def __init__(self, code: str, reason: str, *, retry_after: int | None = None) -> None:
        super().__init__(reason)
        self.code = code
        self.reason = reason
        self.retry_after = retry_after


def no_instance() -> RochallorError:
    """There is no such instance."""
    return RochallorError(NOT_FOUND, "workflow instance not found")


def in_rochallor_words(function: Callable[P, R]) -> Callable[P, R]:
    """The function, raising RochallorError for whatever is refused below it."""

    @wraps(function)
    def speaking(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except (Refusal, RunRefused, BadJson, UnknownJob) as error:
            raise said(error) from error

    return speaking


def said(error: Exception) -> RochallorError:
    """What is told of something that was refused."""
    if isinstance(error, RunRefused):
        error = error.as_refusal()
    if isinstance(error, UnknownJob):
        return RochallorError(NOT_FOUND, "job not found")
    if isinstance(error, JsonTooLarge):
        return RochallorError(BAD_REQUEST, error.message)
    if isinstance(error, BadJson):
        return RochallorError(BAD_REQUEST, f"parse error: {error.located}")
    assert isinstance(error, Refusal)  # noqa: S101 - `in_rochallor_words` catches nothing else
    code = next(code for kind, code in _CODE_OF_REFUSAL if isinstance(error, kind))
    place = f"{error.field}: " if error.field else ""
    return RochallorError(code, f"{place}{error.message}", retry_after=error.retry_after)

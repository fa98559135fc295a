"""What went wrong with a call: an answer that is an error, or no answer."""

from collections.abc import Mapping
from typing import Any

import httpx

AGAIN = frozenset({408, 425, 429, 500, 502, 503, 504})
"""After these statuses the same call may go better."""
NO_CODE = "no_code"
"""The code of an answer that is none of Handoff's: a proxy gave it, or there is something else at this address."""
TOO_LARGE = 413


class HandoffError(Exception):
    """The base class of all errors of this package."""


class NoResponse(HandoffError):
    """There was no response; `is_sent` says whether the server may have got the call."""

    def __init__(self, message: str, *, is_sent: bool) -> None:
        super().__init__(message)
        self.is_sent = is_sent


class ApiError(HandoffError):
    """An error response: `code` and `field` name the cause, `request_id` identifies the call in the server's log."""

    def __init__(
        self,
        status: int,
        code: str,
        message: str,
        *,
        field: str | None = None,
        details: Mapping[str, Any] | None = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"{code} ({status}): {message}" + (f" [{field}]" if field else ""))
        self.status, self.code, self.message, self.field = status, code, message, field
        self.details = dict(details or {})
        self.request_id, self.retry_after = request_id, retry_after

    @property
    def is_retryable(self) -> bool:
        """Whether a retry of the call may succeed."""
        in_between = not self.is_from_handoff and self.status != TOO_LARGE
        return self.status in AGAIN or self.code == "in_progress" or in_between

    @property
    def is_from_handoff(self) -> bool:
        """Whether the response is from Handoff, not from a proxy."""
        return self.code != NO_CODE


class Invalid(ApiError):
    """400, 415, 422: the request is invalid."""


class NotAuthenticated(ApiError):
    """401: there is no token, or it is not valid."""


class Forbidden(ApiError):
    """403: the token lacks a scope."""


class NotFound(ApiError):
    """404: not found, or not visible to this token."""


class Conflict(ApiError):
    """409: not possible in the present state."""


class Stale(ApiError):
    """412, 428: it was changed since it was read."""


class TooLarge(ApiError):
    """413: the body, or its `field`, is too large."""


class Throttled(ApiError):
    """429: too many calls; `retry_after` says how long to wait."""


class Unavailable(ApiError):
    """5xx: Handoff is temporarily unavailable."""


_BY_STATUS: Mapping[int, type[ApiError]] = {
    400: Invalid,
    401: NotAuthenticated,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
    412: Stale,
    413: TooLarge,
    415: Invalid,
    422: Invalid,
    428: Stale,
    429: Throttled,
}


def error_of(answer: httpx.Response) -> ApiError:
    """The error that an answer tells which gives nothing; also where a proxy, not Handoff, has answered."""
    kind = _BY_STATUS.get(answer.status_code, Unavailable if answer.status_code >= 500 else ApiError)
    body, error = _said(answer)
    return kind(
        answer.status_code,
        str(error.get("code") or NO_CODE),
        str(error.get("message") or answer.reason_phrase),
        field=error.get("field"),
        details=error.get("details"),
        request_id=body.get("request_id") or answer.headers.get("X-Request-Id"),
        retry_after=_seconds(answer.headers.get("Retry-After")),
    )


def _said(answer: httpx.Response) -> tuple[Mapping[str, Any], Mapping[str, Any]]:
    try:
        body = answer.json()
    except ValueError:
        return {}, {}
    error = body.get("error") if isinstance(body, dict) else None
    return (body, error) if isinstance(error, dict) else ({}, {})


def _seconds(header: str | None) -> float | None:
    try:
        return max(float(header or ""), 0.0)
    except ValueError:
        return None

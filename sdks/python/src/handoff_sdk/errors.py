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
    """What every error of this package is."""


class NoAnswer(HandoffError):
    """Nobody answered; `sent` says whether the call may have been done all the same."""

    def __init__(self, message: str, *, sent: bool) -> None:
        super().__init__(message)
        self.sent = sent


class ApiError(HandoffError):
    """Handoff refused: `code` says why, `field` what of the call; `request_id` is what its log calls it."""

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
    def may_go_better(self) -> bool:
        """Whether the same call may be answered otherwise in a while."""
        in_between = not self.is_handoffs and self.status != TOO_LARGE
        return self.status in AGAIN or self.code == "in_progress" or in_between

    @property
    def is_handoffs(self) -> bool:
        """Whether Handoff said so, not something between it and us."""
        return self.code != NO_CODE


class Invalid(ApiError):
    """400, 415, 422: something of the call is wrong."""


class NotAuthenticated(ApiError):
    """401: there is no token, or it is not valid."""


class Forbidden(ApiError):
    """403: the token lacks a scope."""


class NotFound(ApiError):
    """404: there is no such thing, or not for this token."""


class Conflict(ApiError):
    """409: the present state forbids it."""


class Stale(ApiError):
    """412, 428: it was changed meanwhile."""


class TooLarge(ApiError):
    """413: the body, or what `field` names of it."""


class Throttled(ApiError):
    """429: too many calls; `retry_after` says how long to wait."""


class Unavailable(ApiError):
    """5xx: Handoff could not do it just now."""


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

"""Every error of the API in one envelope: `{"error": {code, message, field, details}, "request_id"}`."""

import logging
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from dataclasses import field as _field
from typing import Any

import psycopg
from django.core.exceptions import PermissionDenied, RequestDataTooBig, SuspiciousOperation
from django.db import DataError, IntegrityError
from django.http import Http404, HttpRequest, HttpResponse
from django.http.request import UnreadablePostError
from rest_framework import exceptions, status
from rest_framework.response import Response

from lib import refusals
from lib.api.renderers import to_json
from lib.api.request_id import request_id
from lib.database_errors import OPERATIONAL_ERRORS, is_away
from lib.strict_json import BadJson, JsonTooLarge

logger = logging.getLogger("handoff.api")


@dataclass(frozen=True, slots=True)
class Problem:
    """What goes into the envelope, and with which status and headers."""

    status: int
    code: str
    message: str
    field: str | None = None
    details: Mapping[str, Any] = _field(default_factory=dict)
    headers: Mapping[str, str] = _field(default_factory=dict)


STATUS_OF_REFUSAL: dict[type[refusals.Refusal], int] = {
    # Before what it is a kind of: the first that fits counts.
    refusals.TooLarge: status.HTTP_413_REQUEST_ENTITY_TOO_LARGE,
    refusals.Invalid: status.HTTP_400_BAD_REQUEST,
    refusals.NotProven: status.HTTP_401_UNAUTHORIZED,
    refusals.NotAllowed: status.HTTP_403_FORBIDDEN,
    refusals.Missing: status.HTTP_404_NOT_FOUND,
    refusals.Unavailable: status.HTTP_503_SERVICE_UNAVAILABLE,
    refusals.Gone: status.HTTP_410_GONE,
    refusals.Conflict: status.HTTP_409_CONFLICT,
    refusals.Stale: status.HTTP_412_PRECONDITION_FAILED,
    refusals.Unprocessable: status.HTTP_422_UNPROCESSABLE_ENTITY,
    refusals.TooMany: status.HTTP_429_TOO_MANY_REQUESTS,
}

CODE_OF_STATUS = {
    400: "bad_request",
    401: "not_authenticated",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    406: "not_acceptable",
    413: "too_large",
    415: "unsupported_media_type",
    429: "throttled",
    500: "internal_error",
    503: "unavailable",
}


def envelope(problem: Problem, request: HttpRequest | None) -> dict[str, Any]:
    """The body of an error answer."""
    return {
        "error": {
            "code": problem.code,
            "message": problem.message,
            "field": problem.field,
            "details": dict(problem.details),
        },
        "request_id": request_id(request),
    }


def handle_exception(error: Exception, context: Mapping[str, Any]) -> Response:
    """Django REST framework's exception handler: no exception leaves the API but in the envelope."""
    request = context.get("request")
    problem = describe(error)
    return Response(envelope(problem, request), status=problem.status, headers=dict(problem.headers))


def json_error(problem: Problem, request: HttpRequest) -> HttpResponse:
    """The envelope outside of Django REST framework."""
    body = to_json(envelope(problem, request))
    return HttpResponse(body, status=problem.status, content_type="application/json")


def describe(error: Exception) -> Problem:
    """What to tell the caller of this exception; what isn't the caller's fault is logged under an incident id."""
    for problem_of in (_refused, _bad_json, _framework, _django, _database):
        if problem := problem_of(error):
            return problem
    return _incident(error, 500, "internal_error", "Something went wrong on our side.")


def _refused(error: Exception) -> Problem | None:
    refusal = refusals.refusal_of(error)
    if refusal is None:
        return None
    code = next((code for kind, code in STATUS_OF_REFUSAL.items() if isinstance(refusal, kind)), 400)
    headers = {} if refusal.retry_after is None else {"Retry-After": str(refusal.retry_after)}
    return Problem(code, refusal.code, refusal.message, refusal.field, refusal.details, headers)


def _bad_json(error: Exception) -> Problem | None:
    if not isinstance(error, BadJson):
        return None
    field_name = dotted(error.pointer)
    if isinstance(error, JsonTooLarge):
        return Problem(413, "too_large", error.message, field_name)
    return Problem(400, "bad_json", error.message, field_name)


def _framework(error: Exception) -> Problem | None:
    if isinstance(error, exceptions.ValidationError):
        return _validation(error)
    if not isinstance(error, exceptions.APIException):
        return None
    headers = {}
    if challenge := getattr(error, "auth_header", None):
        headers["WWW-Authenticate"] = challenge
    if wait := getattr(error, "wait", None):
        headers["Retry-After"] = str(int(wait) + 1)
    code = "forbidden" if error.default_code == "permission_denied" else error.default_code
    return Problem(error.status_code, code, str(error.detail), headers=headers)


def _validation(error: exceptions.ValidationError) -> Problem:
    faults = [
        {"field": path or None, "code": str(getattr(detail, "code", "invalid")), "message": str(detail)}
        for path, detail in _flat(error.detail, "")
    ]
    first = faults[0] if faults else {"field": None, "code": "invalid", "message": "The input is not valid."}
    return Problem(400, str(first["code"]), str(first["message"]), first["field"], {"errors": faults})


def _flat(detail: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Every message of a nested error with the path of its field."""
    if isinstance(detail, Mapping):
        for key, below in detail.items():
            yield from _flat(below, path if key == "non_field_errors" else join(path, str(key)))
    elif isinstance(detail, list):
        for index, below in enumerate(detail):
            nested = isinstance(below, Mapping | list)
            yield from _flat(below, join(path, str(index)) if nested else path)
    else:
        yield path, detail


def _django(error: Exception) -> Problem | None:
    if isinstance(error, Http404):
        return Problem(404, "not_found", "There is nothing here.")
    if isinstance(error, PermissionDenied):
        return Problem(403, "forbidden", "You are not allowed to do this.")
    if isinstance(error, RequestDataTooBig):
        return Problem(413, "too_large", "The body is larger than what is allowed here.")
    if isinstance(error, SuspiciousOperation | UnreadablePostError):
        return Problem(400, "bad_request", "The request could not be read.")
    if isinstance(error, RecursionError):
        return _incident(error, 400, "too_deep", "The input is nested too deep.")
    return None


def _database(error: Exception) -> Problem | None:
    if isinstance(error, DataError | psycopg.DataError):
        return _incident(error, 400, "invalid", "The database can't hold one of these values.")
    if isinstance(error, IntegrityError | psycopg.IntegrityError):
        return _incident(error, 409, "conflict", "This contradicts what is stored already.")
    if isinstance(error, OPERATIONAL_ERRORS):
        # While it is away each request comes by here: a line of each is enough, the trace tells nothing. A deadlock or
        # a statement that took too long is a defect of ours, which only its trace can tell.
        away = is_away(error)
        message = (
            "The database is not available; try again." if away else "The database was too busy; try again."
        )
        problem = _incident(error, 503, "unavailable", message, trace=not away)
        return replace(problem, headers={"Retry-After": "1"})
    return None


def _incident(error: Exception, code: int, name: str, message: str, *, trace: bool = True) -> Problem:
    incident, summary = uuid.uuid4().hex, str(error).partition("\n")[0]
    logger.error(
        "incident %s: %s: %s", incident, type(error).__name__, summary, exc_info=error if trace else None
    )
    return Problem(code, name, message, details={"incident": incident})


def dotted(pointer: str) -> str | None:
    """A JSON pointer as the name of a field: `/items/3/input` is `items[3].input`; None for the whole."""
    path = ""
    for token in pointer.split("/")[1:]:
        path = join(path, token.replace("~1", "/").replace("~0", "~"))
    return path or None


def join(path: str, step: str) -> str:
    """The name of what is `step` (a key, or a place in a list) below the field `path`."""
    if step.isdecimal():
        return f"{path}[{step}]"
    return f"{path}.{step}" if path and step else path or step

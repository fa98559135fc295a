"""What the routes share: who asks, bodies of any content type, errors as `{error, reason}`, and answers for browsers of
anywhere.
"""

from typing import Any

from django.conf import settings
from django.http import HttpRequest
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed, NotAuthenticated
from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.api.base import ApiView
from accounts.devices import address_of, is_on_this_machine
from accounts.models import User
from accounts.principal import Principal
from engine.catalogue import Json
from integrations.rochallor import errors
from integrations.rochallor.callers import caller
from integrations.rochallor.errors import BAD_REQUEST, RochallorError
from integrations.rochallor.jobs import KAFKA_MODE
from integrations.rochallor.rest.descriptions import RochallorSchema
from lib.api.errors import describe
from lib.refusals import Refusal
from lib.strict_json import strict_loads

_STATUS_OF = {
    errors.BAD_REQUEST: 400,
    errors.UNAUTHENTICATED: 401,
    errors.FORBIDDEN: 403,
    errors.NOT_FOUND: 404,
    errors.CONFLICT: 409,
    errors.UNSUPPORTED_FORMAT: 415,
    errors.POLL_DISABLED: 410,
    errors.TOO_MANY_REQUESTS: 429,
    errors.INTERNAL_ERROR: 500,
}
_CODE_OF = {status: code for code, status in _STATUS_OF.items()}
_CORS = {
    "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
    "Access-Control-Allow-Headers": "Accept, Authorization, Content-Type",
    "Access-Control-Max-Age": "300",
}


def _told(error: RochallorError) -> dict[str, str]:
    if error.code == errors.POLL_DISABLED:
        return {"error": error.code, "dispatch_mode": KAFKA_MODE, "hint": error.reason}
    return {"error": error.code, "reason": error.reason}


class RochallorAuthentication(BaseAuthentication):
    """As `integrations.rochallor.callers.caller`."""

    def authenticate(self, request: Request) -> tuple[User, Principal] | None:
        plain = request._request
        principal = caller(
            request.headers.get("Authorization", ""), address_of(plain), is_local=is_on_this_machine(plain)
        )
        if principal is None:
            return None
        return User(pk=principal.user_id, username=principal.username), principal

    def authenticate_header(self, request: Request) -> str:
        return 'Bearer realm="v1"'


class AlwaysJson(BaseContentNegotiation):
    """JSON, whatever a client accepts: theirs don't expect a 406."""

    def select_parser(self, request: Request, parsers: Any) -> Any:
        return parsers[0]

    def select_renderer(self, request: Request, renderers: Any, format_suffix: str | None = None) -> Any:
        return renderers[0], renderers[0].media_type


class RochallorView(ApiView):
    """A view of the rochallor API."""

    authentication_classes = (RochallorAuthentication,)
    content_negotiation_class = AlwaysJson
    schema = RochallorSchema()

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        # A browser asks without credentials whether it may ask.
        if request.method != "OPTIONS":
            super().initial(request, *args, **kwargs)

    def options(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Response:
        """What a browser may send from a page of another origin."""
        return Response(status=204, headers=_CORS)

    def finalize_response(self, request: Request, response: Response, *args: Any, **kwargs: Any) -> Response:
        response.headers["Access-Control-Allow-Origin"] = "*"
        return super().finalize_response(request, response, *args, **kwargs)

    def handle_exception(self, exc: Exception) -> Response:
        if isinstance(exc, Refusal):
            exc = errors.said(exc)
        if isinstance(exc, RochallorError):
            status, error, headers = _STATUS_OF[exc.code], exc, {}
            if exc.retry_after is not None:
                headers["Retry-After"] = str(exc.retry_after)
        else:
            problem = describe(exc)
            status, headers = problem.status, dict(problem.headers)
            fallback = errors.INTERNAL_ERROR if status >= 500 else BAD_REQUEST
            error = RochallorError(_CODE_OF.get(status, fallback), problem.message)
        if status == 401 or isinstance(exc, NotAuthenticated | AuthenticationFailed):
            status, headers["WWW-Authenticate"] = 401, self.get_authenticate_header(self.request)
        answer = Response(_told(error), status=status, headers=headers)
        answer.exception = True
        return answer

    def sent(self, request: Request) -> dict[str, Json]:
        """The body as a JSON object, whatever its content type says; nothing and null are an empty one. Raises
        RochallorError, and BadJson.
        """
        value = self.sent_value(request)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise RochallorError(BAD_REQUEST, "invalid request body: it must be a JSON object")
        return value

    def sent_value(self, request: Request) -> Json:
        """The body as JSON; None where there is none. Raises BadJson."""
        raw = request._request.body
        return strict_loads(raw, max_bytes=settings.HANDOFF_MAX_BODY_BYTES) if raw.strip() else None


class Fields:
    """The fields of a body: those that are known are read as what they must be, null as if it were left out, and
    others are left alone, as theirs are.
    """

    def __init__(self, values: dict[str, Json]) -> None:
        self._values = values

    def text(self, name: str) -> str:
        """A text; empty where it is left out. Raises RochallorError."""
        return str(self._read(name, str, "a text", ""))

    def worker(self) -> str:
        """The id of a worker in any spelling: workerId, workerID, worker_id. Raises RochallorError."""
        names = [name for name in self._values if name.replace("_", "").lower() == "workerid"]
        return next((text for name in ("workerId", *names) if (text := self.text(name))), "")

    def flag(self, name: str) -> bool:
        """True or false; false where it is left out. Raises RochallorError."""
        return bool(self._read(name, bool, "true or false", default=False))

    def number(self, name: str) -> int:
        """A whole number of 0 or more; 0 where it is left out. Raises RochallorError."""
        value = self._read(name, int, "a whole number", 0)
        if isinstance(value, bool) or not 0 <= value < 2**31:
            raise RochallorError(
                BAD_REQUEST, f"invalid request body: {name} must be a whole number of 0 or more"
            )
        return int(value)

    def texts(self, name: str) -> list[str]:
        """A list of texts; empty where it is left out. Raises RochallorError."""
        values: list[Json] = self._read(name, list, "a list of texts", [])
        if not all(isinstance(value, str) for value in values):
            raise RochallorError(BAD_REQUEST, f"invalid request body: {name} must be a list of texts")
        return values

    def variables(self, name: str = "variables") -> dict[str, Json]:
        """An object; empty where it is left out. Raises RochallorError."""
        values: dict[str, Json] = self._read(name, dict, "an object", {})
        return values

    def _read(self, name: str, kind: type, called: str, default: Json) -> Json:
        value = self._values.get(name)
        if value is None:
            return default
        if not isinstance(value, kind):
            raise RochallorError(BAD_REQUEST, f"invalid request body: {name} must be {called}")
        return value

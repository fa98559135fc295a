"""http.request: one HTTP request through the egress client, and its answer."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Literal
from urllib.parse import urldefrag, urlencode

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from engine.catalogue import Json
from engine.errors import StepError
from lib import trace_context
from lib.egress import (
    EgressError,
    EgressRefused,
    EgressResponse,
    EgressTimeout,
    EgressTooLarge,
    EgressUnreached,
)
from lib.strict_json import BadJson, strict_dumps
from steps import outside
from steps.answers import body_of, excerpt, retry_after
from steps.base import Params, StepContext, StepType, WholeNumber, widget
from steps.limits import MAX_INPUT_BYTES, MAX_OUTPUT_BYTES, MULTIPART_PARTS, REQUEST_SECONDS
from steps.log_lines import one_line, place_of
from steps.multipart import Body, Part
from steps.multipart import body_of as body_of_parts

READING = ("GET", "HEAD")
RETRYABLE = frozenset({408, 425, 429})
MAYBE_DONE = {"outcome": "unknown"}
"""What the details of an error say where the other side may have done what it was asked: a saga undoes it (H-24)."""
Method = Literal["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
Value = str | int | float | bool | None
Status = Annotated[WholeNumber, Field(ge=200, le=599)]


def _upper(value: object) -> object:
    return value.upper() if isinstance(value, str) else value


def _as_list(value: object) -> object:
    return value if isinstance(value, list) or value is None else [value]


class HttpParams(Params):
    """The request, and which answers are good."""

    # `json` is the param's name, and one of pydantic's methods.
    model_config = ConfigDict(serialize_by_alias=True)

    method: Annotated[Method, BeforeValidator(_upper)] = Field(
        "GET", title="Method", description="The method: GET reads, POST sends, PUT replaces, …"
    )
    url: str = Field(
        min_length=1,
        max_length=8192,
        title="Address",
        description="Where the request goes, with http:// or https://.",
        json_schema_extra=widget("text"),
    )
    headers: dict[str, str] = Field(
        default_factory=dict,
        max_length=100,
        title="Headers",
        description="The headers of the request, such as Accept or Authorization.",
    )
    query: dict[str, Value | list[Value]] = Field(
        default_factory=dict,
        max_length=100,
        title="Parameters",
        description="The query string, behind the question mark; null is left out.",
    )
    data: Json = Field(
        None,
        alias="json",
        title="Content as JSON",
        description="A value that is sent as JSON.",
        json_schema_extra=widget("code"),
    )
    body: str | None = Field(
        None,
        title="Content as text",
        description="A text that is sent as it is. Give this or JSON, not both.",
        json_schema_extra=widget("textarea"),
    )
    multipart: list[Part] | None = Field(
        None,
        min_length=1,
        max_length=MULTIPART_PARTS,
        title="Content as a form with files",
        description="Parts of a multipart form: files of the run, or texts. Give this, JSON or text.",
        json_schema_extra=widget("code"),
    )
    timeout_seconds: float = Field(
        30,
        gt=0,
        le=REQUEST_SECONDS,
        title="Wait for the answer",
        description="How long the request and its answer may take together.",
    )
    ok_status: Annotated[
        list[Status] | None, BeforeValidator(_as_list, json_schema_input_type=Status | list[Status] | None)
    ] = Field(
        None,
        title="Good statuses",
        description="Which statuses are a success: one or a list. Empty: 200 to 299.",
        json_schema_extra=widget("list"),
    )

    @model_validator(mode="after")
    def _one_body(self) -> "HttpParams":
        if sum(one is not None for one in (self.data, self.body, self.multipart)) > 1:
            raise PydanticCustomError(
                "two_bodies", "can have `json`, `body` or `multipart`, only one of them"
            )
        return self

    @property
    def content(self) -> bytes | None:
        """What is sent. Raises StepError BadParams where `json` can't be."""
        if self.data is not None:
            return _json(self.data)
        return None if self.body is None else self.body.encode()

    @property
    def target(self) -> str:
        """The URL with the parameters of `query`."""
        pairs = [(name, _spelled(value)) for name, values in self.query.items() for value in _listed(values)]
        url = urldefrag(self.url).url
        return f"{url}{'&' if '?' in url else '?'}{urlencode(pairs)}" if pairs else url

    def is_good(self, status: int) -> bool:
        """Whether an answer with this status is a success."""
        return 200 <= status < 300 if self.ok_status is None else status in self.ok_status


class Answer(BaseModel):
    """Status, headers by their names in lower case, and the body: JSON read, or text."""

    model_config = ConfigDict(extra="forbid")

    status: int = Field(examples=[200])
    headers: dict[str, str]
    body: Json


def run(context: StepContext) -> Json:
    """`{status, headers, body}`. Raises StepError: see docs/steps.md."""
    params: HttpParams = context.params
    with one_line(context, f"{params.method} {place_of(params.url)}") as outcome:
        answer = _send_request(context)
        outcome.words = f"{answer.status}, {len(answer.body):,} bytes"
    if not params.is_good(answer.status):
        raise _not_good(answer)
    try:
        body = body_of(answer, MAX_OUTPUT_BYTES)
    except StepError as error:
        error.details |= MAYBE_DONE
        raise
    return {"status": answer.status, "headers": dict(answer.headers), "body": body}


def headers_of(params: HttpParams, idempotency_key: str, multipart: Body | None = None) -> dict[str, str]:
    """The headers to send: the author's win over ours (R-104), but for the type of a multipart body."""
    ours = {
        "accept": "application/json, */*;q=0.8",
        "user-agent": "Handoff",
        "idempotency-key": idempotency_key,
    }
    # Theirs are told together: a state of ours beside a parent of theirs would be of another trace.
    if "traceparent" not in {name.lower() for name in params.headers}:
        ours |= trace_context.headers()
    if params.data is not None:
        ours["content-type"] = "application/json"
    elif params.body is not None:
        ours["content-type"] = "text/plain; charset=utf-8"
    headers = ours | {name.lower(): value for name, value in params.headers.items()}
    # Only we know its boundary.
    return headers | ({"content-type": multipart.media_type} if multipart else {})


def _send_request(context: StepContext) -> EgressResponse:
    params: HttpParams = context.params
    multipart = body_of_parts(context, params.multipart) if params.multipart else None
    try:
        return outside.egress().request(
            params.method,
            params.target,
            headers=headers_of(params, context.idempotency_key, multipart),
            content=multipart.content if multipart else params.content,
            timeout_seconds=params.timeout_seconds,
            max_bytes=MAX_OUTPUT_BYTES,
        )
    except outside.BadSetting as error:
        raise StepError("NotConfigured", str(error)) from None
    except EgressError as error:
        raise _unanswered(error) from None


def _unanswered(error: EgressError) -> StepError:
    match error:
        case EgressRefused(allowance=None):
            return StepError("HttpRefused", error.message)
        case EgressRefused(allowance=allowance):
            hint = f"An operator can allow it: {outside.ALLOW}={allowance}"
            return StepError("HttpRefused", f"{error.message} {hint}", details={"allow": allowance})
        case EgressTooLarge():
            return StepError("HttpTooLarge", error.message, details=MAYBE_DONE)
        case EgressTimeout():
            return StepError("HttpTimeout", error.message, retryable=True, details=MAYBE_DONE)
        case EgressUnreached():
            return StepError("HttpUnreachable", error.message, retryable=True)
    # The connection broke, or what came was no HTTP.
    return StepError("HttpUnreachable", error.message, retryable=True, details=MAYBE_DONE)


def _not_good(answer: EgressResponse) -> StepError:
    retryable = answer.status in RETRYABLE or answer.status >= 500
    details: dict[str, object] = {"status": answer.status, "body": excerpt(answer)}
    if answer.status >= 500:
        details |= MAYBE_DONE
    if (location := answer.headers.get("location")) is not None:
        details["location"] = location[:2000]
    if retryable and (seconds := retry_after(answer)) is not None:
        details["retry_after"] = seconds
    message = f"The server answered {answer.status}."
    if 300 <= answer.status < 400:
        message = f"The server answered {answer.status}, a redirect; redirects are not followed."
    return StepError("HttpStatus", message, retryable=retryable, details=details)


def _json(value: Json) -> bytes:
    try:
        return strict_dumps(value, max_bytes=MAX_INPUT_BYTES)
    except BadJson as error:
        message = f"`json` can't be sent: {error.message}."
        raise StepError("BadParams", message, details={"field": "json"}) from None


def _listed(values: Value | list[Value]) -> list[Value]:
    return [value for value in (values if isinstance(values, list) else [values]) if value is not None]


def _spelled(value: Value) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(int(value) if isinstance(value, float) and value.is_integer() else value)


def _as_params_say(step_type: StepType, params: Mapping[str, Json]) -> StepType:
    """What only reads changes nothing on the other side; of a method that an expression gives nobody knows."""
    return (
        replace(step_type, has_side_effects=False)
        if _upper(params.get("method", "GET")) in READING
        else step_type
    )


HTTP_REQUEST = StepType(
    name="http.request",
    kind="blocking",
    title="HTTP request",
    help="Calls a web service and returns its answer.",
    keywords="http api rest webhook url call fetch get post json service integration curl",
    icon="globe",
    group="integration",
    example={
        "params": {
            "method": "POST",
            "url": "https://shop.example/orders",
            "json": {"order": 17},
            "headers": {"Accept": "application/json"},
        },
        "input": {},
    },
    params_model=HttpParams,
    output_model=Answer,
    run=run,
    has_side_effects=True,
    variant=_as_params_say,
)

"""http.request: one HTTP request through the egress client, and its answer."""

from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Annotated, Literal
from urllib.parse import urldefrag, urlencode

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from engine.catalogue import Json
from engine.errors import DONE, UNKNOWN, StepError
from lib import trace_context
from lib.egress import (
    EgressError,
    EgressRedirects,
    EgressRefused,
    EgressResponse,
    EgressTimeout,
    EgressTooLarge,
    EgressUnreached,
)
from lib.forms.hints import with_hints
from lib.strict_json import BadJson, strict_dumps
from steps import outside
from steps.answers import body_of, excerpt, file_name_of, retry_after
from steps.base import Params, StepContext, StepType, WholeNumber, storable, widget
from steps.limits import (
    MAX_INPUT_BYTES,
    MAX_OUTPUT_BYTES,
    MULTIPART_PARTS,
    REDIRECTS,
    REQUEST_SECONDS,
)
from steps.log_lines import one_line, place_of
from steps.multipart import Body, Part, spelled
from steps.multipart import body_of as body_of_parts

READING = ("GET", "HEAD")
RETRYABLE = frozenset({408, 425, 429})
MAYBE_DONE = {"outcome": UNKNOWN}
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
        description="A value that is sent as JSON. Give only one kind of content.",
        json_schema_extra=widget("code"),
    )
    body: Json = Field(
        None,
        title="Content",
        description="A text that is sent as it is; any other value is sent as JSON. Give only one kind of content.",
        json_schema_extra=widget("textarea"),
    )
    form: dict[str, Value | list[Value]] | None = Field(
        None,
        max_length=100,
        title="Content as a form",
        description="The fields of a form, sent as web pages send it; a list repeats its field, null is left out.",
    )
    multipart: list[Part] | None = Field(
        None,
        min_length=1,
        max_length=MULTIPART_PARTS,
        title="Content as a form with files",
        description="Parts of a multipart form: files of the run, or texts. Give only one kind of content.",
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

    redirects: Annotated[WholeNumber, Field(ge=0, le=REDIRECTS)] | None = Field(
        None,
        title="Follow redirects",
        description="How many redirects are followed at most. Empty: 5 of GET and HEAD, none of other methods.",
    )
    answer: Literal["auto", "json", "text", "file"] = Field(
        "auto",
        title="Read the answer as",
        description="JSON or text as its type says (auto), always one of them, or kept as a file of the run.",
    )

    @model_validator(mode="after")
    def _one_body(self) -> "HttpParams":
        if sum(one is not None for one in (self.data, self.body, self.form, self.multipart)) > 1:
            raise PydanticCustomError(
                "two_bodies", "can have `json`, `body`, `form` or `multipart`, only one of them"
            )
        return self

    @property
    def plain_content(self) -> Body | None:
        """What is sent, but for a multipart form, and its media type. Raises StepError BadParams."""
        if self.form is not None:
            return Body(_encoded(self.form).encode(), "application/x-www-form-urlencoded")
        if isinstance(self.body, str):
            return Body(self.body.encode(), "text/plain; charset=utf-8")
        name, value = ("json", self.data) if self.data is not None else ("body", self.body)
        return None if value is None else Body(_json(name, value), "application/json")

    @property
    def target(self) -> str:
        """The URL with the parameters of `query`."""
        url, query = urldefrag(self.url).url, _encoded(self.query)
        return f"{url}{'&' if '?' in url else '?'}{query}" if query else url

    @property
    def most_redirects(self) -> int:
        """How many redirects are followed: of a request that changes something none unless the author says so."""
        if self.redirects is not None:
            return self.redirects
        return REDIRECTS if self.method in READING else 0

    def is_good(self, status: int) -> bool:
        """Whether an answer with this status is a success."""
        return 200 <= status < 300 if self.ok_status is None else status in self.ok_status


class Answer(BaseModel):
    """Status, headers by their names in lower case, and the body: JSON read, text, or what the file is."""

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
        return _output(context, answer)
    except StepError as error:
        raise _done(error) from None


def _output(context: StepContext, answer: EgressResponse) -> Json:
    params: HttpParams = context.params
    form = params.answer
    body = _file(context, answer) if form == "file" else body_of(answer, MAX_OUTPUT_BYTES, form)
    output = {"status": answer.status, "headers": dict(answer.headers), "body": body}
    # A character of a text may take six bytes in JSON.
    if len(answer.body) > MAX_OUTPUT_BYTES // 8:
        storable(output, "answer", code="HttpTooLarge", max_bytes=MAX_OUTPUT_BYTES)
    return output


def _file(context: StepContext, answer: EgressResponse) -> Json:
    """The answer as a file of the run; null where it has no content."""
    return asdict(context.files.keep(file_name_of(answer), answer.body)) if answer.body else None


def _done(error: StepError) -> StepError:
    """The failure of a step whose request was done: undone, not tried again (docs/engine.md, "Compensation")."""
    message = f"Done, but the answer is not readable: {error.message}"
    return StepError(error.code, message, details={**error.details, "outcome": DONE})


def headers_of(params: HttpParams, idempotency_key: str, content: Body | None = None) -> dict[str, str]:
    """The headers to send: the author's win over ours (R-104), but for the type of a multipart body."""
    ours = {
        "accept": "application/json, */*;q=0.8",
        "user-agent": "Handoff",
        "idempotency-key": idempotency_key,
    }
    # Theirs are told together: a state of ours beside a parent of theirs would be of another trace.
    if "traceparent" not in {name.lower() for name in params.headers}:
        ours |= trace_context.headers()
    if content is not None:
        ours["content-type"] = content.media_type
    headers = ours | {name.lower(): value for name, value in params.headers.items()}
    # Only we know its boundary.
    return headers | ({"content-type": content.media_type} if content and params.multipart else {})


def _send_request(context: StepContext) -> EgressResponse:
    params: HttpParams = context.params
    content = body_of_parts(context, params.multipart) if params.multipart else params.plain_content
    try:
        return outside.egress().request(
            params.method,
            params.target,
            headers=headers_of(params, context.idempotency_key, content),
            content=content.content if content else None,
            timeout_seconds=params.timeout_seconds,
            max_bytes=context.files.most_bytes if params.answer == "file" else MAX_OUTPUT_BYTES,
            follow_redirects=params.most_redirects,
            is_answer=params.is_good,
        )
    except outside.BadSetting as error:
        raise StepError("NotConfigured", str(error)) from None
    except EgressError as error:
        failure = _unanswered(error)
        if error.status is not None and params.is_good(error.status):
            code = "HttpBadAnswer" if failure.code == "HttpUnreachable" else failure.code
            raise _done(StepError(code, failure.message, details={"status": error.status})) from None
        if error.hops and params.method not in READING:
            failure.details |= MAYBE_DONE
        raise failure from None


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
        case EgressRedirects():
            return StepError("HttpRedirects", error.message)
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
        message = (
            f"The server answered {answer.status}, a redirect; redirects are not followed here (`redirects`)."
        )
    return StepError("HttpStatus", message, retryable=retryable, details=details)


def _json(name: str, value: Json) -> bytes:
    try:
        return strict_dumps(value, max_bytes=MAX_INPUT_BYTES)
    except BadJson as error:
        message = f"`{name}` can't be sent: {error.message}."
        raise StepError("BadParams", message, details={"field": name}) from None


def _encoded(fields: Mapping[str, Value | list[Value]]) -> str:
    pairs = [(name, spelled(value)) for name, values in fields.items() for value in _listed(values)]
    return urlencode(pairs)


def _listed(values: Value | list[Value]) -> list[Value]:
    return [value for value in (values if isinstance(values, list) else [values]) if value is not None]


def _as_params_say(step_type: StepType, params: Mapping[str, Json]) -> StepType:
    """What only reads changes nothing on the other side; of a method that an expression gives nobody knows."""
    return (
        replace(step_type, has_side_effects=False)
        if _upper(params.get("method", "GET")) in READING
        else step_type
    )


def _output_schema(params: Mapping[str, Json]) -> dict[str, Json]:
    schema = with_hints(Answer.model_json_schema(mode="serialization"))
    if params.get("answer") != "file":
        return schema
    names: dict[str, Json] = {name: {"type": "string"} for name in ("name", "media_type", "sha256")}
    fields = {"id": {"type": "string", "format": "file"}, **names, "size": {"type": "integer"}}
    body = {"type": ["object", "null"], "properties": fields}
    return {**schema, "properties": {**schema["properties"], "body": body}}


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
    old_defaults={3: {"redirects": 0}},
    output_schema_of=_output_schema,
    variant=_as_params_say,
)

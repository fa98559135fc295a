"""Asking a language model: any server that speaks OpenAI's chat completions. Which one is the operator's choice.

A model's answer comes from outside like any other: it passes the strict JSON gate and is checked against the schema
that it was asked for. Where data goes into a question, it goes into the user's message, between marks that it can't
know (`marked`), and never into the system message.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from engine.catalogue import Json
from engine.errors import StepError, TooMuchWork, failure_of
from lib import trace_context
from lib.egress import EgressError, EgressRefused, EgressResponse, EgressTooLarge
from lib.strict_json import BadJson, strict_dumps, strict_loads
from steps import outside
from steps.answers import excerpt, retry_after
from steps.base import StepContext
from steps.limits import MAX_INPUT_BYTES, MAX_OUTPUT_BYTES, MODEL_NAME_CHARACTERS
from steps.log_lines import one_line, place_of
from steps.schema import problem_of

LEASE_SECONDS = 300
TIMEOUT_SECONDS = 600
RETRY = "llm"
"""What every step that asks a model has: a crash does that step again only, and not too soon (R-099, R-249)."""

ANSWER_SECONDS = 300.0
RETRYABLE = frozenset({408, 409, 425, 429})
EXCERPT_CHARS = 500
_FENCE = "```"


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What a model is asked. With `schema` the answer is JSON that fits it, else a text.

    `may_be_cut`: a text that ends where `max_tokens` ended it is fine.
    """

    user: str
    system: str | None = None
    schema: Mapping[str, Json] | None = None
    model: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    may_be_cut: bool = False


class _Lenient(BaseModel):
    model_config = ConfigDict(extra="ignore")


class _Message(_Lenient):
    content: str | None = None
    refusal: str | None = None


class _Choice(_Lenient):
    message: _Message
    finish_reason: str | None = None


class _Completion(_Lenient):
    choices: list[_Choice] = Field(min_length=1)
    model: str | None = None
    usage: Json = None


def ask(context: StepContext, question: Question) -> Json:
    """The model's answer: a text, or JSON that fits the question's schema. Raises StepError: see docs/steps.md.

    The tokens that it cost go into `context.usage`, also where the answer can't be used.
    """
    server = _server()
    model = question.model or server.model
    if not model:
        message = f"No model is named: set the param `model`, or have an operator set {outside.LLM_MODEL}."
        raise StepError("LlmNotConfigured", message)
    with one_line(context, f"Asked {model[:MODEL_NAME_CHARACTERS]} at {place_of(server.url)}") as outcome:
        answer = _posted(server, _body(question, model, "json_schema"))
        if question.schema is not None and _knows_no_schemas(answer):
            answer = _posted(server, _body(question, model, "json_object"))
        if answer.status != 200:
            outcome.words = f"status {answer.status}"
            raise _not_good(answer)
        completion = _completion(answer)
        context.usage.update(_usage(completion))
        outcome.words = _tokens(context.usage)
        return _judged(completion.choices[0], question)


def marked(name: str, data: str) -> str:
    """`data` between two marks. They hold its digest, so that no text can hold its own end."""
    mark = f"{name}-{sha256(data.encode()).hexdigest()[:16]}"
    return f"<{mark}>\n{data}\n</{mark}>"


def _server() -> outside.LlmServer:
    try:
        server = outside.llm()
    except outside.BadSetting as error:
        raise StepError("LlmNotConfigured", str(error)) from None
    if server is None:
        message = (
            f"So far no language model is configured: an operator sets {outside.LLM_URL} to a server that speaks "
            f"OpenAI's API, such as http://127.0.0.1:11434/v1, {outside.LLM_MODEL} to the name of a model, and "
            f"{outside.LLM_KEY} if the server wants a key."
        )
        raise StepError("LlmNotConfigured", message)
    return server


def _body(question: Question, model: str, form: str) -> bytes:
    system = question.system
    body: dict[str, Json] = {"model": model}
    if question.schema is not None:
        # In words, too: servers may ignore `response_format`, and some want the word JSON to occur.
        schema = strict_dumps(question.schema, max_bytes=MAX_INPUT_BYTES).decode()
        instruction = (
            f"Answer with JSON only, without any other text. It must fit this JSON Schema:\n{schema}"
        )
        system = f"{system}\n\n{instruction}" if system else instruction
        body["response_format"] = {"type": form}
        if form == "json_schema":
            body["response_format"]["json_schema"] = {"name": "answer", "schema": question.schema}
    messages = [{"role": "system", "content": system}] if system else []
    body["messages"] = [*messages, {"role": "user", "content": question.user}]
    if question.temperature is not None:
        body["temperature"] = question.temperature
    if question.max_tokens is not None:
        body["max_tokens"] = question.max_tokens
    try:
        return strict_dumps(body, max_bytes=MAX_INPUT_BYTES)
    except BadJson as error:
        raise StepError("BadParams", f"The question can't be sent: {error.message}.") from None


def _posted(server: outside.LlmServer, body: bytes) -> EgressResponse:
    headers = {"content-type": "application/json", "accept": "application/json", "user-agent": "Handoff"}
    headers |= trace_context.headers()
    if server.key:
        headers["authorization"] = f"Bearer {server.key}"
    try:
        return server.egress.request(
            "POST",
            server.url,
            headers=headers,
            content=body,
            timeout_seconds=ANSWER_SECONDS,
            max_bytes=MAX_OUTPUT_BYTES,
        )
    except EgressRefused as error:
        raise StepError("LlmNotConfigured", f"{outside.LLM_URL} can't be used: {error.message}") from None
    except EgressTooLarge as error:
        raise StepError("LlmTooLarge", error.message) from None
    except EgressError as error:
        raise StepError("LlmUnreachable", error.message, retryable=True) from None


def _knows_no_schemas(answer: EgressResponse) -> bool:
    text = answer.body.lower()
    return answer.status in (400, 422) and (b"response_format" in text or b"json_schema" in text)


def _not_good(answer: EgressResponse) -> StepError:
    retryable = answer.status in RETRYABLE or answer.status >= 500
    details: dict[str, object] = {"status": answer.status, "body": excerpt(answer)[:EXCERPT_CHARS]}
    if retryable and (seconds := retry_after(answer)) is not None:
        details["retry_after"] = seconds
    message = f"The language model's server answered {answer.status}."
    if answer.status in (401, 403):
        message += f" An operator should check {outside.LLM_KEY}."
    elif answer.status == 404:
        message += f" The model may be unknown there; an operator should check {outside.LLM_URL}, too."
    return StepError("LlmStatus", message, retryable=retryable, details=details)


def _completion(answer: EgressResponse) -> _Completion:
    try:
        return _Completion.model_validate(strict_loads(answer.body, max_bytes=MAX_OUTPUT_BYTES))
    except BadJson as error:
        raise _bad_answer(f"is no JSON: {error.message}", excerpt(answer)) from None
    except ValidationError:
        raise _bad_answer("is no chat completion", excerpt(answer)) from None


def _usage(completion: _Completion) -> dict[str, Json]:
    counts = completion.usage if isinstance(completion.usage, dict) else {}
    names = ("prompt_tokens", "completion_tokens", "total_tokens")
    usage: dict[str, Json] = {name: counts[name] for name in names if type(counts.get(name)) is int}
    return usage | ({"model": completion.model[:200]} if completion.model else {})


def _tokens(usage: Mapping[str, Json]) -> str:
    """What it cost, as far as the server has said so."""
    tokens_in, tokens_out = usage.get("prompt_tokens"), usage.get("completion_tokens")
    return (
        "answered"
        if tokens_in is None or tokens_out is None
        else f"{tokens_in:,} tokens in, {tokens_out:,} out"
    )


def _judged(choice: _Choice, question: Question) -> Json:
    content = choice.message.content or ""
    if choice.message.refusal or choice.finish_reason == "content_filter":
        answer = choice.message.refusal or content
        raise StepError(
            "LlmRefused", "The language model refuses to answer.", details={"answer": answer[:EXCERPT_CHARS]}
        )
    if choice.finish_reason == "length" and not question.may_be_cut:
        message = "The answer was cut off because it became too long for the model or for `max_tokens`."
        raise StepError("LlmCutOff", message, details={"answer": content[:EXCERPT_CHARS]})
    if not content.strip():
        raise _bad_answer("is empty", content)
    return content.strip() if question.schema is None else _fitting(content, question.schema)


def _fitting(content: str, schema: Mapping[str, Json]) -> Json:
    try:
        value = strict_loads(_unfenced(content).encode(), max_bytes=MAX_OUTPUT_BYTES)
    except BadJson as error:
        raise _bad_answer(f"is no JSON: {error.message}", content) from None
    try:
        problem = problem_of(schema, value)
    except TooMuchWork as error:
        raise failure_of(error, f"The language model's answer can't be checked: {error}.") from None
    if problem is not None:
        path, what = problem
        raise _bad_answer(f"does not fit the schema: {f'{path} ' if path else ''}{what}", content)
    return value


def _unfenced(content: str) -> str:
    """What stands in a block of code, where the answer is one."""
    text = content.strip()
    first, line_break, rest = text.partition("\n")
    is_block = first.removeprefix(_FENCE).strip() in ("", "json") and first.startswith(_FENCE)
    return rest.removesuffix(_FENCE) if is_block and line_break and rest.endswith(_FENCE) else content


def _bad_answer(what: str, content: str) -> StepError:
    # Another attempt may well be answered better.
    details = {"answer": content[:EXCERPT_CHARS]}
    return StepError(
        "LlmBadAnswer", f"The language model's answer {what}."[:2000], retryable=True, details=details
    )

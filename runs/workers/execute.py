"""Do the work of one step: its params, its input, its output, all checked; whatever goes wrong becomes an ending."""

import logging
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import orjson

from engine.catalogue import Json
from engine.decide import describe
from engine.errors import OUTCOMES, ExpressionError, NotEvaluated, StepError, failure_of
from engine.typed_texts import TypedParams
from lib import log_context, trace_context
from lib.masking import echoed, without
from lib.strict_json import BadJson, strict_dumps
from runs.files.for_steps import FilesOfRun
from runs.kernel.graphs import graph_of
from runs.limits import RETRY_AFTER_SECONDS, STEP_ERROR_BYTES
from runs.store import payloads
from runs.store.attempts import AttemptResult, ClaimedStep, Errored, Succeeded, Suspended
from steps.attempt_log import AttemptLog
from steps.base import StepType, storable
from steps.base import execute as execute_type
from steps.catalogue import EXECUTABLE
from steps.limits import MAX_OUTPUT_BYTES

log = logging.getLogger(__name__)


Work = Callable[[], AttemptResult]


def execute(step: ClaimedStep) -> AttemptResult:
    """Run a step whose scope is loaded; never raises."""
    return attempted(prepare(step))


def attempted(work: Work) -> AttemptResult:
    """How an attempt ended. Even what is meant to end the process is the step's failure: raised in a thread it would
    end that alone, and nobody would hear of it.
    """
    try:
        return work()
    except (SystemExit, GeneratorExit) as error:
        return broken(StepError("InternalError", f"{type(error).__name__}: {error}"[:2000], retryable=True))


def prepare(step: ClaimedStep) -> Work:
    """What is left of a step whose scope is loaded: it needs no database, and any thread may do it; never raises."""
    if (why := step.unreadable) is not None:
        unread = payloads.unread(why)
        return lambda: unread
    if (withheld := step.withheld) is not None:
        return lambda: withheld
    try:
        node = graph_of(step.version_id).step(step.node, step.index)
        params, typed = node.render(step.scope), node.typed(step.scope)
        if node.literal:
            params = {**params, **node.literal}
        return partial(_attempt, step, EXECUTABLE[node.type], params, typed)
    except Exception as error:
        result = _failure(step, error)
        return lambda: result


def _attempt(
    step: ClaimedStep, step_type: StepType, params: Json, typed: TypedParams | None
) -> AttemptResult:
    usage: dict[str, Json] = {}
    step.log = AttemptLog({"params": params, "input": step.input})
    facts: dict[str, str | int] = {"run": step.run_id, "step": step.node, "attempt": step.attempt}
    if trace := step.told:
        facts |= {"trace": trace.id, "span": trace.span}
    log_token, trace_token = log_context.begin(facts), trace_context.begin(trace)
    try:
        result = _ending(step, step_type, params, usage, typed)
    finally:
        trace_context.end(trace_token)
        log_context.end(log_token)
    return _without_secrets(replace(result, usage=usage) if usage else result, [params, step.input])


def _ending(
    step: ClaimedStep, step_type: StepType, params: Json, usage: dict[str, Json], typed: TypedParams | None
) -> AttemptResult:
    try:
        output = execute_type(
            step_type,
            params,
            step.input,
            run_id=step.run_id,
            node=step.node,
            attempt=step.attempt,
            idempotency_key=idempotency_key(step.run_id, step.node, step.index, step.revision),
            usage=usage,
            lines=step.log,
            typed=typed,
            files=FilesOfRun(step.tenant_id, step.run_id, step.node),
        )
        return Suspended(output) if step_type.kind == "wait" else encoded(output)
    except Exception as error:
        return _failure(step, error)


def _without_secrets(result: AttemptResult, sent: list[Json]) -> AttemptResult:
    """An attempt's result without the installation's secrets, where an answer echoes what was not in `sent`."""
    answers = [orjson.dumps(result.usage)] if result.usage else []
    if isinstance(result, Succeeded) and result.encoded is not None:
        answers.append(result.encoded)
    elif isinstance(result, Errored):
        answers.append(orjson.dumps(result.error))
    if not (secrets := echoed(answers, lambda: orjson.dumps(sent))):
        return result
    result = replace(result, usage=without(result.usage, secrets))
    if isinstance(result, Errored):
        return replace(result, error=without(result.error, secrets))
    if not isinstance(result, Succeeded):
        return result
    masked = encoded(without(result.output, secrets))
    return replace(masked, usage=result.usage)


def _failure(step: ClaimedStep, error: Exception) -> AttemptResult:
    if isinstance(error, ExpressionError):
        message = f"A param of {step.node} can't be computed: {error}"
        error = failure_of(error, message, retryable=isinstance(error, NotEvaluated))
    if isinstance(error, StepError):
        return broken(error)
    # A bug in a step type is that step's failure, with retries: it must not take the batch with it.
    log.error("Step %s of run %s raised", step.node, step.run_id, exc_info=error)
    return broken(StepError("InternalError", f"{type(error).__name__}: {error}"[:2000], retryable=True))


def encoded(output: object) -> AttemptResult:
    """An output as it may be stored, or the failure that it is where it may not (docs/engine.md, "Strict outcomes")."""
    try:
        return Succeeded(output, storable(output, "output", code="BadOutput", max_bytes=MAX_OUTPUT_BYTES))
    except StepError as error:
        return broken(error)


def broken(error: StepError) -> Errored:
    """A StepError as the end of an attempt; what of it can't be stored is told in plain characters."""
    wait = error.details.get("retry_after")
    payload = describe(error)
    try:
        strict_dumps(payload, max_bytes=STEP_ERROR_BYTES)
    except BadJson:
        payload.pop("details", None)
        if (outcome := error.details.get("outcome")) in OUTCOMES:
            payload["details"] = {"outcome": outcome}
    seconds = wait if isinstance(wait, int | float) and wait > 0 else 0
    return Errored(payload, error.retryable, float(min(seconds, RETRY_AFTER_SECONDS)) or None)


def idempotency_key(run_id: str, node: str, index: int | None = None, revision: int = 0) -> str:
    """The key that is the same for every attempt at a step with the same input, and for no other step (R-104, H-25).

    `revision`: how often a person has given the step another input.
    """
    key = f"{run_id}/{node}" if index is None else f"{run_id}/{node}/{index}"
    return f"{key}~{revision}" if revision else key

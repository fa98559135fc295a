"""Do the work of one step: its params, its input, its output, all checked; whatever goes wrong becomes an ending."""

import logging

from engine.decide import describe
from engine.errors import ExpressionError, StepError
from lib.strict_json import BadJson, strict_dumps
from runs.claimed import Broken, Done, Ending, Held
from runs.graphs import graph_of
from steps.base import MAX_OUTPUT_BYTES, storable
from steps.base import execute as execute_type
from steps.catalogue import CATALOGUE

log = logging.getLogger(__name__)

MAX_ERROR_BYTES = 64 * 1024
MAX_RETRY_AFTER = 30 * 86_400


def execute(step: Held) -> Ending:
    """Run a step whose scope is loaded; never raises."""
    try:
        node = graph_of(step.version_id).nodes[step.node]
        params = node.params.render(step.scope)
        output = execute_type(
            CATALOGUE[node.type],
            params,
            step.given,
            run_id=step.run_id,
            node=step.node,
            attempt=step.attempt,
            idempotency_key=idempotency_key(step.run_id, step.node),
        )
        return encoded(output)
    except ExpressionError as error:
        return broken(StepError("ExpressionError", f"A param of {step.node} can't be computed: {error}"))
    except StepError as error:
        return broken(error)
    except Exception as error:
        # A bug in a step type is that step's failure, with retries: it must not take the batch with it.
        log.exception("Step %s of run %s raised", step.node, step.run_id)
        return broken(StepError("InternalError", f"{type(error).__name__}: {error}"[:2000], retryable=True))


def encoded(output: object) -> Ending:
    """An output as it may be stored, or the failure that it is where it may not (ENGINE "Strict outcomes")."""
    try:
        return Done(output, storable(output, "output", code="BadOutput", max_bytes=MAX_OUTPUT_BYTES))
    except StepError as error:
        return broken(error)


def broken(error: StepError) -> Broken:
    """A StepError as the end of an attempt; what of it can't be stored is told in plain characters."""
    wait = error.details.get("retry_after")
    said = describe(error)
    try:
        strict_dumps(said, max_bytes=MAX_ERROR_BYTES)
    except BadJson:
        said.pop("details", None)
    asked = wait if isinstance(wait, int | float) and wait > 0 else 0
    return Broken(said, error.retryable, float(min(asked, MAX_RETRY_AFTER)) or None)


def idempotency_key(run_id: str, node: str, index: int | None = None) -> str:
    """The key that is the same for every attempt at a step, and for no other step (R-104, H-25)."""
    return f"{run_id}/{node}" if index is None else f"{run_id}/{node}/{index}"

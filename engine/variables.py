"""The variables of a run: what a step that completes sets of them, by its node and by whoever did it (R-064). Pure."""

from collections.abc import Mapping
from typing import Any

import orjson

from engine.catalogue import Json
from engine.errors import ExpressionError, StepError, failure_of
from engine.graph import Node
from engine.limits import EXPRESSION_VARIABLES, VARIABLE_NAME_CHARACTERS, VARIABLES_BYTES
from engine.outcomes import Completed


def set_by(node: Node, outcome: Completed, scope: Mapping[str, Any]) -> Mapping[str, Json]:
    """What a step that completed sets: what its worker said, and over that what its node says.

    Raises StepError where that can't be computed or is too large.
    """
    values = dict(outcome.variables)
    if node.sets is None:
        return values
    try:
        values |= _by_name(node, node.sets.render({**scope, "output": outcome.output}))
    except ExpressionError as error:
        message = f"A variable that {node.title} sets can't be computed: {error}"
        raise failure_of(error, message) from error
    if len(orjson.dumps(values)) > VARIABLES_BYTES:
        message = f"The variables that {node.title} sets are larger than {VARIABLES_BYTES:,} bytes together."
        raise _unfit(message)
    return values


def _by_name(node: Node, values: Json) -> Mapping[str, Json]:
    """What an expression sets that gives all of it: an object, or null for nothing. Raises StepError."""
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise _unfit(f"The variables that {node.title} sets must be an object.")
    if len(values) > EXPRESSION_VARIABLES:
        raise _unfit(
            f"{node.title} sets {len(values):,} variables at once; {EXPRESSION_VARIABLES:,} are allowed."
        )
    if not all(1 <= len(name) <= VARIABLE_NAME_CHARACTERS for name in values):
        raise _unfit(
            f"{node.title} sets a variable whose name doesn't have 1 to {VARIABLE_NAME_CHARACTERS} characters."
        )
    return values


def _unfit(message: str) -> StepError:
    return StepError("BadOutput", message, details={"field": "set_vars"})

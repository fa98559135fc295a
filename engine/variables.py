"""The variables of a run: what a step that completes sets of them, by its node and by whoever did it (R-064). Pure."""

from collections.abc import Mapping
from typing import Any, Final

import orjson

from engine.catalogue import Json
from engine.errors import ExpressionError, StepError
from engine.graph import Node
from engine.outcomes import Completed

MAX_VARIABLES_BYTES: Final = 64 * 1024
"""So large may be what one step sets, as JSON."""


def set_by(node: Node, outcome: Completed, scope: Mapping[str, Any]) -> Mapping[str, Json]:
    """What a step that completed sets: what its worker said, and over that what its node says.

    Raises StepError where that can't be computed or is too large.
    """
    values = dict(outcome.variables)
    if node.sets is None:
        return values
    try:
        values |= node.sets.render({**scope, "output": outcome.output})
    except ExpressionError as error:
        message = f"A variable that {node.title} sets can't be computed: {error}"
        raise StepError("ExpressionError", message) from error
    if len(orjson.dumps(values)) > MAX_VARIABLES_BYTES:
        message = (
            f"The variables that {node.title} sets are larger than {MAX_VARIABLES_BYTES:,} bytes together."
        )
        raise StepError("BadOutput", message, details={"field": "set_vars"})
    return values
